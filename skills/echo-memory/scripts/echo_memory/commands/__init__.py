"""Commands: what can be typed, and which operation each calls."""
