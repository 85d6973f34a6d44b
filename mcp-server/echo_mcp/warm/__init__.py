"""Warm: what a server keeps in memory so that a call does not have to read it."""
