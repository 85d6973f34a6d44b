"""Bootstrap: a folder becomes an ECHO vault, and no note in it is touched."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from echo_memory import draft, routing
from echo_memory.config import Config
from echo_memory.errors import NotBootstrapped, VaultIO, VaultUnreachable
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op, reindex_op
from folders import put, snapshot

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
MARKER = "_agent/echo-vault.md"
INDEX = "_agent/index/entities.json"
FIXED = [
    "_agent/memory/semantic/operator-preferences.md",
    "_agent/context/current-context.md",
    "inbox/captures/inbox.md",
]


@pytest.fixture
def bare(vault_folder: Path, tmp_path: Path) -> Memory:
    """A folder that is not an ECHO vault yet."""
    config = Config(vault=vault_folder, state_dir=tmp_path / "state", owner="Zoë: #1")
    return open_memory(config, clock=lambda: NOW, notify=lambda _: None)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_empty_folder_gets_the_fixed_notes_with_the_marker_last(
    bare: Memory, vault_folder: Path
) -> None:
    answer = bootstrap_op(bare)

    assert answer == {"ok": True, "op": "bootstrap", "created": [*FIXED, MARKER], "kept": []}
    assert files(vault_folder) == sorted([*FIXED, MARKER, INDEX])
    assert bare.catalog.get(MARKER) is not None


def test_the_marker_says_version_owner_and_day(bare: Memory, vault_folder: Path) -> None:
    bootstrap_op(bare)

    head = (vault_folder / MARKER).read_text().split("---")[1]
    values = yaml.safe_load(head)
    assert values["schema_version"] == routing.table().schema_version
    assert values["owner"] == "Zoë: #1"
    assert "\ncreated: 2026-03-14\n" in head


def test_every_fixed_note_has_its_type_title_and_sections(bare: Memory, vault_folder: Path) -> None:
    bootstrap_op(bare)

    for path in [*FIXED, MARKER]:
        kind = routing.table().kind_at(path)
        text = (vault_folder / path).read_text()
        assert kind is not None
        assert yaml.safe_load(text.split("---")[1])["type"] == kind.name
        assert text.endswith(
            "\n".join([f"# {kind.title}", *(f"\n## {name}" for name in kind.sections), ""])
        )


def test_a_second_time_changes_nothing(bare: Memory, vault_folder: Path) -> None:
    bootstrap_op(bare)
    before = snapshot(vault_folder)

    answer = bootstrap_op(bare)

    assert (answer["created"], sorted(answer["kept"])) == ([], sorted([*FIXED, MARKER]))
    assert snapshot(vault_folder) == before


def test_a_folder_of_somebodys_notes_keeps_every_byte(bare: Memory, vault_folder: Path) -> None:
    put(vault_folder / "Diary/May.md", b"\xef\xbb\xbf---\r\ntitle: [open\r\n---\r\nCaf\xe9")
    put(vault_folder / ".obsidian/app.json", "{}")
    put(vault_folder / "inbox/captures/inbox.md", "- mine")
    put(vault_folder / "resources/people/ada.md", "# Ada\n")
    before = snapshot(vault_folder)

    answer = bootstrap_op(bare)

    assert answer["kept"] == ["inbox/captures/inbox.md"]
    after = snapshot(vault_folder)
    assert {path: after[path] for path in before} == before
    assert list(json.loads((vault_folder / INDEX).read_text())) == ["ada"]


def test_one_that_broke_off_is_finished_and_is_no_vault_until_then(
    bare: Memory, vault_folder: Path
) -> None:
    bootstrap_op(bare)
    whole = snapshot(vault_folder)
    (vault_folder / MARKER).unlink()
    (vault_folder / "inbox/captures/inbox.md").unlink()
    bare.mirror.refresh(checked=False)
    assert bare.catalog.get(MARKER) is None

    answer = bootstrap_op(bare)

    assert answer["created"] == ["inbox/captures/inbox.md", MARKER]
    assert snapshot(vault_folder) == whole


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    config = Config(vault=tmp_path / "unmounted", state_dir=tmp_path / "state")

    with pytest.raises(VaultUnreachable):
        bootstrap_op(open_memory(config, clock=lambda: NOW))

    assert not (tmp_path / "unmounted").exists()


def test_where_a_file_stands_in_the_way_it_says_so(bare: Memory, vault_folder: Path) -> None:
    put(vault_folder / "_agent", "a file")

    with pytest.raises(VaultIO):
        bootstrap_op(bare)

    assert bare.catalog.get(MARKER) is None


# The shared index


def test_a_rebuilt_index_has_the_same_bytes_whoever_rebuilds_it(
    bare: Memory, vault_folder: Path
) -> None:
    bootstrap_op(bare)
    for name in ("zoë", "ada", "bob"):
        put(vault_folder / f"resources/people/{name}.md", f"# {name.title()}\n")
    answer = reindex_op(bare)
    first = (vault_folder / INDEX).read_bytes()
    put(vault_folder / INDEX, "{broken")

    other = open_memory(bare.config, clock=bare.clock, notify=bare.notify)
    reindex_op(other)

    assert (answer["entities"], answer["notes"]) == (3, 7)
    assert (vault_folder / INDEX).read_bytes() == first
    assert (
        first.decode()
        == json.dumps(json.loads(first), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    )


def test_reindexing_drops_what_is_stale(bare: Memory, vault_folder: Path) -> None:
    bootstrap_op(bare)
    note = put(vault_folder / "resources/people/ada.md", "# Ada\n")
    reindex_op(bare)
    note.unlink()

    reindex_op(bare)

    assert json.loads((vault_folder / INDEX).read_text()) == {}


def test_an_index_that_cannot_be_written_is_a_warning_and_no_failure(
    bare: Memory, vault_folder: Path
) -> None:
    bootstrap_op(bare)
    (vault_folder / INDEX).unlink()
    (vault_folder / INDEX).mkdir()

    answer = reindex_op(bare)

    assert answer["ok"] is True
    assert "index" in answer["warnings"][0]


def test_a_folder_without_the_marker_is_not_reindexed(bare: Memory, vault_folder: Path) -> None:
    with pytest.raises(NotBootstrapped):
        reindex_op(bare)

    assert files(vault_folder) == []


def test_a_fixed_note_holds_what_its_title_and_values_say() -> None:
    kind = routing.table().fixed["context"]

    assert draft.fixed(kind, values={"scope": None}) == (
        "---\ntype: context\nscope:\n---\n\n# Current context\n\n## Scope\n\n## Scope History\n"
    )
