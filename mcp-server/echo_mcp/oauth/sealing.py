"""Seals: text that goes through other hands and comes back unchanged, or is not ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

MAX_LENGTH = 32_768


class Seal:
    """HMAC-SHA256 over JSON. What it seals can be read by anybody and made by nobody else."""

    def __init__(self, *secrets: bytes) -> None:
        """Derive the key.

        Args:
            secrets: all of them are needed to make or to check anything.
        """
        key = b"echo-mcp oauth 1"
        for secret in secrets:
            key = hmac.digest(secret, key, "sha256")
        self._key = key

    def close(self, purpose: str, content: Mapping[str, Any]) -> str:
        """Seal a JSON object for one purpose, in characters that a URL can carry."""
        written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        body = _encoded(written.encode("utf-8", "replace"))
        return f"{body}.{self._mark(purpose, body)}"

    def open(self, purpose: str, text: str) -> dict[str, Any] | None:
        """What was sealed for this purpose; None for everything else."""
        body, _, mark = text.partition(".")
        if len(text) > MAX_LENGTH or not text.isascii():
            return None
        if not hmac.compare_digest(mark, self._mark(purpose, body)):
            return None
        content: dict[str, Any] = json.loads(
            base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        )
        return content

    def _mark(self, purpose: str, body: str) -> str:
        return _encoded(hmac.digest(self._key, f"{purpose}\0{body}".encode(), "sha256"))


def challenge_of(verifier: str) -> str:
    """The S256 code challenge of a code verifier (RFC 7636, 4.2)."""
    return _encoded(hashlib.sha256(verifier.encode()).digest())


def fingerprint(text: str) -> str:
    """A hash by which a client id is known again, in 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
