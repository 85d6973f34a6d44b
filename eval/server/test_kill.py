"""A server that is killed at any moment loses nothing that it acknowledged, and doubles nothing."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from acknowledged import DAILY, INDEX, Load, Sent, faults
from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from homes import HOMES
from torture import torture

KILLS = 10


@pytest.mark.parametrize("kind", HOMES)
def test_what_was_acknowledged_before_a_kill_stands_exactly_once(tmp_path: Path, kind: str) -> None:
    seed = random.randrange(1_000_000)

    load, found = torture(HOMES[kind](tmp_path), KILLS, seed)

    assert found == [], f"seed {seed}"
    assert any(sent.is_acknowledged for sent in load.sent), f"seed {seed}"


# The judge itself: what is wrong is found.

NOTE = "resources/people/ada.md"


@pytest.fixture
def judged(tmp_path: Path) -> tuple[Path, Sent]:
    """A vault with one acknowledged call in it, in which nothing is wrong."""
    vault = tmp_path / "vault"
    vault.mkdir()
    echo = open_memory(Config(vault=vault, state_dir=tmp_path / "state"))
    bootstrap_op(echo)
    said = {"title": "Ada", "kind": "person", "body": "Knows k0000001."}
    sent = Sent("echo_capture", said, {"k0000001": "/ada.md"}, id="ada", logs="[[ada")
    sent.answer = capture_op(echo, "Ada", kind="person", body="Knows k0000001.")
    return vault, sent


def judge(vault: Path, *sent: Sent) -> list[str]:
    return faults(vault, vault.with_name("state"), list(sent), scratch_limit=1)


def daily(vault: Path) -> Path:
    return next((vault / DAILY).glob("*.md"))


def edited(path: Path, old: str, new: str) -> None:
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


def test_nothing_is_wrong_where_all_stands_once(judged: tuple[Path, Sent]) -> None:
    vault, sent = judged
    left = vault / "inbox/.echo-0123456789abcdef.tmp"
    left.write_text("what a kill leaves", "utf-8")

    assert judge(vault, sent) == []
    assert not left.exists()


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda vault: edited(vault / NOTE, "k0000001", "it"), "lost"),
        (lambda vault: edited(vault / NOTE, "k0000001", "k0000001 k0000001"), "stands in"),
        (lambda vault: (vault / NOTE).rename(vault / "other.md"), "stands in"),
        (lambda vault: edited(daily(vault), "[[ada", "[[bob"), "not logged"),
        (lambda vault: edited(daily(vault), "- Cap", "- Again\n- Again\n- Cap"), "2 times"),
        (lambda vault: edited(vault / INDEX, '"ada"', '"bob"'), "not in the index"),
        (lambda vault: edited(vault / NOTE, "k0000001.\n", "k0000001."), "not whole"),
        (lambda vault: edited(vault / NOTE, "---\n", "--\n"), "not whole"),
        (lambda vault: edited(vault / NOTE, "type: person", "person"), "frontmatter"),
        (lambda vault: (vault / "inbox/draft.tmp").touch(), "left over"),
        (lambda vault: [(vault / f".echo-{n:016x}.tmp").touch() for n in (1, 2)], "2 scratch"),
    ],
)
def test_each_kind_of_damage_is_found(judged, damage, found) -> None:
    vault, sent = judged

    damage(vault)

    assert any(fault.startswith(found) for fault in judge(vault, sent))


def test_a_damaged_database_is_found(judged: tuple[Path, Sent]) -> None:
    vault, sent = judged
    path = vault.with_name("state") / "some.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t AS SELECT 'x' AS y")
    database.close()
    whole = path.read_bytes()

    before = judge(vault, sent)
    path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    (after,) = judge(vault, sent)

    assert before == []
    assert after.startswith("damaged: some.sqlite, ")


def test_a_call_that_was_not_acknowledged_may_stand_or_not(judged: tuple[Path, Sent]) -> None:
    vault, sent = judged
    other = Sent("echo_capture", {}, {"k0000002": "/bob.md"}, id="bob", logs="[[bob")
    sent.answer = None

    assert judge(vault, sent, other) == []


def test_a_call_that_is_parked_may_stand_or_not(judged: tuple[Path, Sent]) -> None:
    vault, sent = judged
    other = Sent("echo_capture", {}, {"k0000002": "/bob.md"}, "bob", "[[bob", {"ok": True})
    missed = judge(vault, sent, other)
    sent.is_parked = other.is_parked = True

    assert len(missed) == 3
    assert judge(vault, sent, other) == []


def test_the_load_repeats_no_text() -> None:
    load = Load(1)
    texts = [text for _ in range(200) for text in load.next().texts]

    assert len(set(texts)) == len(texts) > 200
