"""Access: where the Local REST API is, whom to trust there, and the key that it asks for."""

from __future__ import annotations

import ssl
import string
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from echo_memory.errors import Misconfigured

_HEADER_LETTERS = frozenset(string.ascii_letters + string.digits + "!#$%&'*+-.^_`|~")
_PORTS = {"http": 80, "https": 443}


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
    def of(cls, base_url: str, key: str, *, auth_header: str, ca: str | None) -> Access:
        """Check what the operator said.

        Args:
            base_url: `http(s)://host:port`, and a path where a proxy has the plugin below one.
            key: the API key.
            auth_header: the header that carries it.
            ca: a file with the certificate to trust; None trusts those of the machine.

        Raises:
            Misconfigured: something of it cannot be used.
        """
        try:
            url = urlsplit(base_url)
            host, port = url.hostname or "", url.port
            host.encode("idna")
        except ValueError as error:
            raise _bad_address() from error
        surplus = url.query or url.fragment or url.username or url.password
        if url.scheme not in _PORTS or not host or surplus or not _is_plain(url.path):
            raise _bad_address()
        return cls(
            host=host,
            port=port or _PORTS[url.scheme],
            prefix=url.path.rstrip("/"),
            headers=_key_header(auth_header, key),
            tls=_trust(ca) if url.scheme == "https" else None,
            pinned=ca is not None,
        )


def target(path: str) -> str:
    """A vault path as a URL's path: an encoded slash would not part names, so each is encoded."""
    return "/vault/" + "/".join(quote(name, safe="") for name in path.split("/"))


def _is_plain(text: str) -> bool:
    """Whether a text can stand in a request as it is, and be nothing else there."""
    return text.isascii() and text.isprintable() and " " not in text


def _key_header(name: str, key: str) -> dict[str, str]:
    if not name or not _HEADER_LETTERS.issuperset(name):
        raise Misconfigured(
            "ECHO_AUTH_HEADER is not a header's name. Leave it out, or copy it from the settings"
            " of the Local REST API plugin."
        )
    if not key or not _is_plain(key):
        raise Misconfigured(
            "ECHO_KEY is missing or not a key. Copy it from Obsidian's settings of the Local REST"
            " API plugin."
        )
    return {name: f"Bearer {key}"}


def _trust(ca: str | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca)
    except (OSError, ValueError) as error:
        raise Misconfigured(
            "ECHO_CA is not a file with a certificate. Download the plugin's own one from"
            " /obsidian-local-rest-api.crt, and give its whole path."
        ) from error
    if ca is not None:
        # What is pinned is trusted as it is, though it be no root, and not made to the letter.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _bad_address() -> Misconfigured:
    return Misconfigured(
        "ECHO_BASE is not a vault's address. Write it like https://127.0.0.1:27124."
    )
