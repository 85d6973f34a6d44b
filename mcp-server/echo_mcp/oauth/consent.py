"""The authorization endpoint: a client's request, the page about it, and the operator's answer."""

from __future__ import annotations

import hmac
import logging
from urllib.parse import parse_qsl

import anyio
import anyio.to_thread
from starlette.requests import Request as HttpRequest
from starlette.responses import RedirectResponse, Response

from echo_mcp.oauth import authorization, bodies, page
from echo_mcp.oauth.authorization import Desk, Request
from echo_mcp.oauth.clients import Clients
from echo_mcp.oauth.issuer import Clock, Issuer
from echo_mcp.oauth.refusal import Refusal
from echo_mcp.oauth.site import Site
from echo_mcp.oauth.throttle import Crowded, Throttle
from echo_memory.errors import EchoError

logger = logging.getLogger(__name__)

_THREADS = 2
_WRONG = "That is not the server’s token. Check that all of it was pasted."


class Consent:
    """Shows what a client asks for, and lets the operator allow it with the server's token."""

    def __init__(
        self, clients: Clients, desk: Desk, issuer: Issuer, token: str, throttle: Throttle
    ) -> None:
        self._clients = clients
        self._desk = desk
        self._issuer = issuer
        self._token = token.encode()
        self._throttle = throttle
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def ask(self, http: HttpRequest, site: Site, clock: Clock) -> Response:
        """The page; nothing is stored, and nobody is sent anywhere that they do not know.

        An error is only sent back to a client that is known: who registers may be anyone, and
        would have a link on this server's name that leads to theirs.
        """
        try:
            asked = bodies.once(parse_qsl(http.url.query, keep_blank_values=True))
            request = authorization.read(asked, self._clients, site)
        except Refusal as refusal:
            return page.fault(refusal.description)
        try:
            authorization.judge(asked, site)
        except Refusal as refusal:
            if request.client.is_known:
                return _sent(request, error=refusal.code, error_description=refusal.description)
            return page.fault(refusal.description)
        return page.consent(request, self._desk.put(request, clock()))

    async def answer(self, http: HttpRequest, site: Site, clock: Clock) -> Response:
        """What the operator pressed, with the token where it was to allow."""
        if http.headers.get("origin", site.base) != site.base:
            return page.fault("This form was sent from another page.", status=403)
        try:
            form = await bodies.form(http)
            sealed = form.get("request", "")
            request = self._desk.take(sealed, site, clock())
        except Refusal as refusal:
            return page.fault(f"{refusal.description} Go back to the client and connect again.")
        if form.get("answer") != page.ALLOW:
            _log("denied")
            return _sent(request, error="access_denied", error_description="It was denied.")
        given = form.get("token", "").strip().encode("utf-8", "replace")
        right = hmac.compare_digest(given, self._token)
        try:
            allowed = await self._throttle.judge(_address(http), right=right)
        except Crowded:
            return page.fault(
                "Too many tokens are being tried. Wait a minute, go back and try again.",
                status=429,
                headers={"Retry-After": "60"},
            )
        if not allowed:
            _log("wrong token")
            return page.consent(request, sealed, error=_WRONG, status=403)
        return await self._allowed(request)

    async def _allowed(self, request: Request) -> Response:
        try:
            code = await anyio.to_thread.run_sync(
                self._issuer.grant, request, limiter=self._threads
            )
        except EchoError as error:
            logger.warning("sign-in: %s", error.message)
            return page.fault("The server cannot keep what you allow; see its log.", status=503)
        _log("allowed")
        return _sent(request, code=code)


def _sent(request: Request, **answer: str) -> Response:
    return RedirectResponse(
        request.answered(**answer),
        status_code=303,
        headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"},
    )


def _address(http: HttpRequest) -> str:
    return http.client.host if http.client else ""


def _log(outcome: str) -> None:
    logger.info("sign-in", extra={"fields": {"outcome": outcome}})
