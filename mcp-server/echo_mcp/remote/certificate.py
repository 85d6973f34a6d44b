"""The certificate: whether a client trusts the deployment, and for how long."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import SplitResult

import httpx

from echo_mcp import loopback
from echo_memory.ops.health import Check

SOON = timedelta(days=14)

_WITHIN_S = 5.0
_HTTPS = 443
# OpenSSL's numbers for what is wrong with a certificate, see its X509_STORE_CTX_get_error.
_FIXES = {
    10: "Renew it, and see why that did not happen by itself.",
    18: "It signed itself: have the proxy use one of a public authority, such as Let's Encrypt.",
    19: "Its authority is not public: use one of a public authority, such as Let's Encrypt.",
    20: "Have the proxy send the whole chain (fullchain.pem, not cert.pem); one of an own authority"
    " is not trusted by hosted clients.",
    62: "Have the proxy use the certificate of this name, or register under the certificate's.",
}
_FIXES[64] = _FIXES[62]  # the same of an address
_OTHER = "Have the proxy use a certificate of a public authority for this name."


def checks(at: SplitResult, now: datetime) -> Iterator[Check]:
    """Whether the connection is encrypted and trusted, and whether it still will be soon."""
    if at.scheme == "https":
        yield _trusted(at, now)
    elif at.hostname in loopback.NAMES:
        yield Check("tls", ok=True, detail="not encrypted, on this machine only")
    else:
        yield Check(
            "tls",
            ok=False,
            detail="not encrypted: the token can be read on its way",
            fix="Put a reverse proxy with TLS in front, and use https:// everywhere.",
        )


def _trusted(at: SplitResult, now: datetime) -> Check:
    host = at.hostname or ""
    try:
        with (
            socket.create_connection((host, at.port or _HTTPS), timeout=_WITHIN_S) as raw,
            httpx.create_ssl_context().wrap_socket(raw, server_hostname=host) as opened,
        ):
            shown = opened.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        fix, said = _FIXES.get(error.verify_code, _OTHER), error.verify_message.rstrip(".")
        return Check("tls", ok=False, detail=f"not trusted: {said}", fix=fix)
    except ssl.SSLError:
        return Check(
            "tls",
            ok=False,
            detail="what answers there speaks no TLS, or none that is still in use",
            fix="Check the port, and that the proxy has TLS 1.2 or newer on it.",
        )
    except OSError as error:
        return Check(
            "tls",
            ok=False,
            detail=f"no connection: {error.strerror or type(error).__name__}",
            fix="Check the name in DNS, the forwarded port, the firewall, and that the proxy runs.",
        )
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notAfter"])), UTC)
    detail = f"trusted until {ends:%Y-%m-%d}"
    if ends - now > SOON:
        return Check("tls", ok=True, detail=detail)
    return Check("tls", ok=False, detail=detail, fix="Renew it now: its renewal seems to fail.")
