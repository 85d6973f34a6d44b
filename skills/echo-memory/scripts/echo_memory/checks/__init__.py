"""Checks: what lint looks for."""
