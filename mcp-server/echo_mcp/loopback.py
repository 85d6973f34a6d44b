"""The loopback: under which names a machine reaches itself, and nobody else reaches it."""

from __future__ import annotations

NAMES = ("127.0.0.1", "localhost", "::1")

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""The same as URLs and `Host` headers have them."""
