"""The endpoints of the sign-in: metadata, registration, authorization, tokens, revocation."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from echo_mcp.oauth import bodies
from echo_mcp.oauth.clients import Clients
from echo_mcp.oauth.consent import Consent
from echo_mcp.oauth.issuer import Clock, Issuer, Proof
from echo_mcp.oauth.refusal import Refusal
from echo_mcp.oauth.site import (
    AUTHORIZE,
    REGISTER,
    RESOURCE_METADATA,
    RESOURCE_PATHS,
    REVOKE,
    SERVER_METADATA,
    TOKEN,
    Site,
    Sites,
)
from echo_memory.errors import EchoError

logger = logging.getLogger(__name__)

OPEN_PATHS = (AUTHORIZE, TOKEN, REGISTER, REVOKE)
"""What is reached without a token, beside the metadata."""

_THREADS = 4
_NEVER_KEPT = {"Cache-Control": "no-store", "Pragma": "no-cache"}

_Answer = Callable[[Request, Site], Awaitable[Response]]
_Form = Mapping[str, str]


class SignIn:
    """OAuth 2.1 for public clients, as this server's own authorization server.

    The SDK's handlers are not used: they keep clients in a store, take `redirect_uri` through a
    parser that rewrites it, let a missing challenge method pass, do not bind `resource`, and have
    no public clients, loopback ports, `iss` or consent page.
    """

    def __init__(
        self, sites: Sites, clients: Clients, issuer: Issuer, consent: Consent, clock: Clock
    ) -> None:
        self._sites = sites
        self._clients = clients
        self._issuer = issuer
        self._consent = consent
        self._clock = clock
        # Of its own, so that calls that wait for the vault keep nobody from signing in.
        self._threads = anyio.CapacityLimiter(_THREADS)

    def routes(self) -> list[Route]:
        """Where all of it is found."""
        resources = {RESOURCE_METADATA: RESOURCE_PATHS[0]}
        resources |= {f"{RESOURCE_METADATA}{path}": path for path in RESOURCE_PATHS}
        servers = (SERVER_METADATA, *(f"{SERVER_METADATA}{path}" for path in RESOURCE_PATHS))
        return [
            *(self._get(at, partial(_resource, path=path)) for at, path in resources.items()),
            *(self._get(at, _server) for at in servers),
            self._get(AUTHORIZE, self._asked),
            self._post(AUTHORIZE, self._answered),
            self._post(REGISTER, self._register),
            self._post(TOKEN, self._token),
            self._post(REVOKE, self._revoke),
        ]

    def admits(self, scope: Scope, token: str) -> bool:
        """Whether a request may pass with a token that is not the server's."""
        site = self._sites.of(scope)
        return site is not None and self._issuer.admits(token, site.resource)

    def challenge(self, scope: Scope, *, given: bool) -> bytes:
        """The `WWW-Authenticate` of a request that may not pass.

        Args:
            scope: the request's.
            given: whether it came with a token.
        """
        site = self._sites.of(scope)
        if site is None:
            return b"Bearer"
        return site.challenge(scope["path"], error="invalid_token" if given else "")

    def _get(self, path: str, answer: _Answer) -> Route:
        return Route(path, self._under_its_name(answer), methods=["GET"])

    def _post(self, path: str, answer: _Answer) -> Route:
        return Route(path, self._under_its_name(answer), methods=["POST"])

    def _under_its_name(self, answer: _Answer) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that answers under the names of this server only, and in OAuth's errors."""

        async def endpoint(request: Request) -> Response:
            site = self._sites.of(request.scope)
            if site is None:
                return PlainTextResponse("This is not a name of this server.", status_code=421)
            try:
                return await answer(request, site)
            except Refusal as refusal:
                return _refused(refusal)
            except EchoError as error:
                logger.warning("sign-in: %s", error.message)
                words = "The server cannot use its state folder; see its log."
                return _refused(Refusal("temporarily_unavailable", words), status=503)

        return endpoint

    async def _asked(self, request: Request, site: Site) -> Response:
        return await self._consent.ask(request, site, self._clock)

    async def _answered(self, request: Request, site: Site) -> Response:
        return await self._consent.answer(request, site, self._clock)

    async def _register(self, request: Request, _: Site) -> Response:
        document = await bodies.document(request)
        registered = self._clients.register(document, int(self._clock()))
        return JSONResponse(registered, status_code=201, headers=_NEVER_KEPT)

    async def _token(self, request: Request, site: Site) -> Response:
        form = await bodies.form(request)
        client_id = form.get("client_id", "")
        if self._clients.find(client_id) is None:
            raise Refusal("invalid_client", "The client_id is missing, or was not given here.")
        if not site.is_resource(form.get("resource", "")):
            raise Refusal("invalid_target", "The resource is not this server's.")
        tokens = await self._in_thread(self._made, form, client_id, site)
        return JSONResponse(tokens, headers=_NEVER_KEPT)

    def _made(self, form: _Form, client_id: str, site: Site) -> dict[str, Any]:
        kind = form.get("grant_type")
        if kind == "refresh_token":
            return self._issuer.refresh(form.get("refresh_token", ""), client_id, site.resource)
        if kind == "authorization_code":
            redirect_uri, verifier = form.get("redirect_uri", ""), form.get("code_verifier", "")
            return self._issuer.exchange(
                Proof(form.get("code", ""), client_id, redirect_uri, verifier, site.resource)
            )
        raise Refusal("unsupported_grant_type", "Use authorization_code or refresh_token.")

    async def _revoke(self, request: Request, _: Site) -> Response:
        form = await bodies.form(request)
        if "token" not in form:
            raise Refusal("invalid_request", "The token is missing.")
        await self._in_thread(self._issuer.revoke, form["token"], form.get("client_id", ""))
        return Response(status_code=200, headers=_NEVER_KEPT)

    async def _in_thread(self, do: Callable[..., Any], *values: Any) -> Any:
        return await anyio.to_thread.run_sync(do, *values, limiter=self._threads)


async def _resource(_: Request, site: Site, *, path: str) -> Response:
    return JSONResponse(site.resource_metadata(path))


async def _server(_: Request, site: Site) -> Response:
    return JSONResponse(site.server_metadata())


def _refused(refusal: Refusal, *, status: int = 0) -> Response:
    """An error of RFC 6749, 5.2."""
    body = {"error": refusal.code, "error_description": refusal.description}
    default = 401 if refusal.code == "invalid_client" else 400
    return JSONResponse(body, status_code=status or default, headers=_NEVER_KEPT)
