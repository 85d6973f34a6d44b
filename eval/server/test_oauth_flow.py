"""The whole sign-in, by the official SDK's client, against a server that listens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from echo_mcp.app import create_app
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from server.signing_in import CLAUDE_CODE, listening


@dataclass
class Person:
    """The SDK's store and browser: opens the page, pastes the token, follows where it leads."""

    token: str
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    asked: list[str] = field(default_factory=list)
    came_back: str = ""

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info

    async def open(self, url: str) -> None:
        self.asked.append(url)
        async with httpx.AsyncClient() as browser:
            page = await browser.get(url)
            found = re.search(r'name="request" value="([^"]+)"', page.text)
            assert found, page.text
            form = {"request": unescape(found[1]), "token": self.token, "answer": "allow"}
            answer = await browser.post(url.partition("?")[0], data=form)
        self.came_back = answer.headers["location"]

    async def back(self) -> AuthorizationCodeResult:
        said = parse_qs(urlsplit(self.came_back).query)
        return AuthorizationCodeResult(
            code=said["code"][0], state=said["state"][0], iss=said["iss"][0]
        )

    def provider(self, url: str, *, document: str | None = None) -> OAuthClientProvider:
        port = "" if document is None else ":43210"
        metadata = OAuthClientMetadata(
            client_name="The SDK", redirect_uris=[AnyUrl(f"http://localhost{port}/callback")]
        )
        return OAuthClientProvider(
            url, metadata, self, self.open, self.back, client_metadata_url=document
        )


@pytest.fixture
def url(settings: Settings, memory: Memory) -> Iterator[str]:
    with listening(create_app(replace(settings, oauth=True), memory)) as base:
        yield f"{base}/mcp"


def _tools(url: str, provider: OAuthClientProvider) -> list[str]:
    async def list_tools() -> list[str]:
        async with (
            httpx2.AsyncClient(auth=provider, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    return anyio.run(list_tools)


@pytest.mark.parametrize("spelling", ["", "/"])
def test_a_client_that_knows_only_the_url_signs_in_and_calls(
    url: str, settings: Settings, spelling: str
) -> None:
    person = Person(settings.token)
    tools = _tools(url + spelling, person.provider(url + spelling))

    assert "echo_recall" in tools
    assert len(person.asked) == 1
    assert person.tokens is not None
    assert settings.token not in person.tokens.model_dump_json()


def test_claude_code_signs_in_by_its_document_without_registering(
    url: str, settings: Settings
) -> None:
    person = Person(settings.token)
    tools = _tools(url, person.provider(url, document=CLAUDE_CODE))

    assert "echo_recall" in tools
    assert person.client is not None
    assert person.client.client_id == CLAUDE_CODE


def test_a_client_comes_back_with_its_tokens_and_nobody_is_asked_again(
    url: str, settings: Settings
) -> None:
    person = Person(settings.token)
    _tools(url, person.provider(url))
    tools = _tools(url, person.provider(url))

    assert "echo_recall" in tools
    assert len(person.asked) == 1


def test_a_client_whose_access_token_expired_is_asked_again_only_if_it_cannot_refresh(
    url: str, settings: Settings, memory: Memory
) -> None:
    person = Person(settings.token)
    _tools(url, person.provider(url))
    before = person.tokens
    assert before is not None
    later = memory.clock() + timedelta(hours=2)
    _at(memory, later)
    provider = person.provider(url)
    provider.context.token_expiry_time = 1.0

    tools = _tools(url, provider)

    assert "echo_recall" in tools
    assert len(person.asked) == 1
    assert person.tokens is not None
    assert person.tokens.refresh_token != before.refresh_token


def _at(memory: Memory, instant: datetime) -> None:
    memory.clock = lambda: instant
