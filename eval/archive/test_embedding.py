"""The endpoint that makes vectors: asked in pieces, tried again, believed only when sound."""

from __future__ import annotations

import base64
import sqlite3
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from archives import message, put
from echo_archive.embedding import Endpoint, embed
from echo_archive.errors import BadArgument, Unavailable
from echo_archive.filling import BATCH, fill
from echo_archive.nearness import Nearness
from echo_archive.ops.conversations import list_conversations_op
from echo_archive.ops.links import list_links_op
from echo_archive.ops.media import list_media_op
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.ops.transcript import get_context_op, get_conversation_op
from echo_archive.reading import Archive
from embedding_server import Asked, by_topic, embedding, refusing


def _of(asked: Asked) -> Endpoint:
    return Endpoint("m", asked.url, "key")


def _backwards(said: dict[str, Any]) -> tuple[int, Any]:
    rows = [
        {"index": at, "embedding": base64.b64encode(struct.pack("<2f", at, 1)).decode()}
        for at in range(len(said["input"]))
    ]
    return 200, {"data": rows[::-1]}


def test_vectors_are_put_in_the_order_of_their_index() -> None:
    with embedding(_backwards) as asked:
        vectors = embed(_of(asked), ["a", "b", "c"])

    [seen] = asked.requests
    assert [struct.unpack("<2f", one)[0] for one in vectors] == [0, 1, 2]
    assert (seen["path"], seen["encoding_format"], seen["authorization"]) == (
        "/v1/embeddings", "base64", "Bearer key",
    )  # fmt: skip


def test_lists_of_numbers_are_taken_too() -> None:
    with embedding(lambda _: (200, {"data": [{"embedding": [1, 2.5]}]})) as asked:
        assert embed(_of(asked), ["a"]) == [struct.pack("<2f", 1, 2.5)]


def test_a_failure_that_passes_is_tried_again_after_the_pause_that_was_asked_for() -> None:
    waited: list[float] = []
    with embedding(refusing(429), refusing(503), _backwards) as asked:
        embed(_of(asked), ["a"], wait=waited.append)

    assert (len(asked.requests), waited) == (3, [0.0, 0.0])


def test_without_an_endpoint_the_pauses_grow() -> None:
    waited: list[float] = []
    dead = Endpoint("m", "http://127.0.0.1:1/v1")

    with pytest.raises(Unavailable, match="does not answer"):
        embed(dead, ["a"], wait=waited.append)

    assert waited == sorted(set(waited))
    assert len(waited) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_a_refusal_is_not_tried_again_and_no_redirect_is_followed(status: int) -> None:
    with embedding(refusing(status)) as asked, pytest.raises(Unavailable, match=str(status)):
        embed(_of(asked), ["a"], wait=lambda _: None)

    assert len(asked.requests) == 1


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://127.0.0.1:9/v1", "secret\nkey"),
        ("http://127.0.0.1:9/v1", "secret—kéy"),
        ("http://127.0.0.1:9/é", "secret"),
        (f"http://{'x' * 64}.example/v1", "secret"),
        ("http://ex..ample/v1", "secret"),
    ],
)
def test_what_no_request_can_hold_is_an_error_that_tells_nothing_of_the_key(
    url: str, key: str
) -> None:
    with pytest.raises(Unavailable) as problem:
        embed(Endpoint("m", url, key), ["a"], tries=1)

    assert "secret" not in str(problem.value)
    assert problem.value.__suppress_context__ or "secret" not in repr(problem.value.__cause__)


def test_texts_go_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")

    with embedding() as asked:
        assert len(embed(_of(asked), ["the sea"], tries=1)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        {},
        {"data": []},
        {"data": [1]},
        {"data": [{"index": 5, "embedding": [1]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": "!!"}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
        {"data": [{"index": [], "embedding": [1]}]},
    ],
)
def test_an_answer_that_is_none_is_an_error(body: Any) -> None:
    with embedding(lambda _: (200, body)) as asked, pytest.raises(Unavailable):
        embed(_of(asked), ["a"])


def _talk(database: Path, count: int) -> None:
    put(database, [message(number, f"the sea {number}") for number in range(count)])


def test_messages_are_embedded_in_pieces_each_once(database: Path) -> None:
    _talk(database, 150)
    told: list[int] = []

    with embedding() as asked:
        filled = fill(database, _of(asked), told.append)
        fill(database, _of(asked), told.append)

    assert [len(one["input"]) for one in asked.requests] == [BATCH, BATCH, 150 - 2 * BATCH]
    assert sorted(asked.texts) == sorted(f"the sea {number}" for number in range(150))
    assert (filled.embedded, filled.vectors, told) == (150, 150, [BATCH, 2 * BATCH, 150])


def test_a_break_keeps_what_was_made_and_the_next_run_goes_on_there(database: Path) -> None:
    _talk(database, 150)

    with embedding(by_topic, refusing(400)) as first, pytest.raises(Unavailable):
        fill(database, _of(first), lambda _: None)
    with embedding() as second:
        filled = fill(database, _of(second), lambda _: None)

    assert filled.vectors == 150
    assert len(first.requests[0]["input"]) + len(second.texts) == 150


def test_a_failure_in_the_middle_that_passes_costs_nothing(database: Path) -> None:
    _talk(database, 100)

    with embedding(by_topic, refusing(503), by_topic) as asked:
        filled = fill(database, _of(asked), lambda _: None)

    assert (filled.embedded, len(asked.requests)) == (100, 3)


def test_models_coexist_and_only_what_is_gone_is_pruned(database: Path) -> None:
    _talk(database, 3)
    with embedding() as asked:
        fill(database, _of(asked), lambda _: None)
        fill(database, Endpoint("other", asked.url), lambda _: None)
        put(database, [message(0, "", deleted=True)], name="second")

        pruned = fill(database, _of(asked), lambda _: None, prune=True)

    assert (pruned.pruned, pruned.embedded, pruned.vectors) == (2, 0, 2)


_CALLED: list[Any] = []
_LISTENING: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _LISTENING and event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        _CALLED.append((event, arguments[1 if event == "socket.connect" else 0]))


@contextmanager
def _connections() -> Iterator[list[Any]]:
    """Every connection that this process opens, and every name that it looks up."""
    if not _CALLED and not _LISTENING:
        sys.addaudithook(_hook)
    _CALLED.clear()
    _LISTENING.append(True)
    try:
        yield _CALLED
    finally:
        _LISTENING.clear()


def test_the_only_connection_is_that_of_the_question(database: Path) -> None:
    _talk(database, 3)
    with embedding() as asked:
        fill(database, _of(asked), lambda _: None)
        archive = Archive(database, Nearness(database, _of(asked)))

        with _connections() as made:
            found = search_messages_op(archive, query="sea")
            semantic_search_op(archive, query="sea")

    port = int(asked.url.rpartition(":")[2].partition("/")[0])
    connected = [where for event, where in made if event == "socket.connect"]
    assert (found["mode"], connected) == ("hybrid", [("127.0.0.1", port)] * 2)
    assert {where for event, where in made if event != "socket.connect"} <= {"127.0.0.1"}


def test_nobody_is_kept_from_writing_while_the_question_is_embedded(database: Path) -> None:
    _talk(database, 3)

    def answer_while_somebody_writes(said: dict[str, Any]) -> tuple[int, Any]:
        with sqlite3.connect(database, timeout=0, isolation_level=None) as other:
            other.execute("begin exclusive")
            other.execute("rollback")
        other.close()
        return by_topic(said)

    with embedding(by_topic, answer_while_somebody_writes) as asked:
        fill(database, _of(asked), lambda _: None)
        archive = Archive(database, Nearness(database, _of(asked)))

        assert search_messages_op(archive, query="sea")["mode"] == "hybrid"
        assert semantic_search_op(archive, query="sea")["count"] == 3


def test_what_is_wrong_in_a_question_is_said_before_the_endpoint_is_asked(database: Path) -> None:
    _talk(database, 3)
    with embedding() as asked:
        fill(database, _of(asked), lambda _: None)
        archive = Archive(database, Nearness(database, _of(asked)))
        before = len(asked.requests)

        for search in (search_messages_op, semantic_search_op):
            with pytest.raises(BadArgument, match="sender"):
                search(archive, query="sea", sender="nobody")

    assert len(asked.requests) == before


def test_without_a_model_nothing_is_connected_to(database: Path, archive: Archive) -> None:
    with _connections() as made:
        put(database, [message(1, "see https://a.example"), message(2, "the sea")])
        hits = search_messages_op(archive, query="sea")["hits"]
        get_context_op(archive, message_id=hits[0]["message_id"])
        get_conversation_op(archive, conversation="Ada Fenn")
        for op in (list_conversations_op, list_media_op, list_links_op):
            op(archive)

    assert made == []
