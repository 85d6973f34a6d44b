"""Vectors are kept by key and model, compared exactly, and nothing of a broken one is believed."""

from __future__ import annotations

import base64
import json
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from archives import ADA, ADA_CHAT, ME, message, put
from echo_archive.embedding import Endpoint, embed
from echo_archive.errors import Unavailable
from echo_archive.filling import fill
from echo_archive.fusion import fused
from echo_archive.nearness import Nearness
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.status import status_of
from echo_archive.vectors import _ROW, EXACT, Matrix, _codes, build, load, matrix_path

TOPICS = ("sea", "food", "work")


@dataclass(slots=True)
class Topics:
    """A model whose dimensions are topics, and which counts what it was asked."""

    model: str = "topics"
    weight: float = 1.0
    asked: list[str] = field(default_factory=list)
    limit: int = 1_000_000

    def vector(self, text: str) -> bytes:
        return struct.pack("<3f", *(float(topic in text) + 0.01 for topic in TOPICS))

    def query(self, text: str) -> bytes:
        return self.vector(text)

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        if len(self.asked) >= self.limit:
            raise Unavailable("The model stopped. Start it again.")
        self.asked += texts
        return [self.vector(text) for text in texts]


BODIES = ["the sea is wide", "food at nine", "work again", "sea and food", ""]


@pytest.fixture
def near(database: Path) -> Archive:
    rows = [message(number, body) for number, body in enumerate(BODIES)]
    put(database, [*rows, message(9, "my sea", sender=ME)])
    fill(database, Topics(), lambda _: None)
    return Archive(database, Nearness(database, Topics()))


def _texts(page: dict[str, Any]) -> list[str]:
    return [hit["text"].replace("**", "") for hit in page["hits"]]


def test_the_nearest_come_first_with_their_similarity(near: Archive) -> None:
    page = semantic_search_op(near, query="sea", k=3)

    assert _texts(page)[:2] == ["my sea", "the sea is wide"] or _texts(page)[:2] == [
        "the sea is wide", "my sea",
    ]  # fmt: skip
    assert page["hits"][0]["similarity"] == pytest.approx(1.0, abs=0.01)


def test_filters_come_before_the_ranking(near: Archive) -> None:
    assert _texts(semantic_search_op(near, query="food", k=1, sender="Me")) == ["my sea"]
    assert _texts(semantic_search_op(near, query="food", k=1, end="2024-05-02T06:00:30Z")) == [
        "the sea is wide"
    ]


def test_words_and_meaning_are_fused_and_both_ranks_are_told(near: Archive) -> None:
    page = search_messages_op(near, query="wide sea")

    first = page["hits"][0]
    assert (page["mode"], first["text"]) == ("hybrid", "the **sea** is **wide**")
    assert first["keyword_rank"] == 1
    assert first["semantic_rank"] in (1, 2)


def test_operators_hold_for_what_is_near_in_meaning_too(near: Archive) -> None:
    assert "sea and food" not in _texts(search_messages_op(near, query="sea -food"))


def test_a_model_that_does_not_answer_leaves_the_keywords(near: Archive, database: Path) -> None:
    dead = Endpoint(model="topics", url="http://127.0.0.1:1/v1", timeout=1)
    archive = Archive(database, Nearness(database, dead))

    page = search_messages_op(archive, query="sea")

    assert page["mode"] == "keyword"
    assert "does not answer" in page["note"]
    with pytest.raises(Unavailable, match="does not answer"):
        semantic_search_op(archive, query="sea")


def test_filling_goes_on_where_it_was_broken_off_and_does_only_what_is_missing(
    database: Path,
) -> None:
    put(database, [message(number, f"sea {number}") for number in range(200)])
    broken, rest, again = Topics(limit=100), Topics(), Topics()

    with pytest.raises(Unavailable):
        fill(database, broken, lambda _: None)
    filled = fill(database, rest, lambda _: None)
    fill(database, again, lambda _: None)

    assert (len(broken.asked) + len(rest.asked), again.asked) == (200, [])
    assert filled.vectors == 200


def test_importing_again_orphans_no_vector_and_an_edit_is_embedded_anew(
    near: Archive, database: Path
) -> None:
    put(database, [message(0, "now about work", edited=True)], name="second")
    model = Topics()

    fill(database, model, lambda _: None)

    assert model.asked == ["now about work"]
    assert status_of(near)["embeddings"] == [{"model": "topics", "messages": 5, "of": 5}]


def test_what_was_taken_back_is_not_found_and_its_vector_is_pruned(
    near: Archive, database: Path
) -> None:
    put(database, [message(0, "", deleted=True)], name="second")

    found = _texts(semantic_search_op(near, query="sea"))
    filled = fill(database, Topics(), lambda _: None, prune=True)

    assert "the sea is wide" not in found
    assert (filled.pruned, filled.vectors) == (1, 4)


def test_a_vector_of_another_dimension_is_left_out(near: Archive, database: Path) -> None:
    class Wide(Topics):
        def vector(self, text: str) -> bytes:
            return struct.pack("<4f", 1, 1, 1, 1)

    put(database, [message(20, "sea of another kind")], name="second")
    filled = fill(database, Wide(), lambda _: None)
    archive = Archive(database, Nearness(database, Wide()))

    assert filled.vectors == 5
    assert semantic_search_op(near, query="sea")["count"] == 5
    assert semantic_search_op(archive, query="sea")["count"] == 0


@pytest.mark.parametrize("damage", [b"", b"echovec1{}", b"\0" * 9_000])
def test_a_damaged_file_of_vectors_is_not_believed(
    near: Archive, database: Path, damage: bytes
) -> None:
    matrix_path(database, 1).write_bytes(damage)

    assert load(matrix_path(database, 1)) is None
    assert "no message is embedded" in search_messages_op(near, query="sea")["note"]


def test_many_vectors_are_found_by_their_signs_as_well_as_exactly() -> None:
    random = np.random.default_rng(3)
    count = EXACT + 5_000
    # Vectors that cluster, as those of texts do.
    centres = random.standard_normal((50, 64))
    vectors = centres[random.integers(0, 50, count)] + 0.6 * random.standard_normal((count, 64))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    rows = np.zeros(count, dtype=_ROW)
    rows["id"] = np.arange(count)
    rows["hash"] = np.arange(count).astype("<u8").view(np.uint8).reshape(count, 8).repeat(2, 1)
    matrix = Matrix(rows, _codes(vectors), vectors)
    query = vectors[17] + 0.02 * random.standard_normal(64).astype(np.float32)

    found = [similarity for _, similarity in matrix.nearest(query, Scope(), 20)]
    exact = np.sort(vectors @ (query / np.linalg.norm(query)))[::-1][:20]

    assert found[0] == pytest.approx(exact[0], abs=1e-5)
    assert sum(one >= exact[-1] - 1e-6 for one in found) >= 18


def test_fusion_is_by_reciprocal_ranks() -> None:
    order = fused([1, 2], [2, 3], semantic_weight=0.5)

    assert [one.row_id for one in order] == [2, 1, 3]
    assert order[0].score == pytest.approx(1 / 62 + 0.5 / 61)


Answer = Callable[[dict[str, Any]], tuple[int, Any]]


@contextmanager
def _endpoint(*answers: Answer) -> Iterator[tuple[Endpoint, list[dict[str, Any]]]]:
    """A server that gives these answers in turn, the last one again and again."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({**said, "path": self.path, "key": self.headers.get("Authorization")})
            status, body = answers[min(len(seen), len(answers)) - 1](said)
            packed = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(packed)))
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.end_headers()
            self.wfile.write(packed)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Endpoint("m", f"http://127.0.0.1:{server.server_port}/v1", "key"), seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _backwards(said: dict[str, Any]) -> tuple[int, Any]:
    rows = [
        {"index": at, "embedding": base64.b64encode(struct.pack("<2f", at, 1)).decode()}
        for at in range(len(said["input"]))
    ]
    return 200, {"data": rows[::-1]}


def test_vectors_are_put_in_the_order_of_their_index() -> None:
    with _endpoint(_backwards) as (endpoint, seen):
        vectors = embed(endpoint, ["a", "b", "c"])

    assert [struct.unpack("<2f", one)[0] for one in vectors] == [0, 1, 2]
    assert (seen[0]["path"], seen[0]["encoding_format"], seen[0]["key"]) == (
        "/v1/embeddings", "base64", "Bearer key",
    )  # fmt: skip


def test_lists_of_numbers_are_taken_too() -> None:
    with _endpoint(lambda _: (200, {"data": [{"embedding": [1, 2.5]}]})) as (endpoint, _):
        assert embed(endpoint, ["a"]) == [struct.pack("<2f", 1, 2.5)]


def test_a_failure_that_passes_is_tried_again() -> None:
    waited: list[float] = []
    with _endpoint(lambda _: (429, {}), lambda _: (503, {}), _backwards) as (endpoint, seen):
        embed(endpoint, ["a"], wait=waited.append)

    assert (len(seen), len(waited)) == (3, 2)


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_a_refusal_is_not_tried_again_and_no_redirect_is_followed(status: int) -> None:
    refused = pytest.raises(Unavailable, match=str(status))
    with _endpoint(lambda _: (status, {})) as (endpoint, seen), refused:
        embed(endpoint, ["a"], wait=lambda _: None)

    assert len(seen) == 1


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
    with _endpoint(lambda _: (200, body)) as (endpoint, _), pytest.raises(Unavailable):
        embed(endpoint, ["a"])


def test_building_without_vectors_leaves_no_file(database: Path, archive: Archive) -> None:
    put(database, [message(1, "x", conversation=ADA_CHAT, sender=ADA)])

    with archive.reading() as connection:
        assert build(connection, database, 1) == 0
    assert not matrix_path(database, 1).exists()
