"""Locating a note: what a path or an id means, and what is said when it means none or several."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import BadRequest, NotFound, VaultIO
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.note import append_op, delete_op, get_note_op, patch_op, put_op
from echo_memory.vault import MAX_NOTE_BYTES
from folders import put, snapshot

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = [
    path
    for paths in json.loads((FIXTURES / "hostile_paths.json").read_text("utf-8")).values()
    for path in paths
]
TOO_LONG = ["a" * 253 + ".md", "é" * 128 + "/a.md", "a/" * 511 + "a.md", "a" * 1_000_000]
NFD = unicodedata.normalize("NFD", "résumé")


@pytest.fixture
def filled(memory: Memory, vault_folder: Path) -> Memory:
    for path in (
        "resources/people/Ada Lovelace.md",
        f"resources/references/{NFD}.md",
        "projects/active/plan.md",
        "projects/archive/plan.md",
        "areas/business/v1.2.md",
        "areas/business/UPPER.MD",
        "areas/business/double.md.md",
        "elsewhere/loose.md",
        "root.md",
    ):
        put(vault_folder / path, f"# {path}\n")
    memory.look()
    return memory


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("resources/people/Ada Lovelace.md", "resources/people/Ada Lovelace.md"),
        ("resources/people/Ada Lovelace", "resources/people/Ada Lovelace.md"),
        ("Ada Lovelace", "resources/people/Ada Lovelace.md"),
        ("Ada Lovelace.md", "resources/people/Ada Lovelace.md"),
        ("ada lovelace", "resources/people/Ada Lovelace.md"),
        ("RESOURCES/People/ada LOVELACE.MD", "resources/people/Ada Lovelace.md"),
        ("people/ada lovelace", "resources/people/Ada Lovelace.md"),
        ("résumé", f"resources/references/{NFD}.md"),
        ("resources/references/résumé", f"resources/references/{NFD}.md"),
        (NFD, f"resources/references/{NFD}.md"),
        ("projects/archive/plan", "projects/archive/plan.md"),
        ("archive/plan", "projects/archive/plan.md"),
        ("v1.2", "areas/business/v1.2.md"),
        ("upper", "areas/business/UPPER.MD"),
        ("double.md", "areas/business/double.md.md"),
        ("loose", "elsewhere/loose.md"),
        ("root", "root.md"),
        ("inbox", "inbox/captures/inbox.md"),
    ],
)
def test_a_path_or_an_id_in_any_case_and_normal_form_finds_its_note(
    filled: Memory, reference: str, path: str
) -> None:
    assert filled.locate(reference).path == path


def test_an_id_that_several_notes_have_is_refused_with_their_paths(filled: Memory) -> None:
    with pytest.raises(BadRequest) as raised:
        filled.locate("plan", field="a")

    assert raised.value.details == {
        "field": "a",
        "paths": ["projects/active/plan.md", "projects/archive/plan.md"],
    }


def test_a_whole_path_is_never_ambiguous(filled: Memory, vault_folder: Path) -> None:
    put(vault_folder / "plan.md", "# At the root\n")
    filled.look()

    assert filled.locate("plan").path == "plan.md"
    assert filled.locate("Plan.md").path == "plan.md"


@pytest.fixture
def people(memory: Memory, vault_folder: Path) -> Memory:
    for name in ("Ada Lovelace", "Ada Byron", "Grace Hopper"):
        capture_op(memory, name, kind="person", force=True)
    capture_op(memory, "Hopper Ltd.", kind="company", aliases=["AC/DC", "The makers"])
    capture_op(memory, "Mercury", kind="concept")
    capture_op(memory, "Mercury", kind="company", force=True)
    put(vault_folder / "People/Clara Neumann.md", "---\naliases: [CN]\n---\n# Clara from Jena\n")
    memory.look()
    return memory


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Grace Hopper", "resources/people/grace-hopper.md"),
        ("GRACE  hopper", "resources/people/grace-hopper.md"),
        ("hopper ltd.", "resources/companies/hopper-ltd.md"),
        ("AC/DC", "resources/companies/hopper-ltd.md"),
        ("the makers", "resources/companies/hopper-ltd.md"),
        ("mercury", "resources/concepts/mercury.md"),
        ("Clara Neumann", "People/Clara Neumann.md"),
        ("clara from jena", "People/Clara Neumann.md"),
        ("cn", "People/Clara Neumann.md"),
    ],
)
def test_a_name_finds_its_note_in_every_operation(people: Memory, name: str, path: str) -> None:
    assert people.locate(name).path == path
    assert get_note_op(people, name)["path"] == path
    assert append_op(people, name, "- a line")["path"] == path
    assert link_op(people, name, "ada-byron")["a"] == path
    assert capture_op(people, "More", merge_into=name)["path"] == path


def test_an_id_of_no_entity_does_not_hide_the_entity_of_that_name(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "Tom.md", "A cat.\n")
    capture_op(memory, "Tom", kind="person")

    with pytest.raises(BadRequest) as raised:
        memory.locate("Tom")

    paths = [found["path"] for found in raised.value.details["candidates"]]
    assert paths == ["Tom.md", "resources/people/tom-2.md"]
    assert [memory.locate(path).path for path in paths] == paths
    assert memory.locate("tom-2").path == paths[1]


@pytest.mark.parametrize(
    ("name", "slugs"),
    [
        ("Mercury", {"mercury", "mercury-2"}),
        ("Ada", {"ada-lovelace", "ada-byron"}),
    ],
)
def test_a_name_that_several_share_is_refused_with_candidates(
    people: Memory, name: str, slugs: set[str]
) -> None:
    for field, op in (("a", link_op), ("b", lambda echo, a, b: link_op(echo, b, a))):
        with pytest.raises(BadRequest) as raised:
            op(people, name, "grace-hopper")

        assert raised.value.details["field"] == field
        assert {found["slug"] for found in raised.value.details["candidates"]} == slugs
        assert all(found["path"] for found in raised.value.details["candidates"])


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Grace", "resources/people/grace-hopper.md"),
        ("Hopper Grace", "resources/people/grace-hopper.md"),
        ("Grace Hoper", "resources/people/grace-hopper.md"),
        ("Ada Lovelase", "resources/people/ada-lovelace.md"),
        ("Clara Neuman", "People/Clara Neumann.md"),
        ("operator-preference", "_agent/memory/semantic/operator-preferences.md"),
    ],
)
def test_a_name_that_none_bears_is_answered_with_the_likeliest_note_first(
    people: Memory, name: str, first: str
) -> None:
    with pytest.raises(NotFound) as raised:
        get_note_op(people, name)

    assert raised.value.details["did_you_mean"][0] == first


@pytest.mark.parametrize(
    ("reference", "nearest"),
    [
        ("Ada Lovelase", ["resources/people/Ada Lovelace.md"]),
        ("people/ada-lovelace", ["resources/people/Ada Lovelace.md"]),
        ("somewhere/plan", ["projects/active/plan.md", "projects/archive/plan.md"]),
        ("planned", ["projects/active/plan.md", "projects/archive/plan.md"]),
        ("zzz", []),
    ],
)
def test_a_note_that_is_not_there_is_answered_with_the_nearest_names(
    filled: Memory, reference: str, nearest: list[str]
) -> None:
    with pytest.raises(NotFound) as raised:
        filled.locate(reference)

    assert raised.value.details == {"path": reference, "did_you_mean": nearest}


def test_at_most_three_names_are_offered(memory: Memory, vault_folder: Path) -> None:
    for number in range(9):
        put(vault_folder / f"projects/active/engine-{number}.md", "x\n")
    memory.look()

    with pytest.raises(NotFound) as raised:
        memory.locate("engine")

    assert len(raised.value.details["did_you_mean"]) == 3


@pytest.mark.parametrize("path", ["notes.txt", "_agent/index/entities.json", "folder.md"])
def test_what_is_no_note_is_not_found(memory: Memory, vault_folder: Path, path: str) -> None:
    put(vault_folder / "notes.txt", "x")
    (vault_folder / "folder.md").mkdir()

    with pytest.raises(NotFound):
        get_note_op(memory, path)


def test_a_note_that_is_too_large_to_read_says_so_and_is_not_missing(
    memory: Memory, vault_folder: Path
) -> None:
    with put(vault_folder / "large.md", "x").open("r+b") as file:
        file.truncate(MAX_NOTE_BYTES + 1)

    with pytest.raises(VaultIO) as raised:
        get_note_op(memory, "large")

    assert raised.value.details["path"] == "large.md"


def test_a_link_that_leaves_the_vault_is_a_bad_request(
    memory: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    put(tmp_path / "outside.md")
    (vault_folder / "out.md").symlink_to(tmp_path / "outside.md")

    for op in (lambda: get_note_op(memory, "out"), lambda: append_op(memory, "out.md", "x")):
        with pytest.raises(BadRequest):
            op()
    assert (tmp_path / "outside.md").read_text() == "secret"


BY_PATH: dict[str, Callable[[Memory, str], Any]] = {
    "get": get_note_op,
    "append": lambda echo, path: append_op(echo, path, "mine"),
    "patch": lambda echo, path: patch_op(
        echo, path, operation="append", target_type="heading", target="x", content="mine"
    ),
    "put": lambda echo, path: put_op(echo, path, "mine"),
    "delete": delete_op,
    "link a": lambda echo, path: link_op(echo, path, "operator-preferences"),
    "link b": lambda echo, path: link_op(echo, "operator-preferences", path),
    "merge_into": lambda echo, path: capture_op(
        echo, "Mine", kind="person", body="mine", merge_into=path or "/"
    ),
}


@pytest.mark.parametrize("op", BY_PATH)
def test_no_operation_takes_a_path_out_of_the_vault(
    memory: Memory, vault_folder: Path, tmp_path: Path, op: str
) -> None:
    put(tmp_path / "outside.md")
    put(vault_folder / ".hidden/a.md")
    outside = sorted(path.name for path in tmp_path.iterdir())
    before = snapshot(vault_folder)

    for path in [*HOSTILE, *TOO_LONG]:
        with pytest.raises(BadRequest) as raised:
            BY_PATH[op](memory, path)
        assert str(tmp_path) not in str(raised.value.as_dict())

    assert snapshot(vault_folder) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == outside
    assert (tmp_path / "outside.md").read_text() == "secret"


def test_what_was_written_is_known_at_once_and_what_was_trashed_is_forgotten(
    memory: Memory,
) -> None:
    memory.edit("projects/active/new.md", lambda _: "# New\n")
    assert memory.locate("new").title == "New"

    memory.trash("projects/active/new.md")
    with pytest.raises(NotFound):
        memory.locate("new")


def test_an_edit_that_fails_leaves_note_and_catalogue_as_they_were(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "root.md", "old\n")
    memory.look()

    def change(text: str | None) -> str:
        raise NotFound("Gone. Look again.", path="root.md")

    with pytest.raises(NotFound):
        memory.edit("root.md", change)
    assert (vault_folder / "root.md").read_text() == "old\n"
    assert memory.locate("root").text == "old\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_note_that_is_closed_to_us_says_so(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "closed.md").chmod(0)

    with pytest.raises(VaultIO):
        get_note_op(memory, "closed")
