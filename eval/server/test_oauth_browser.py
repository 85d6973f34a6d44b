"""The consent page in a real browser: read narrow and wide, and driven from asking to coming back.

Chromium is spoken to by chromedriver over plain HTTP (the WebDriver protocol). Where they are not
installed, this is skipped. With ECHO_EVAL_PICTURES set to a folder, the pages are put there.
"""

from __future__ import annotations

import base64
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from echo_mcp.app import create_app
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from server.process import PATIENCE_S, until
from server.signing_in import Visitor, listening

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER = "\ue007"

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium is not installed")


@dataclass
class Browser:
    """One window."""

    session: httpx.Client

    def say(self, method: str, command: str, **body: Any) -> Any:
        response = self.session.request(method, command, json=body if method == "POST" else None)
        value = response.json()["value"]
        assert response.status_code == 200, value
        return value

    def open(self, url: str) -> None:
        self.say("POST", "url", url=url)

    @property
    def url(self) -> str:
        return str(self.say("GET", "url"))

    def find(self, selector: str) -> str:
        found = self.say("POST", "element", using="css selector", value=selector)
        return str(found[ELEMENT])

    def shows(self, words: str) -> bool:
        """Whether they are on the page; while one page gives way to another, nothing is."""
        body = {"script": "return document.body.innerText", "args": []}
        response = self.session.post("execute/sync", json=body)
        return response.status_code == 200 and words in response.json()["value"]

    def text(self, selector: str) -> str:
        return str(self.say("GET", f"element/{self.find(selector)}/text"))

    def write(self, selector: str, text: str) -> None:
        self.say("POST", f"element/{self.find(selector)}/value", text=text)

    def press(self, selector: str) -> None:
        self.say("POST", f"element/{self.find(selector)}/click")

    def run(self, script: str) -> Any:
        return self.say("POST", "execute/sync", script=f"return {script}", args=[])

    def resize(self, width: int, height: int) -> None:
        self.say("POST", "window/rect", width=width, height=height)

    def picture(self, name: str) -> None:
        data = base64.b64decode(self.say("GET", "screenshot"))
        assert data.startswith(b"\x89PNG")
        if folder := os.environ.get("ECHO_EVAL_PICTURES"):
            Path(folder, f"{name}.png").write_bytes(data)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    driver = subprocess.Popen(
        [str(DRIVER), f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(tmp_path)},
        start_new_session=True,
    )
    arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    options = {"binary": str(CHROMIUM), "args": [*arguments, "--hide-scrollbars"]}
    wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
    base = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _is_up(port))
        answer = httpx.post(f"{base}/session", json={"capabilities": wanted}, timeout=PATIENCE_S)
        session = f"{base}/session/{answer.json()['value']['sessionId']}"
        with httpx.Client(base_url=session, timeout=PATIENCE_S) as client:
            yield Browser(client)
    finally:
        # Chromium is in its group: without the driver it would go on for ever.
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait(PATIENCE_S)


@pytest.fixture
def site(settings: Settings, memory: Memory) -> Iterator[Visitor]:
    with (
        listening(create_app(replace(settings, oauth=True), memory)) as url,
        httpx.Client(base_url=url) as http,
    ):
        yield Visitor(http, url, settings.token)


@pytest.fixture
def came_back() -> Iterator[str]:
    """Where a client on this machine waits for the browser."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        waiting = Thread(target=_welcome, args=(server,), daemon=True)
        waiting.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/callback"


def test_the_page_is_driven_from_asking_to_coming_back(
    browser: Browser, site: Visitor, came_back: str
) -> None:
    client = site.register(came_back)
    browser.open(_asking(site, client, came_back))
    assert "asks for your memory" in browser.text("h1")
    assert browser.run("scrollY") == 0  # what it says comes before the field

    browser.write("#token", f"not-the-token{ENTER}")
    until(lambda: browser.shows("not the server’s token"))
    assert site.base in browser.url
    browser.write("#token", site.token)
    browser.press("button.first")
    until(lambda: browser.url.startswith(came_back))

    said = {name: value for name, [value] in parse_qs(urlsplit(browser.url).query).items()}
    assert (said["state"], said["iss"]) == ("xyz", site.base)
    tokens = site.exchange(client, said["code"], redirect_uri=came_back).json()
    assert site.call(tokens["access_token"]) == 200


def test_denying_needs_no_token(browser: Browser, site: Visitor, came_back: str) -> None:
    browser.open(_asking(site, site.register(came_back), came_back))
    browser.press("button[value=deny]")
    until(lambda: browser.url.startswith(came_back))

    assert "error=access_denied" in browser.url


@pytest.mark.parametrize(("name", "width", "height"), [("narrow", 360, 780), ("wide", 1280, 800)])
def test_the_page_is_readable_and_all_of_it_fits_its_width(
    browser: Browser, site: Visitor, name: str, width: int, height: int
) -> None:
    uri = f"https://{'a-very-long-name.' * 4}example.org/{'path/' * 20}"
    browser.resize(width, height)
    browser.open(_asking(site, site.register(uri, name="An Assistant With A Long Name"), uri))
    browser.picture(f"consent-{name}")
    font = "parseFloat(getComputedStyle(document.querySelector('%s')).fontSize)"

    assert browser.run("document.documentElement.scrollWidth <= window.innerWidth") is True
    assert browser.run("document.querySelector('main').clientWidth") <= 560
    assert browser.run(font % "p") >= 16
    assert browser.run(font % ".small") >= 14
    assert browser.run("document.querySelector('button.first').offsetHeight") >= 40
    color = "getComputedStyle(document.querySelector('button.first')).backgroundColor"
    assert browser.run(color) != "rgba(0, 0, 0, 0)"  # the policy lets the style in
    browser.write("#token", f"wrong{ENTER}")
    until(lambda: browser.shows("not the server’s token"))
    browser.picture(f"consent-{name}-wrong")
    browser.open(f"{site.base}/authorize?client_id=unknown")
    browser.picture(f"consent-{name}-fault")
    assert browser.text("h1") == "This sign-in cannot go on"


def _asking(site: Visitor, client: str, redirect_uri: str) -> str:
    asked = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": redirect_uri,
        "code_challenge": site.challenge,
        "code_challenge_method": "S256",
        "state": "xyz",
        "resource": site.resource,
    }
    return f"{site.base}/authorize?{urlencode(asked)}"


def _is_up(port: int) -> bool:
    with suppress(httpx.TransportError):
        return bool(httpx.get(f"http://127.0.0.1:{port}/status").json()["value"]["ready"])
    return False


def _welcome(server: socket.socket) -> None:
    """Answer everybody, until the server is closed."""
    body = b"You can close this page."
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(head + body)
