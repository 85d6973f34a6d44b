"""Vectors are kept by key and model, compared exactly, and nothing of a broken one is believed."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from archives import ADA, ADA_CHAT, ME, Topics, message, put
from echo_archive import vectors
from echo_archive.embedding import Endpoint
from echo_archive.errors import Unavailable
from echo_archive.filling import fill
from echo_archive.fusion import fused
from echo_archive.nearness import Nearness
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.status import status_of
from echo_archive.store import opened_store
from echo_archive.vectors import _ROW, EXACT, Matrix, _codes, build, load, matrix_path

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

    between = _texts(semantic_search_op(near, query="sea"))
    fill(database, model, lambda _: None)

    assert "now about work" not in between
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
    with pytest.raises(Unavailable, match="another model"):
        semantic_search_op(archive, query="sea")


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


def test_building_without_vectors_leaves_no_file(database: Path, archive: Archive) -> None:
    put(database, [message(1, "x", conversation=ADA_CHAT, sender=ADA)])

    with archive.reading() as connection:
        assert build(connection, database, 1) == 0
    assert not matrix_path(database, 1).exists()


def test_vectors_that_come_while_the_file_is_made_make_no_other_one_of_it(
    near: Archive, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(database)) as other:
        late = other.execute("select * from embedding limit 2").fetchall()
        other.executemany("delete from embedding where hash = ?", [row[:1] for row in late])
        other.commit()
    chunks = vectors._chunks

    def embed_meanwhile(*given: Any) -> Any:
        with closing(sqlite3.connect(database)) as other:
            other.executemany("insert into embedding values(?, ?, ?, ?)", late)
            other.commit()
        return chunks(*given)

    monkeypatch.setattr(vectors, "_chunks", embed_meanwhile)
    with opened_store(database) as connection:
        count = build(connection, database, 1)

    matrix = load(matrix_path(database, 1))
    assert matrix is not None
    assert len(matrix.vectors) == count
    assert np.linalg.norm(matrix.vectors, axis=1) == pytest.approx(np.ones(count), abs=1e-3)


def test_a_file_of_vectors_that_cannot_be_read_for_a_while_is_read_again(
    near: Archive, database: Path
) -> None:
    path, aside = matrix_path(database, 1), database.parent / "aside"
    path.rename(aside)
    path.mkdir()

    with pytest.raises(Unavailable, match="cannot be read"):
        semantic_search_op(near, query="sea")
    path.rmdir()
    aside.rename(path)

    assert semantic_search_op(near, query="sea")["count"] > 0


def test_a_model_that_is_another_one_by_now_is_told(near: Archive, database: Path) -> None:
    class Wider(Topics):
        def query(self, text: str) -> bytes:
            return super().query(text) + struct.pack("<f", 1.0)

    other = Archive(database, Nearness(database, Wider()))

    with pytest.raises(Unavailable, match="another model"):
        semantic_search_op(other, query="sea")
    page = search_messages_op(other, query="sea")
    assert (page["mode"], page["count"] > 0) == ("keyword", True)
    assert "another model" in page["note"]
