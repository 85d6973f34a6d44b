"""The authorization request: what a client asks for, checked, and sealed while a person thinks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from echo_mcp.oauth.clients import Client, Clients
from echo_mcp.oauth.redirects import with_parameters
from echo_mcp.oauth.refusal import Refusal
from echo_mcp.oauth.sealing import Seal
from echo_mcp.oauth.site import Site

PATIENCE_S = 600
"""How long a person may think."""
MAX_STATE = 4_096

_PURPOSE = "request"
_NEVER_IN_A_URL = {"token", "access_token"}
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Request:
    """A request that may be shown to a person.

    Attributes:
        client: who asks.
        redirect_uri: where the answer goes, as it was asked for.
        challenge: the S256 code challenge.
        state: what the client wants back.
        issuer: the base URL under which it came.
        resource: what the tokens will be for.
    """

    client: Client
    redirect_uri: str
    challenge: str
    state: str
    issuer: str
    resource: str

    def answered(self, **answer: str) -> str:
        """The URL by which the answer goes back, with `state`, and `iss` as RFC 9207 asks."""
        return with_parameters(
            self.redirect_uri, {**answer, "state": self.state, "iss": self.issuer}
        )


def read(asked: Mapping[str, str], clients: Clients, site: Site) -> Request:
    """The request that a client makes, not yet judged but for where its answer may go.

    Raises:
        Refusal: no answer can be sent to where it says.
    """
    if _NEVER_IN_A_URL & asked.keys():
        raise Refusal("invalid_request", "A token must never be in a URL. Make a new one.")
    client = clients.find(asked.get("client_id", ""))
    if client is None:
        raise Refusal(
            "invalid_client",
            "This client is not known here. Remove the connection in the client and add it again.",
        )
    redirect_uri = asked.get("redirect_uri", "")
    if not client.allows(redirect_uri):
        raise Refusal(
            "invalid_redirect_uri",
            "The address that the client wants to be sent back to is not one that it registered.",
        )
    state = asked.get("state", "")
    if len(state) > MAX_STATE:
        raise Refusal("invalid_request", "The client's state is too long.")
    return Request(
        client, redirect_uri, asked.get("code_challenge", ""), state, site.base, site.resource
    )


def judge(asked: Mapping[str, str], site: Site) -> None:
    """See that what is asked for is what there is.

    Raises:
        Refusal: it is not.
    """
    if asked.get("response_type") != "code":
        raise Refusal("unsupported_response_type", "There is only the response type code.")
    if asked.get("code_challenge_method") != "S256":
        raise Refusal("invalid_request", "PKCE with the method S256 is needed.")
    if not _CHALLENGE.fullmatch(asked.get("code_challenge", "")):
        raise Refusal("invalid_request", "The code challenge is no SHA-256.")
    if not site.is_resource(asked.get("resource", "")):
        raise Refusal("invalid_target", "The resource is not this server's.")


class Desk:
    """Requests that wait for a person: they lie with that person's browser, sealed."""

    def __init__(self, clients: Clients, seal: Seal) -> None:
        self._clients = clients
        self._seal = seal

    def put(self, request: Request, now: float) -> str:
        """The request as a form can carry it."""
        content = {
            "client": request.client.id,
            "to": request.redirect_uri,
            "challenge": request.challenge,
            "state": request.state,
            "issuer": request.issuer,
            "resource": request.resource,
            "until": now + PATIENCE_S,
        }
        return self._seal.close(_PURPOSE, content)

    def take(self, sealed: str, site: Site, now: float) -> Request:
        """The request that was put there.

        Raises:
            Refusal: it is none, or has waited for too long.
        """
        content = self._seal.open(_PURPOSE, sealed)
        client = self._clients.find(content["client"]) if content else None
        if content is None or client is None or content["issuer"] != site.base:
            raise Refusal("invalid_request", "This form was not made by this server.")
        if now >= content["until"]:
            raise Refusal("invalid_request", "This page was open for too long.")
        return Request(
            client,
            content["to"],
            content["challenge"],
            content["state"],
            content["issuer"],
            content["resource"],
        )
