"""Sweep: the findings are left in the health note, once, and what is new is told from what was."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW
from echo_memory import health_note, linting
from echo_memory.errors import BadRequest, NotBootstrapped, VaultUnreachable
from echo_memory.freshness import Marks
from echo_memory.ledger import SWEEP, Ledger, Run
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.sweep import sweep_op
from echo_memory.report import text_of
from folders import put

HEALTH = "_agent/health/vault-health.md"
INDEX = "_agent/index/entities.json"


def health(folder: Path) -> str:
    return (folder / HEALTH).read_bytes().decode()


def others(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "_agent/health" not in str(path)
    }


def test_it_says_what_lint_says_and_leaves_it_in_the_note(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")

    answer = sweep_op(memory)

    assert answer["violations"] == lint_op(memory)["violations"] != []
    assert answer["counts"] == {"broken-link": 1}
    assert answer["recorded"] is True
    assert "## Sweep\n\nAs of 2026-03-14: 1 finding.\n\n- broken-link: `a.md`:" in health(
        vault_folder
    )
    assert "1 findings, 0 of them new" in text_of(answer)


@pytest.mark.parametrize("fast", [True, False])
def test_no_note_of_a_person_changes(memory: Memory, vault_folder: Path, fast: bool) -> None:
    put(vault_folder / "a.md", "[[Nobody]]\r\nno newline")
    put(vault_folder / "b.md", "---\nbroken: [\n---\n")
    before = others(vault_folder)

    sweep_op(memory, fast=fast)

    assert others(vault_folder) == before


def test_the_same_findings_are_not_written_again_on_another_day(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    sweep_op(memory)
    first = health(vault_folder)
    memory.clock = lambda: NOW + timedelta(days=3)

    again = sweep_op(memory)

    assert again["recorded"] is False
    assert health(vault_folder) == first


def test_findings_that_are_mended_are_gone_from_the_note(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    sweep_op(memory)
    put(vault_folder / "a.md", "mended")

    sweep_op(memory)

    assert "As of 2026-03-14: no findings.\n\n## Decay\n\nNot run yet.\n" in health(vault_folder)


def test_frontmatter_that_a_person_wrote_there_stays_byte_for_byte(
    memory: Memory, vault_folder: Path
) -> None:
    head = "---\r\ntype: health # mine\r\nicon:   'x'\r\n---\r\n"
    put(vault_folder / HEALTH, f"{head}old body\n\n## Decay\n\nkept\n")

    sweep_op(memory)

    assert health(vault_folder).startswith(head)
    assert health(vault_folder).endswith("\n\n## Decay\n\nkept\n")
    assert "old body" not in health(vault_folder)


def test_the_note_is_no_finding_of_the_next_sweep(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "a.md", "[[Nobody]] [[``odd`` name]] [x](gone.md)")

    first, second = sweep_op(memory), sweep_op(memory)

    assert first["violations"] == second["violations"]
    assert not any(each["path"] == HEALTH for each in second["violations"])


def test_thousands_of_findings_make_no_long_note(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "a.md", "".join(f"[[Nobody {number}]]\n" for number in range(3_000)))

    answer = sweep_op(memory)

    assert answer["truncated"] is True
    assert len(health(vault_folder)) < 20_000
    assert "more\n" in health(vault_folder)
    assert len(text_of(answer)) <= 8_000


# The index


def test_the_shared_index_is_made_right(memory: Memory, vault_folder: Path) -> None:
    capture_op(memory, "Ada", kind="person")
    put(vault_folder / INDEX, '{"ghost": {"path": "gone.md"}}')

    answer = sweep_op(memory)

    assert set(json.loads((vault_folder / INDEX).read_text())) == {"ada"}
    assert answer["entities"] == 1
    assert "stale-index" not in answer["counts"]


def test_a_whole_sweep_reads_a_note_though_nothing_seems_to_have_changed(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    memory.mirror.refresh()
    memory.mirror.put("a.md", "what nobody wrote")

    sweep_op(memory)

    assert memory.catalog.get("a.md").text == "[[Nobody]]"


# What is new


def test_the_first_sweep_finds_nothing_new_and_the_next_what_came_since(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    first = sweep_op(memory)
    put(vault_folder / "b.md", "[[Nobody]]")
    second, third = sweep_op(memory, fast=True), sweep_op(memory, fast=True)
    put(vault_folder / "b.md", "mended")
    fourth = sweep_op(memory, fast=True)

    assert [answer["new"] for answer in (first, second, third, fourth)] == [0, 1, 1, 0]


def test_an_inbox_that_ages_a_day_more_is_nothing_new(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "inbox/captures/inbox.md", "- 2026-01-01 Buy brass\n")
    sweep_op(memory)
    memory.clock = lambda: NOW + timedelta(days=1)

    assert sweep_op(memory)["new"] == 0


@pytest.mark.parametrize("note", [None, [], {"known": 1, "new": []}, {"new": []}, "x"])
def test_marks_that_are_damaged_are_those_before_the_first_sweep(note: object) -> None:
    assert Marks.of(note) == Marks()
    assert Marks.of(Marks().after({"a"}).as_note()) == Marks(frozenset("a"))


def test_what_is_mended_and_broken_again_is_new_again() -> None:
    alone = Marks().after({"a", "b"}).after({"a"}).after({"a", "b"})
    beside = Marks().after({"a", "b"}).after({"b", "c"}).after({"a", "b", "c"})

    assert alone.new == {"b"}
    assert beside.new == {"a", "c"}


# The ledger


def test_the_ledger_knows_of_it(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    sweep_op(memory)

    run = Ledger.of(memory.config).read().run(SWEEP)
    assert run == Run(done=NOW, tried=NOW, found={"violations": 1, "new": 0})


def test_what_is_no_vault_or_is_away_is_not_swept(memory: Memory, vault_folder: Path) -> None:
    memory.acquaint()
    (vault_folder / "_agent/echo-vault.md").unlink()

    with pytest.raises(VaultUnreachable):
        sweep_op(memory)

    assert not (vault_folder / HEALTH).exists()


def test_a_folder_that_was_never_a_vault_is_not_swept(memory: Memory, vault_folder: Path) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()

    with pytest.raises(NotBootstrapped):
        sweep_op(memory)


def test_an_argument_that_is_no_flag_is_refused(memory: Memory) -> None:
    with pytest.raises(BadRequest):
        sweep_op(memory, fast="yes")


@pytest.mark.parametrize("words", ["a", "`", "a`b", "``", "[[x]]", "a\nb", " x "])
def test_words_in_code_are_no_link_and_end_where_they_end(words: str) -> None:
    shown = health_note.code(words)

    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    assert shown.endswith(fence)
    assert fence not in shown[len(fence) : -len(fence)].replace(fence + "`", "")
    assert "\n" not in shown


def test_a_summary_counts_all_and_shows_some() -> None:
    found = [linting.Violation("x", f"{number}.md", "y" * 100, "z") for number in range(500)]

    fields = linting.summary(found)

    assert fields["counts"] == {"x": 500}
    assert fields["truncated"] is True
