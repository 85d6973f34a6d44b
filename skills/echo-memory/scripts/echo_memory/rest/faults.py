"""Faults: why an exchange with the Local REST API failed, and what the operator can do about it."""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import suppress

from echo_memory.errors import EchoError, Misconfigured, VaultUnreachable
from echo_memory.rest.access import Access

_ASK_S = 3.0
_TLS_RECORDS = (b"\x16", b"\x15")  # a handshake, an alert

_OTHER_NAME = {62, 64}  # OpenSSL's numbers for another host name, another address
_OTHER_TIME = {9, 10}  # not valid yet, not valid any more


class Unanswered(VaultUnreachable):
    """A request was sent and its answer did not come, so it may have been handled.

    `late` is true when the connection still stood: then it may yet be handled.
    """

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


def no_connection(error: OSError, access: Access) -> EchoError:
    """What it means that no connection came about."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(error.verify_code, pinned=access.pinned)
    if isinstance(error, TimeoutError):
        return _away(
            "The vault's machine does not answer. Check that it is on and reachable, and that"
            " ECHO_BASE is right."
        )
    if isinstance(error, socket.gaierror):
        return _away(
            "The host name in ECHO_BASE was not found. Check its spelling and the network."
        )
    if isinstance(error, ConnectionRefusedError):
        return _away(
            "Nothing listens at ECHO_BASE. Start Obsidian, check that the Local REST API plugin"
            " is on, and that the port is right: 27124 with https, 27123 with http."
        )
    if access.tls and _speaks_http(access):
        return Misconfigured(
            "ECHO_BASE says https, but its port speaks http. Write http://, or use the port of"
            " the plugin's encrypted server, 27124 unless it was changed."
        )
    return _away(f"The vault cannot be reached: {_reason(error)}. Check the network and try again.")


def no_answer(error: Exception, access: Access, *, fresh: bool) -> EchoError:
    """What it means that a connection gave no answer, or none that can be read.

    Args:
        error: what happened on it.
        access: whom it goes to.
        fresh: whether it was opened for this request.
    """
    if isinstance(error, TimeoutError):
        return Unanswered(
            "The vault did not answer in time. Check whether Obsidian hangs, or raise"
            " ECHO_TIMEOUT.",
            late=True,
        )
    if fresh and not access.tls and _speaks_tls(access):
        return Misconfigured(
            "ECHO_BASE says http, but its port speaks https. Write https://, and set ECHO_CA to"
            " the plugin's certificate."
        )
    return Unanswered(
        "The vault's answer broke off or is no HTTP. Check that Obsidian runs, and try again."
    )


def _away(message: str) -> VaultUnreachable:
    """Nobody took the request, so nothing of it was done."""
    return VaultUnreachable(message, in_doubt=False)


def _certificate(code: int, *, pinned: bool) -> Misconfigured:
    if code in _OTHER_NAME:
        return Misconfigured(
            "The vault's certificate is for another name than the host in ECHO_BASE. The plugin's"
            " own certificate is for 127.0.0.1: write that, or add the name in its settings."
        )
    if code in _OTHER_TIME:
        return Misconfigured(
            "The vault's certificate is not valid at this time. Make a new one in the plugin's"
            " settings and set ECHO_CA to it, or set the clock."
        )
    if pinned:
        return Misconfigured(
            "The vault's certificate is not the one in ECHO_CA. If the plugin made a new one,"
            " download it again from /obsidian-local-rest-api.crt; if not, somebody else answers."
        )
    return Misconfigured(
        "The vault's certificate is not trusted. Download the plugin's own one from"
        " /obsidian-local-rest-api.crt and set ECHO_CA to that file."
    )


def _speaks_http(access: Access) -> bool:
    """Whether a port answers in plain HTTP; nothing is sent there that is not public."""
    try:
        with _plain_connection(access) as plain:
            plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return plain.recv(5) == b"HTTP/"
    except OSError:
        return False


def _speaks_tls(access: Access) -> bool:
    """Whether a port answers a TLS greeting; nothing else is sent, so nobody need be trusted."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    hello = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(
        incoming, outgoing, server_hostname=access.host
    )
    with suppress(ssl.SSLWantReadError):
        hello.do_handshake()
    try:
        with _plain_connection(access) as plain:
            plain.sendall(outgoing.read())
            return plain.recv(1) in _TLS_RECORDS
    except OSError:
        return False


def _plain_connection(access: Access) -> socket.socket:
    return socket.create_connection((access.host, access.port), timeout=_ASK_S)


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError) or not error.errno:
        return "the encrypted connection failed"
    return os.strerror(error.errno)
