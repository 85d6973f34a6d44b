"""The issuer: codes, access tokens and refresh tokens, each a seal over its grant."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from echo_mcp.oauth.authorization import Request
from echo_mcp.oauth.grants import Book, Grant, Grants
from echo_mcp.oauth.redirects import host
from echo_mcp.oauth.refusal import Refusal
from echo_mcp.oauth.sealing import Seal, challenge_of, fingerprint
from echo_mcp.oauth.site import SCOPE
from echo_memory.errors import EchoError

ACCESS_LASTS_S = 3600

_CODE, _ACCESS, _REFRESH = "code", "access", "refresh"

Clock = Callable[[], float]
"""Gives the seconds since the epoch."""


@dataclass(frozen=True)
class Proof:
    """What a client shows for a code, as the token endpoint gets it.

    Attributes:
        code: the code.
        client_id: its id.
        redirect_uri: where the code was sent.
        verifier: the code verifier (RFC 7636).
        resource: what the tokens shall be for.
    """

    code: str
    client_id: str
    redirect_uri: str
    verifier: str
    resource: str


class Issuer:
    """Makes and knows tokens.

    An access token is good for its hour as long as its grant is there. A code is good once, and a
    refresh token until the next is made; whoever shows a used one ends the grant, for one of the
    two that had it is a thief.
    """

    def __init__(self, grants: Grants, seal: Seal, clock: Clock) -> None:
        self._grants = grants
        self._seal = seal
        self._clock = clock

    def grant(self, request: Request) -> str:
        """Begin a grant that the operator allowed; returns its code.

        Raises:
            VaultIO: it cannot be kept.
        """
        now = int(self._clock())
        begun = Grant(
            id=secrets.token_hex(8),
            client=fingerprint(request.client.id),
            name=request.client.name,
            host=host(request.redirect_uri),
            resource=request.resource,
            redirect_uri=request.redirect_uri,
            challenge=request.challenge,
            began=now,
            used=now,
        )
        with self._grants.changing(now) as book:
            book[begun.id] = begun
        return self._seal.close(_CODE, {"grant": begun.id})

    def exchange(self, proof: Proof) -> dict[str, Any]:
        """The tokens for a code.

        Raises:
            Refusal: it is not good, or not shown by the client that it is for.
            VaultIO: the grants cannot be used.
        """
        grant_id = self._named(_CODE, proof.code)["grant"]
        with self._grants.changing(self._clock()) as book:
            grant = book.get(grant_id)
            good = grant is not None and _proves(proof, grant)
            tokens = self._renewed(book, grant, 0) if grant and (good or grant.generation) else None
        return _or_refused(tokens, "The code is not good, was used, or is another client's.")

    def refresh(self, token: str, client_id: str, resource: str) -> dict[str, Any]:
        """New tokens for a refresh token, which is then used.

        Args:
            token: the refresh token.
            client_id: whose it must be.
            resource: what the tokens shall be for.

        Raises:
            Refusal: it is not good, was used, or is another client's.
            VaultIO: the grants cannot be used.
        """
        named = self._named(_REFRESH, token)
        with self._grants.changing(self._clock()) as book:
            grant = book.get(named["grant"])
            good = grant and _is_of(grant, client_id) and grant.resource == resource
            tokens = self._renewed(book, grant, named["generation"]) if grant and good else None
        return _or_refused(tokens, "The refresh token is not good, was used, or has expired.")

    def revoke(self, token: str, client_id: str) -> None:
        """End the grant of a token (RFC 7009); one that is not good has no grant to end.

        Args:
            token: an access or a refresh token.
            client_id: whose it must be; empty where that was not said.

        Raises:
            VaultIO: the grants cannot be used.
        """
        named = self._seal.open(_REFRESH, token) or self._seal.open(_ACCESS, token)
        if named is None:
            return
        with self._grants.changing(self._clock()) as book:
            grant = book.get(named["grant"])
            if grant is not None and (not client_id or _is_of(grant, client_id)):
                del book[grant.id]

    def admits(self, token: str, resource: str) -> bool:
        """Whether an access token is good for a resource now."""
        named = self._seal.open(_ACCESS, token)
        now = self._clock()
        if named is None or now >= named["until"]:
            return False
        try:
            grant = self._grants.all().get(named["grant"])
        except EchoError:  # then nobody can say that it was not revoked
            return False
        return grant is not None and not grant.is_over(now) and grant.resource == resource

    def _named(self, purpose: str, text: str) -> dict[str, Any]:
        named = self._seal.open(purpose, text)
        if named is None:
            raise Refusal("invalid_grant", "It was not made by this server, or its token changed.")
        return named

    def _renewed(self, book: Book, grant: Grant, generation: int) -> dict[str, Any] | None:
        """The next tokens of a grant; without any, it ends, if they were made before."""
        if grant.generation != generation:
            del book[grant.id]
            return None
        now = int(self._clock())
        after = book[grant.id] = replace(grant, generation=generation + 1, used=now)
        access = {"grant": grant.id, "until": now + ACCESS_LASTS_S, "nonce": secrets.token_hex(8)}
        return {
            "access_token": self._seal.close(_ACCESS, access),
            "token_type": "Bearer",
            "expires_in": ACCESS_LASTS_S,
            "refresh_token": self._seal.close(
                _REFRESH, {"grant": grant.id, "generation": after.generation}
            ),
            "scope": SCOPE,
        }


def _proves(proof: Proof, grant: Grant) -> bool:
    challenge = challenge_of(proof.verifier)
    return (
        _is_of(grant, proof.client_id)
        and proof.redirect_uri == grant.redirect_uri
        and proof.resource == grant.resource
        and hmac.compare_digest(challenge, grant.challenge)
    )


def _is_of(grant: Grant, client_id: str) -> bool:
    return hmac.compare_digest(fingerprint(client_id), grant.client)


def _or_refused(tokens: dict[str, Any] | None, description: str) -> dict[str, Any]:
    """The tokens; the refusal waits until what ended is kept as ended."""
    if tokens is None:
        raise Refusal("invalid_grant", description)
    return tokens
