"""OAuth: the sign-in by which claude.ai and other clients get tokens of their own."""
