"""The site: under which of its names a request reached this server, and its URLs under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.types import Scope

from echo_mcp import loopback
from echo_mcp.settings import MCP_PATH

RESOURCE_PATHS = (MCP_PATH, f"{MCP_PATH}/")
"""The two spellings of the endpoint; the first is the one that a token is for."""
RESOURCE_METADATA = "/.well-known/oauth-protected-resource"
SERVER_METADATA = "/.well-known/oauth-authorization-server"
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/authorize", "/token", "/register", "/revoke"
SCOPE = "memory"
"""The only scope: the whole memory."""

_HOST = re.compile(r"(?P<name>[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")


@dataclass(frozen=True)
class Site:
    """This server under one of its names.

    Attributes:
        base: scheme, host and port without a slash at the end; it is the issuer, too (RFC 8414).
    """

    base: str

    @property
    def resource(self) -> str:
        """What a token is for (RFC 8707)."""
        return f"{self.base}{RESOURCE_PATHS[0]}"

    def is_resource(self, uri: str) -> bool:
        """Whether a `resource` parameter means us; one that is missing cannot mean another."""
        return not uri or uri in {f"{self.base}{path}" for path in RESOURCE_PATHS}

    def challenge(self, path: str, *, error: str = "") -> bytes:
        """The `WWW-Authenticate` of a 401 (RFC 9728, 5.1)."""
        suffix = path if path in RESOURCE_PATHS else RESOURCE_PATHS[0]
        words = [f'resource_metadata="{self.base}{RESOURCE_METADATA}{suffix}"', f'scope="{SCOPE}"']
        if error:
            words.insert(0, f'error="{error}"')
        return f"Bearer {', '.join(words)}".encode("ascii")

    def resource_metadata(self, path: str) -> Mapping[str, object]:
        """The protected resource's metadata (RFC 9728, 2).

        Args:
            path: the spelling of the endpoint that was asked for: clients compare what they get
                with what was typed.
        """
        return {
            "resource": f"{self.base}{path}",
            "authorization_servers": [self.base],
            "scopes_supported": [SCOPE],
            "bearer_methods_supported": ["header"],
            "resource_name": "Echo memory",
        }

    def server_metadata(self) -> Mapping[str, object]:
        """The authorization server's metadata (RFC 8414, 2)."""
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}{AUTHORIZE}",
            "token_endpoint": f"{self.base}{TOKEN}",
            "registration_endpoint": f"{self.base}{REGISTER}",
            "revocation_endpoint": f"{self.base}{REVOKE}",
            "scopes_supported": [SCOPE],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }


class Sites:
    """Every name of this server; a request under another one is not for us."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names.

        Args:
            names: hosts, each alone (any port of it is ours) or with the only port that is.
        """
        self._names = frozenset(names)

    def of(self, scope: Scope) -> Site | None:
        """The site that a request names in its `Host`; None where that is none of ours.

        Public names are served over https by the proxy in front, whatever it tells us; only on
        a loopback address is there none.
        """
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            return None
        host = hosts[0].decode("latin-1").lower()
        found = _HOST.fullmatch(host)
        if found is None or not {host, found["name"]} & self._names:
            return None
        return Site(f"{'http' if found['name'] in loopback.HOSTS else 'https'}://{host}")
