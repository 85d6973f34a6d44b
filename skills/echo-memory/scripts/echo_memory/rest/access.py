"""Access: where the Local REST API is, whom to trust there, and the key that it asks for."""

from __future__ import annotations

import ssl
import string
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, urlsplit

from echo_memory.errors import Misconfigured

DEFAULT_HEADER = "Authorization"

_HEADER_LETTERS = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~")
_PORTS = {"http": 80, "https": 443}

_BAD_ADDRESS = "ECHO_BASE is not a vault's address. Write it like https://127.0.0.1:27124."
_BAD_KEY = (
    "ECHO_KEY is missing or not a key. Copy it from Obsidian's settings of the Local REST API"
    " plugin."
)
_BAD_HEADER = (
    "ECHO_AUTH_HEADER is not a header's name. Leave it out, or copy it from the settings of the"
    " Local REST API plugin."
)
_BAD_CERTIFICATE = (
    "ECHO_CA is not a file with a certificate. Download the plugin's own one from"
    " /obsidian-local-rest-api.crt, and give its whole path."
)


@dataclass(frozen=True)
class Access:
    """How to get at the plugin.

    Attributes:
        host: name or number.
        port: where it listens.
        prefix: what a proxy wants before every path.
        headers: the key, as it is sent.
        tls: whom to trust; None where nothing is encrypted.
        pinned: whether only one certificate is trusted.
    """

    host: str
    port: int
    prefix: str
    headers: dict[str, str] = field(repr=False)
    tls: ssl.SSLContext | None
    pinned: bool

    @classmethod
    def of(
        cls, base_url: str, key: str, *, auth_header: str = DEFAULT_HEADER, ca: str = ""
    ) -> Access:
        """Check what the operator said.

        Args:
            base_url: `http(s)://host:port`, and a path where a proxy has the plugin below one.
            key: the API key.
            auth_header: the header that carries it.
            ca: a file with the certificate to trust; empty trusts those of the machine.

        Raises:
            Misconfigured: something of it cannot be used; all of it is in `faults`.
        """
        url = _address(base_url)
        faults = [] if url else [_BAD_ADDRESS]
        if not key or not _is_plain(key):
            faults.append(_BAD_KEY)
        if not auth_header or not _HEADER_LETTERS.issuperset(auth_header):
            faults.append(_BAD_HEADER)
        tls = _trust(ca, faults) if url and url.scheme == "https" else None
        if url is None or faults:
            raise Misconfigured(" ".join(faults), faults=faults)
        return cls(
            host=url.hostname or "",
            port=url.port or _PORTS[url.scheme],
            prefix=url.path.rstrip("/"),
            headers={auth_header: f"Bearer {key}"},
            tls=tls,
            pinned=bool(ca),
        )

    def __str__(self) -> str:
        """The address, which is no secret."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{self.prefix}"


def target(path: str) -> str:
    """A vault path as a URL's path: an encoded slash would not part names, so each is encoded."""
    return "/vault/" + "/".join(quote(name, safe="") for name in path.split("/"))


def _is_plain(text: str) -> bool:
    """Whether a text can stand in a request as it is, and be nothing else there."""
    return text.isascii() and text.isprintable() and " " not in text


def _address(base_url: str) -> SplitResult | None:
    """The parts of an address, if it is one."""
    try:
        url = urlsplit(base_url)
        host, _ = url.hostname or "", url.port
        host.encode("idna")
    except ValueError:
        return None
    surplus = url.query or url.fragment or url.username or url.password
    if url.scheme not in _PORTS or not host or surplus or not _is_plain(url.path):
        return None
    return url


def _trust(ca: str, faults: list[str]) -> ssl.SSLContext | None:
    try:
        context = ssl.create_default_context(cafile=ca or None)
    except (OSError, ValueError):
        faults.append(_BAD_CERTIFICATE)
        return None
    if ca:
        # What is pinned is trusted as it is, though it be no root, and not made to the letter.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
