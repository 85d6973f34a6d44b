"""Durable memory for AI assistants, kept as Markdown notes in the person's own vault."""

__version__ = "0.1.0"
