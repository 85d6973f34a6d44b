"""Backups: the whole vault in one dated, verified zip a night, and the way back."""
