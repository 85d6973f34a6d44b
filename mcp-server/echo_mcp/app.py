"""The application: settings and a memory in, an ASGI application out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from echo_mcp.auth import BearerAuth
from echo_mcp.escapes import RepairedBody
from echo_mcp.health import HealthEndpoint
from echo_mcp.oauth.authorization import Desk
from echo_mcp.oauth.clients import Clients
from echo_mcp.oauth.consent import Consent
from echo_mcp.oauth.endpoints import OPEN_PATHS as SIGN_IN_PATHS
from echo_mcp.oauth.endpoints import SignIn
from echo_mcp.oauth.grants import Grants
from echo_mcp.oauth.issuer import Issuer
from echo_mcp.oauth.sealing import Seal
from echo_mcp.oauth.site import RESOURCE_PATHS, Sites
from echo_mcp.oauth.throttle import Throttle
from echo_mcp.server import EchoServer
from echo_mcp.settings import ANY_ADDRESS, MCP_PATH, Settings
from echo_mcp.tools.registry import registered
from echo_mcp.upkeep.staff import Staff
from echo_memory.memory import Memory

MAX_BODY = 2 * 1024 * 1024

# A client that asks for sign-in metadata learns that there is none, not that it lacks a token.
_OPEN_PATHS = ("/health", "/.well-known/")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HOSTED_CLIENTS = ("https://claude.ai", "https://claude.com")


def create_server(settings: Settings, memory: Memory) -> EchoServer:
    """The MCP server with the tools of the profile."""
    return EchoServer(memory, registered(settings.profile))


def create_app(settings: Settings, memory: Memory) -> Starlette:
    """The MCP server behind its token, with its health beside it, and the sign-in if asked for.

    Raises:
        VaultIO: the state folder cannot hold the sign-in's grants.
    """
    staff = Staff(
        memory,
        every=settings.index_ttl,
        alert_url=settings.alert_url,
        outbox_limit=settings.outbox_limit,
    )
    server = create_server(settings, staff.memory)
    inner = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=True,
        json_response=True,
        transport_security=_transport_security(settings),
    )
    sdk = next(route.endpoint for route in inner.routes if isinstance(route, Route))
    endpoint = RequestBodyLimitMiddleware(RepairedBody(sdk), MAX_BODY)
    sign_in = _sign_in(settings, memory) if settings.oauth else None
    app = Starlette(
        routes=[
            # Both spellings: behind a proxy, a redirect names the wrong scheme. Only POST: without
            # sessions, a GET opens a stream in which nothing comes.
            *(Route(path, endpoint, methods=["POST"]) for path in RESOURCE_PATHS),
            Route("/health", HealthEndpoint(staff).answer, methods=["GET"]),
            *(sign_in.routes() if sign_in else ()),
        ],
        middleware=[_door(settings, sign_in)],
        lifespan=lambda _: _running(server, staff),
    )
    app.router.redirect_slashes = False
    return app


@asynccontextmanager
async def _running(server: EchoServer, staff: Staff) -> AsyncIterator[None]:
    """The server and those that work beside it, until it ends."""
    with staff.at_work():
        async with server.session_manager.run():
            yield


def _sign_in(settings: Settings, memory: Memory) -> SignIn:
    """The sign-in. Its keys need the token and the grants' file, so a new token ends all grants.

    Clients' ids need the file alone: a client that is known stays known, and signs in anew.
    """

    def clock() -> float:
        return memory.clock().timestamp()

    grants = Grants(settings.config.state_dir)
    salt = grants.salt()
    clients = Clients(Seal(salt))
    seal = Seal(salt, settings.token.encode())
    issuer = Issuer(grants, seal, clock)
    consent = Consent(clients, Desk(clients, seal), issuer, settings.token, Throttle())
    return SignIn(Sites(_names(settings)), clients, issuer, consent, clock)


def _door(settings: Settings, sign_in: SignIn | None) -> Middleware:
    if sign_in is None:
        return Middleware(BearerAuth, token=settings.token, open_paths=_OPEN_PATHS)
    return Middleware(
        BearerAuth,
        token=settings.token,
        open_paths=(*_OPEN_PATHS, *SIGN_IN_PATHS),
        admits=sign_in.admits,
        challenge=sign_in.challenge,
    )


def _names(settings: Settings) -> tuple[str, ...]:
    """The hosts that are ours."""
    bound = () if settings.host in ANY_ADDRESS else (_bracketed(settings.host),)
    return tuple(dict.fromkeys((*_LOOPBACK, *bound, *settings.hosts)))


def _transport_security(settings: Settings) -> TransportSecuritySettings:
    """Which `Host` and `Origin` headers are ours: a browser page from elsewhere has others."""
    names = _names(settings)
    return TransportSecuritySettings(
        allowed_hosts=list(_any_port(names)),
        allowed_origins=[
            *(f"{scheme}://{name}" for scheme in ("http", "https") for name in _any_port(names)),
            *_HOSTED_CLIENTS,
        ],
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _any_port(names: Iterable[str]) -> Iterable[str]:
    """Each name with and without a port, for the SDK compares the whole header."""
    for name in names:
        yield name
        yield f"{name}:*"
