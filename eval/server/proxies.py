"""The README's reverse proxies, real ones on loopback: with other ports and a certificate."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from homes import free_port
from olrapi import certificates
from server import process

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
NAME = "notes.example.org"
CLIENT = "127.0.0.2"
UPSTREAM = "127.0.0.1:8765"

# nginx without the paths and the users of a distribution.
_NGINX = """
daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log stderr warn;
events {{ }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy;
    fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    {http}
    {server}
}}
"""
# What nginx proxy manager makes of a proxy host: generous with bodies, and the name passed on.
_MANAGED = """
server {{
    set $forward_scheme http;
    set $server "127.0.0.1";
    set $port 8765;
    listen 443 ssl;
    server_name {name};
    ssl_certificate     /etc/ssl/{name}.pem;
    ssl_certificate_key /etc/ssl/{name}.key;
    proxy_set_header Upgrade $http_upgrade;
    proxy_http_version 1.1;
    {advanced}
    location / {{
        add_header X-Served-By $host;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-Scheme $scheme;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Real-IP $remote_addr;
        proxy_pass $forward_scheme://$server:$port$request_uri;
    }}
}}
"""


def snippet(language: str) -> str:
    """The one block of the README in a language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return str(block)


@dataclass(frozen=True)
class Front:
    """A proxy that runs, as a client on the internet sees it."""

    port: int
    certificate: Path

    def client(self, **headers: str) -> httpx.Client:
        """A client, with another address than the proxy, that checks the name's certificate."""
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        return httpx.Client(
            base_url=f"https://{NAME}:{self.port}",
            headers={"Host": NAME, **headers},
            transport=_ToLoopback(verify=trusted, trust_env=False, local_address=CLIENT),
            timeout=process.PATIENCE_S,
        )


class _ToLoopback(httpx.HTTPTransport):
    """Finds every name on this machine, as a hosts file would say."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it."""
        request.extensions["sni_hostname"] = NAME
        request.url = request.url.copy_with(host="127.0.0.1")
        return super().handle_request(request)


def _nginx(folder: Path, port: int, upstream: str, certificate: tuple[Path, Path]) -> list[str]:
    return _run_nginx(folder, port, upstream, certificate, snippet("nginx"))


def _manager(folder: Path, port: int, upstream: str, certificate: tuple[Path, Path]) -> list[str]:
    advanced = re.search(
        r"client_max_body_size.*?proxy_read_timeout[^\n]*", snippet("nginx"), re.DOTALL
    )
    assert advanced
    server = _MANAGED.format(name=NAME, advanced=advanced[0])
    return _run_nginx(
        folder, port, upstream, certificate, server, http="client_max_body_size 2000m;"
    )


def _run_nginx(
    folder: Path,
    port: int,
    upstream: str,
    certificate: tuple[Path, Path],
    server: str,
    http: str = "",
) -> list[str]:
    here = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        f"/etc/ssl/{NAME}.pem": str(certificate[0]),
        f"/etc/ssl/{NAME}.key": str(certificate[1]),
    }
    managed = {"set $port 8765;": f"set $port {upstream.rpartition(':')[2]};"}
    here |= managed if "$port" in server else {UPSTREAM: upstream}
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(http=http, server=_moved(server, here)), encoding="utf-8")
    return [NGINX, "-p", str(folder), "-e", "stderr", "-c", str(config)]


def _caddy(folder: Path, port: int, upstream: str, certificate: tuple[Path, Path]) -> list[str]:
    own = f"bind 127.0.0.1\n\ttls {certificate[0]} {certificate[1]}"
    site = _moved(
        snippet("caddy"), {f"{NAME} {{": f"{NAME}:{port} {{\n\t{own}", UPSTREAM: upstream}
    )
    config = folder / "Caddyfile"
    config.write_text(
        f"{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{site}", encoding="utf-8"
    )
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]


def _moved(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# Debian puts nginx where only root looks.
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or ""
KINDS: dict[str, Callable[..., list[str]]] = {
    "nginx": _nginx,
    "nginx proxy manager": _manager,
    "caddy": _caddy,
}


def is_installed(kind: str) -> bool:
    """Whether there is the program for it."""
    return bool(shutil.which("caddy") if kind == "caddy" else NGINX)


@contextmanager
def in_front_of(upstream: str, kind: str, folder: Path) -> Iterator[Front]:
    """A proxy in front of a server, for as long as the context lasts.

    Args:
        upstream: host and port of the server.
        kind: one of `KINDS`.
        folder: a new one.
    """
    folder.mkdir()
    certificate = certificates.make(folder / "tls", name=f"DNS:{NAME}")
    port = free_port()
    words = KINDS[kind](folder, port, upstream, certificate)
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            words, env=process.environment(folder), stdout=log, stderr=log, cwd=folder
        )
    try:
        process.until(lambda: running.poll() is not None or _listens(port))
        assert running.poll() is None, (folder / "log").read_text("utf-8")
        yield Front(port, certificate[0])
    finally:
        running.terminate()
        running.wait(process.PATIENCE_S)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
