"""Clients: the two that are known, and those that register; nothing of them is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echo_mcp.oauth import redirects
from echo_mcp.oauth.refusal import Refusal
from echo_mcp.oauth.sealing import Seal

MAX_REDIRECTS = 5
MAX_REDIRECTS_LENGTH = 1_024  # of all of them: they travel in URLs, and proxies bound those
MAX_NAME = 60

_PURPOSE = "client"


@dataclass(frozen=True)
class Client:
    """A public client: it has no secret.

    Attributes:
        id: how it names itself to us.
        name: what a person is told.
        redirect_uris: where an answer may be sent.
        is_known: whether the name is a fact; otherwise it is what the client says.
    """

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    is_known: bool = False

    def allows(self, redirect_uri: str) -> bool:
        """Whether an answer may be sent there."""
        return any(redirects.is_same(one, redirect_uri) for one in self.redirect_uris)


# Clients whose id is the address of a document about them. The documents are written down here and
# never fetched: a server that fetches what a stranger names can be sent anywhere.
_KNOWN = {
    client.id: client
    for client in (
        Client(
            "https://claude.ai/oauth/mcp-oauth-client-metadata",
            "Claude",
            (
                "https://claude.ai/api/mcp/auth_callback",
                "https://claude.com/api/mcp/auth_callback",
            ),
            is_known=True,
        ),
        Client(
            "https://claude.ai/oauth/claude-code-client-metadata",
            "Claude Code",
            ("http://localhost/callback", "http://127.0.0.1/callback"),
            is_known=True,
        ),
    )
}


class Clients:
    """Dynamic registration (RFC 7591) without a register: a client's id is all that it said."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def find(self, client_id: str) -> Client | None:
        """The client of an id; None where we never gave it."""
        if client_id in _KNOWN:
            return _KNOWN[client_id]
        said = self._seal.open(_PURPOSE, client_id)
        return None if said is None else Client(client_id, said["name"], tuple(said["to"]))

    def register(self, document: object, now: int) -> Mapping[str, Any]:
        """Give a client its id.

        Args:
            document: its metadata, as it came.
            now: seconds since the epoch.

        Returns:
            The answer of RFC 7591, 3.2.1.

        Raises:
            Refusal: the metadata cannot be used.
        """
        if not isinstance(document, dict):
            raise Refusal("invalid_client_metadata", "The body is no JSON object.")
        uris = _redirect_uris(document.get("redirect_uris"))
        name = _name(document.get("client_name"))
        grants = document.get("grant_types")
        if grants and (not isinstance(grants, list) or "authorization_code" not in grants):
            raise Refusal("invalid_client_metadata", "There is only the authorization code grant.")
        return {
            "client_id": self._seal.close(_PURPOSE, {"name": name, "to": uris, "at": now}),
            "client_id_issued_at": now,
            "client_name": name,
            "redirect_uris": uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }


def _redirect_uris(given: object) -> list[str]:
    if not isinstance(given, list) or not 0 < len(given) <= MAX_REDIRECTS:
        raise Refusal("invalid_redirect_uri", f"Give one to {MAX_REDIRECTS} redirect_uris.")
    if not all(isinstance(uri, str) and redirects.is_allowed(uri) for uri in given):
        raise Refusal(
            "invalid_redirect_uri",
            "A redirect URI is https://host/path, or http on localhost, 127.0.0.1 or [::1].",
        )
    if sum(map(len, given)) > MAX_REDIRECTS_LENGTH:
        raise Refusal("invalid_redirect_uri", "The redirect URIs are too long.")
    return given


def _name(given: object) -> str:
    """A name that stays on its line and shows what it is."""
    words = given if isinstance(given, str) else ""
    shown = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(shown.split())[:MAX_NAME].strip() or "a client without a name"
