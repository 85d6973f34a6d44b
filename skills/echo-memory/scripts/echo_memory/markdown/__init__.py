"""Markdown as Obsidian reads it: what each line is, and where something can be put."""
