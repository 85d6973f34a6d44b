"""The message archive: exports in, one read-only database of messages out."""
