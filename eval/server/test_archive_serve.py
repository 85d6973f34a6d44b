"""`echo-mcp archive serve`: stdio and HTTP as processes of their own, and whom they talk to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp_types import CallToolResult

from archives import ADA, ME, message, put
from echo_archive.embedding import Endpoint
from echo_archive.filling import fill
from echo_mcp.__main__ import main
from echo_mcp.archive.settings import ArchiveSettings
from echo_memory.errors import Misconfigured
from embedding_server import embedding
from server import process
from server.pipes import HELLO, answers, call, request

SEVEN = [
    "list_conversations",
    "get_conversation",
    "search_messages",
    "semantic_search",
    "get_context",
    "list_media",
    "list_links",
]
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
# Python runs a module of this name at its start; this one writes down every address talked to.
GUARD = """
import os, sys
def note(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.bind"):
        with open(os.environ["TALKED"], "a") as file:
            file.write(f"{event} {args[-1] if event == 'socket.connect' else args}\\n")
sys.addaudithook(note)
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    rows = [
        message(1, "the tide is in, the sea is wide", sender=ADA),
        message(2, "food at nine", sender=ME),
        message(3, "back to work", sender=ADA),
    ]
    path = tmp_path / "archive" / "messages.db"
    path.parent.mkdir()
    put(path, rows)
    return path


def test_the_official_client_searches_over_stdio(tmp_path: Path, database: Path) -> None:
    program, *words = process.command("archive", "serve", "--archive", str(database))
    server = StdioServerParameters(command=program, args=words, env=process.environment(tmp_path))

    async def session() -> tuple[list[str], CallToolResult]:
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                return names, await client.call_tool("search_messages", {"query": "tide"})

    names, found = anyio.run(session)

    assert names == SEVEN
    assert found.structured_content is not None
    assert found.structured_content["hits"][0]["sender"] == "Ada Fenn"
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "call tool=search_messages" in log
    assert "tide" not in log


def test_stdout_holds_json_rpc_only_whatever_is_provoked(tmp_path: Path, database: Path) -> None:
    lines = [
        *HELLO,
        "this is no JSON",
        call(1, "search_messages", query="half \ud83d"),
        call(2, "search_messages", query="sea", limit=10**30),
        call(3, "echo_recall", query="sea"),
        call(4, "semantic_search", query="sea"),
        request(5, "no/such/method"),
        call(6, "get_context", message_id="\ud83d"),
    ]
    words = ["archive", "serve", "--archive", str(database)]

    came = answers(tmp_path, words, lines, PYTHONWARNINGS="always")

    assert {answer.get("id") for answer in came} == set(range(7))
    assert all(came[number]["result"]["isError"] for number in (2, 3, 4, 6))


def test_words_open_no_connection_and_meaning_only_that_of_the_question(
    tmp_path: Path, database: Path
) -> None:
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard/sitecustomize.py").write_text(GUARD, encoding="utf-8")
    with embedding() as asked:
        fill(database, Endpoint(model="topics", url=asked.url), lambda _: None)
        asked.requests.clear()
        said = process.environment(
            tmp_path,
            TALKED=str(tmp_path / "talked"),
            ECHO_EMBED_URL=asked.url,
            ECHO_EMBED_KEY="a-secret",
        )
        said["PYTHONPATH"] += f":{tmp_path / 'guard'}"
        words = ["archive", "serve", "--archive", str(database)]
        by_words = [
            *HELLO,
            call(1, "search_messages", query="sea"),
            call(2, "list_conversations"),
            call(3, "get_conversation", conversation="Ada Fenn"),
            call(4, "list_links"),
            call(5, "semantic_search", query="sea"),
        ]

        answers(tmp_path, words, by_words, **said)
        alone = (tmp_path / "talked").exists()
        came = answers(
            tmp_path,
            words,
            [*HELLO, call(1, "semantic_search", query="the sea", k=1)],
            **said,
            ECHO_EMBED_MODEL="topics",
        )

    assert not alone
    assert asked.texts == ["the sea"]
    assert asked.requests[0]["authorization"] == "Bearer a-secret"
    (hit,) = came[1]["result"]["structuredContent"]["hits"]
    assert hit.keys() >= {"message_id", "hash", "conversation_id", "source", "timestamp", "zone"}
    assert (hit["text"], hit["similarity"] > 0.9) == ("the tide is in, the sea is wide", True)
    talked = (tmp_path / "talked").read_text(encoding="utf-8").splitlines()
    port = asked.url.split(":")[2].partition("/")[0]
    assert [line for line in talked if line.startswith("socket.connect")] == [
        f"socket.connect ('127.0.0.1', {port})"
    ]
    assert not [line for line in talked if "127.0.0.1" not in line]


def test_over_http_the_token_the_host_and_the_origin_are_checked(
    tmp_path: Path, database: Path
) -> None:
    words = ["archive", "serve", "--http", "--listen", "127.0.0.1:0", "--archive", str(database)]
    before = database.read_bytes()
    with process.listening(tmp_path, *words) as server:
        token_file = tmp_path / ".local/state/echo-mcp/token"
        token = token_file.read_text(encoding="utf-8").strip()
        answered = {
            "named": _post(server.url, token, PING).status_code,
            "no token": _post(server.url, "", PING).status_code,
            "another host": _post(server.url, token, PING, Host="evil.example").status_code,
            "a page": _post(server.url, token, PING, Origin="https://evil.example").status_code,
        }
        health = httpx.get(server.url.replace("/mcp", "/health")).json()
        listed = _post(server.url, token, LIST).json()["result"]["tools"]
        found = _post(server.url, token, json.loads(call(2, "search_messages", query="tide")))

    assert answered == {"named": 200, "no token": 401, "another host": 421, "a page": 403}
    assert [tool["name"] for tool in listed] == SEVEN
    assert found.json()["result"]["structuredContent"]["count"] == 1
    assert (health["ok"], health["archive_messages"]) == (True, 3)
    assert any("claude mcp add --transport http messages" in line for line in server.lines)
    assert token not in "".join(server.lines)
    assert oct(token_file.stat().st_mode)[-3:] == "600"
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir() if path.suffix == ".db"] == [
        database.name
    ]


def test_the_official_client_searches_over_http(tmp_path: Path, database: Path) -> None:
    token = "a-token-that-is-long-enough-for-anyone"
    words = ["archive", "serve", "--http", "--listen", "0", "--archive", str(database)]

    async def session(url: str) -> tuple[list[str], CallToolResult]:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            create_mcp_http_client(headers=headers) as carrier,
            Client(streamable_http_client(url, http_client=carrier)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            arguments = {"conversation": "Ada Fenn", "page": "oldest", "limit": 1}
            return names, await client.call_tool("get_conversation", arguments)

    with process.listening(tmp_path, *words, ECHO_MCP_TOKEN=token) as server:
        names, page = anyio.run(session, server.url)

    assert names == SEVEN
    assert page.structured_content is not None
    assert page.structured_content["messages"][0]["text"] == "the tide is in, the sea is wide"
    assert page.structured_content["next_cursor"]


def _post(url: str, token: str, body: dict[str, Any], **headers: str) -> httpx.Response:
    common = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }
    return httpx.post(url, json=body, headers=common | headers)


def test_http_is_on_the_loopback_and_8788_unless_told_otherwise() -> None:
    settings = ArchiveSettings.from_env({})

    assert (settings.host, settings.port) == ("127.0.0.1", 8788)


def test_a_model_makes_an_endpoint_and_its_key_is_in_no_word_about_it() -> None:
    said = {"ECHO_EMBED_MODEL": "small", "ECHO_EMBED_KEY": "a-secret", "ECHO_STATE_DIR": "/srv"}
    settings = ArchiveSettings.from_env(said)

    assert settings.place.path == Path("/srv/archive.db")
    assert settings.place.endpoint == Endpoint("small", "http://127.0.0.1:11434/v1", "a-secret")
    assert "a-secret" not in repr(settings)
    assert ArchiveSettings.from_env({"ECHO_EMBED_KEY": "a-secret"}).place.endpoint is None


def test_a_model_gets_its_prefixes_and_its_weight_as_they_are_written() -> None:
    said = {
        "ECHO_EMBED_MODEL": "small",
        "ECHO_EMBED_QUERY_PREFIX": "search_query: ",
        "ECHO_EMBED_DOCUMENT_PREFIX": "search_document: ",
        "ECHO_EMBED_WEIGHT": "0.3",
    }
    endpoint = ArchiveSettings.from_env(said).place.endpoint

    assert endpoint == Endpoint(
        "small", query_prefix="search_query: ", document_prefix="search_document: ", weight=0.3
    )
    with pytest.raises(Misconfigured, match="ECHO_EMBED_WEIGHT"):
        ArchiveSettings.from_env({**said, "ECHO_EMBED_WEIGHT": "0"})


@pytest.mark.parametrize(
    ("listen", "address"),
    [
        ("127.0.0.1:9000", ("127.0.0.1", 9000)),
        ("9000", ("127.0.0.1", 9000)),
        (":9000", ("127.0.0.1", 9000)),
        ("0.0.0.0", ("0.0.0.0", 8788)),
        ("notes.example:80", ("notes.example", 80)),
        ("[::1]:9000", ("::1", 9000)),
        ("[::1]", ("::1", 8788)),
    ],
)
def test_listen_takes_a_host_a_port_or_both(listen: str, address: tuple[str, int]) -> None:
    settings = ArchiveSettings.from_env({}, listen=listen)

    assert (settings.host, settings.port) == address


@pytest.mark.parametrize("listen", ["127.0.0.1:x", "127.0.0.1:70000", "::1", "::1:90"])
def test_a_listen_that_is_no_address_is_told(listen: str) -> None:
    with pytest.raises(Misconfigured, match="--listen is not an address"):
        ArchiveSettings.from_env({}, listen=listen)


def test_everything_that_is_wrong_is_told_at_once_and_no_secret(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = {
        "ECHO_ARCHIVE": "/",
        "ECHO_MCP_TOKEN": "short-secret",
        "ECHO_EMBED_URL": "ftp://model",
        "ECHO_EMBED_KEY": "another-secret",
        "ECHO_LOG": "xml",
    }
    status = main(["archive", "serve", "--http"], said)

    err = capsys.readouterr().err
    assert status == 78
    for name in ("ECHO_ARCHIVE", "ECHO_MCP_TOKEN", "ECHO_EMBED_URL", "ECHO_LOG"):
        assert name in err
    assert "short-secret" not in err
    assert "another-secret" not in err


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ([], 78, "echo-mcp archive import PATH"),
        (["--http"], 78, "echo-mcp archive import PATH"),
        (["--listen", "9000"], 64, "--http"),
    ],
)
def test_what_cannot_be_served_is_told_with_what_to_do(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    says: str,
) -> None:
    ended = main(["archive", "serve", *words], {"ECHO_STATE_DIR": str(tmp_path)})

    out, err = capsys.readouterr()
    assert (ended, out) == (status, "")
    assert says in err
