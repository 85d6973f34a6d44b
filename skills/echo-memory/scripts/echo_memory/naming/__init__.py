"""Names: taken apart, compared, and found in an index or a text."""
