"""A vault that cannot be had: each reason has a message of its own that says what to do."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from echo_mcp.__main__ import main
from echo_memory import cli
from olrapi import certificates
from olrapi.standin import StandIn
from tools import TOKEN
from vaults import KEY


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """Whoever starts a server here has the log of this process for a while."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


class Elsewhere(BaseHTTPRequestHandler):
    """A service that is none of Obsidian's."""

    def do_GET(self) -> None:
        body = b"<html>A printer</html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def wrong_key(folder: Path) -> Iterator[dict[str, str]]:
    with StandIn(folder, KEY) as plugin:
        yield {"ECHO_BASE": plugin.url, "ECHO_KEY": "another-key"}


@contextmanager
def another_service(folder: Path) -> Iterator[dict[str, str]]:
    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever).start()
        yield {"ECHO_BASE": f"http://127.0.0.1:{server.server_port}"}
        server.shutdown()


@contextmanager
def http_to_https(folder: Path) -> Iterator[dict[str, str]]:
    certificate = certificates.make(folder.with_name("certificate"))
    with StandIn(folder, KEY, tls=certificate) as plugin:
        yield {"ECHO_BASE": plugin.url.replace("https:", "http:")}


@contextmanager
def https_to_http(folder: Path) -> Iterator[dict[str, str]]:
    with StandIn(folder, KEY) as plugin:
        yield {"ECHO_BASE": plugin.url.replace("http:", "https:")}


@contextmanager
def another_certificate(folder: Path) -> Iterator[dict[str, str]]:
    certificate = certificates.make(folder.with_name("certificate"))
    other, _ = certificates.make(folder.with_name("other"))
    with StandIn(folder, KEY, tls=certificate) as plugin:
        yield {"ECHO_BASE": plugin.url, "ECHO_CA": str(other)}


@contextmanager
def too_old(folder: Path) -> Iterator[dict[str, str]]:
    with StandIn(folder, KEY, version="1.5.2") as plugin:
        yield {"ECHO_BASE": plugin.url}


REASONS = [
    (wrong_key, "refuses the key", "into ECHO_KEY"),
    (another_service, "is not Obsidian's Local REST API", "Check its host and port"),
    (http_to_https, "says http, but its port speaks https", "Write https://"),
    (https_to_http, "says https, but its port speaks http", "Write http://"),
    (another_certificate, "is not the one in ECHO_CA", "download it again"),
    (too_old, "is of version 1.5,", "Update it"),
]


@pytest.mark.parametrize(("reason", "what", "way_out"), REASONS)
def test_a_server_does_not_start_and_says_what_to_do(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    reason: object,
    what: str,
    way_out: str,
) -> None:
    (tmp_path / "vault").mkdir()
    with reason(tmp_path / "vault") as said:  # type: ignore[operator]
        env = {"ECHO_KEY": KEY, "ECHO_MCP_TOKEN": TOKEN, "ECHO_STATE_DIR": str(tmp_path / "state")}

        status = main(["serve", "--port", "0"], env | said)

    told = capsys.readouterr().err
    assert status == 78
    assert what in told
    assert way_out in told
    assert KEY not in told


@pytest.mark.parametrize(("reason", "what", "way_out"), REASONS)
def test_doctor_says_the_same(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    reason: object,
    what: str,
    way_out: str,
) -> None:
    (tmp_path / "vault").mkdir()
    with reason(tmp_path / "vault") as said:  # type: ignore[operator]
        env = {"ECHO_KEY": KEY, "ECHO_STATE_DIR": str(tmp_path / "state")}
        for name, value in (env | said).items():
            monkeypatch.setenv(name, value)

        cli.main(["doctor"])

    told = capsys.readouterr().out
    assert what in told
    assert way_out in told
