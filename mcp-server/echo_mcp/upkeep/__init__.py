"""Upkeep: what the server does by itself, in threads of its own."""
