"""The application: settings and a memory or an archive in, an ASGI application out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    closing,
    nullcontext,
)
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from echo_archive.reading import Archive
from echo_mcp import loopback
from echo_mcp.archive.opening import open_archive
from echo_mcp.archive.settings import ArchiveSettings
from echo_mcp.auth import BearerAuth
from echo_mcp.escapes import RepairedBody
from echo_mcp.health import HealthEndpoint, archive_status, status
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
from echo_mcp.server import ARCHIVE, MEMORY, EchoServer
from echo_mcp.settings import ANY_ADDRESS, MCP_PATH, Settings
from echo_mcp.tools.registry import registered, registered_archive
from echo_mcp.upkeep.staff import Staff
from echo_memory.memory import Memory

MAX_BODY = 2 * 1024 * 1024

# A client that asks for sign-in metadata learns that there is none, not that it lacks a token.
_OPEN_PATHS = ("/health", "/.well-known/")
_HOSTED_CLIENTS = ("https://claude.ai", "https://claude.com")


def create_server(settings: Settings, memory: Memory, archive: Archive | None) -> EchoServer:
    """The MCP server with the tools of the profile; `full` has those of an archive too."""
    tools, given = registered(settings.profile), {"echo": memory}
    if archive is None or settings.profile != "full":
        return EchoServer(given, tools)
    return EchoServer(
        {**given, "archive": archive},
        {**tools, **registered_archive()},
        instructions=f"{MEMORY}\n\n{ARCHIVE}",
    )


def create_archive_server(archive: Archive) -> EchoServer:
    """The MCP server with the tools of the message archive alone."""
    return EchoServer(
        {"archive": archive},
        registered_archive(),
        title="Echo message archive",
        instructions=ARCHIVE,
    )


def create_staff(settings: Settings, memory: Memory) -> Staff:
    """What works beside the calls of a server; its `memory` is the one that they are to use."""
    return Staff(
        memory,
        every=settings.index_ttl,
        alert_url=settings.alert_url,
        outbox_limit=settings.outbox_limit,
    )


def create_app(settings: Settings, memory: Memory) -> Starlette:
    """The MCP server behind its token, with its health beside it, and the sign-in if asked for.

    Raises:
        VaultIO: the state folder cannot hold the sign-in's grants.
    """
    staff = create_staff(settings, memory)
    archive = open_archive(settings.archive) if settings.archive else None
    door = Door(settings.token, settings.host, settings.hosts)
    return _app(
        create_server(settings, staff.memory, archive),
        door,
        partial(status, staff, archive),
        [staff.at_work(), closing(archive) if archive else nullcontext()],
        sign_in=_sign_in(settings, door, memory) if settings.oauth else None,
    )


def create_archive_app(settings: ArchiveSettings, archive: Archive) -> Starlette:
    """The message archive behind the same checks, with its health beside it."""
    return _app(
        create_archive_server(archive),
        Door(settings.token, settings.host, settings.hosts),
        partial(archive_status, archive),
        [],
    )


@dataclass(frozen=True)
class Door:
    """Who may come in over HTTP.

    Attributes:
        token: the bearer token.
        host: the address that is bound.
        hosts: public host names, beside the loopback's.
    """

    token: str = field(repr=False)
    host: str
    hosts: tuple[str, ...]


def _app(
    server: EchoServer,
    door: Door,
    state: Callable[[], dict[str, Any]],
    beside: Sequence[AbstractContextManager[Any]],
    *,
    sign_in: SignIn | None = None,
) -> Starlette:
    inner = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        stateless_http=True,
        json_response=True,
        transport_security=_transport_security(door),
    )
    sdk = next(route.endpoint for route in inner.routes if isinstance(route, Route))
    endpoint = RequestBodyLimitMiddleware(RepairedBody(sdk), MAX_BODY)
    app = Starlette(
        routes=[
            # Both spellings: behind a proxy, a redirect names the wrong scheme. Only POST: without
            # sessions, a GET opens a stream in which nothing comes.
            *(Route(path, endpoint, methods=["POST"]) for path in RESOURCE_PATHS),
            Route("/health", HealthEndpoint(state).answer, methods=["GET"]),
            *(sign_in.routes() if sign_in else ()),
        ],
        middleware=[_bearer(door, sign_in)],
        lifespan=lambda _: _running(server, beside),
    )
    app.router.redirect_slashes = False
    return app


@asynccontextmanager
async def _running(
    server: EchoServer, beside: Sequence[AbstractContextManager[Any]]
) -> AsyncIterator[None]:
    """The server and those that work beside it, until it ends."""
    with ExitStack() as stack:
        for each in beside:
            stack.enter_context(each)
        async with server.session_manager.run():
            yield


def _sign_in(settings: Settings, door: Door, memory: Memory) -> SignIn:
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
    return SignIn(Sites(_names(door)), clients, issuer, consent, clock)


def _bearer(door: Door, sign_in: SignIn | None) -> Middleware:
    if sign_in is None:
        return Middleware(BearerAuth, token=door.token, open_paths=_OPEN_PATHS)
    return Middleware(
        BearerAuth,
        token=door.token,
        open_paths=(*_OPEN_PATHS, *SIGN_IN_PATHS),
        admits=sign_in.admits,
        challenge=sign_in.challenge,
    )


def _names(door: Door) -> tuple[str, ...]:
    """The hosts that are ours."""
    bound = () if door.host in ANY_ADDRESS else (_bracketed(door.host),)
    return tuple(dict.fromkeys((*loopback.HOSTS, *bound, *door.hosts)))


def _transport_security(door: Door) -> TransportSecuritySettings:
    """Which `Host` and `Origin` headers are ours: a browser page from elsewhere has others."""
    names = _names(door)
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
