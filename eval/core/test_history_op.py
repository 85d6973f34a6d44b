"""History and restore: what a note said before is listed, shown as a difference, brought back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bytewise import NOTES
from conftest import NOW
from echo_memory import report
from echo_memory.config import Config
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest, Conflict, NotFound, VaultIO
from echo_memory.history import PREVIEWS, RING, RING_OF_ADDED, id_of
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.history import MAX_DIFF, MAX_VERSIONS, history_op, restore_op
from echo_memory.ops.note import append_op, delete_op, put_op
from echo_memory.ops.recall import recall_op
from echo_memory.queueing import flush
from echo_memory.rest.access import Access
from folders import put, snapshot
from olrapi.standin import StandIn
from vaults import KEY

ENGINE, ADA = "projects/active/engine.md", "resources/people/ada.md"
ONE, TWO, THREE = "# Engine\n\none\n", "# Engine\n\ntwo\n", "# Engine\n\nthree\n"


@contextmanager
def opened(kind: str, root: Path) -> Iterator[Memory]:
    """A memory over a bootstrapped vault of a kind."""
    folder = root / "vault"
    folder.mkdir(exist_ok=True)
    with StandIn(folder, KEY) if kind == "rest" else nullcontext(folder) as vault:
        place = vault if isinstance(vault, Path) else Access.of(vault.url, KEY)
        config = Config(place, root / "state")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        bootstrap_op(echo)
        yield echo
        echo.close()


@pytest.fixture(params=["folder", "rest"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A note that said one, two, and says three, in a folder and behind the plugin."""
    with opened(request.param, tmp_path) as echo:
        for text in (ONE, TWO, THREE):
            put_op(echo, ENGINE, text)
        yield echo


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """Where that note is on the disk."""
    return tmp_path / "vault" / ENGINE


def versions(echo: Memory, path: str = "engine") -> list[dict[str, Any]]:
    return list(history_op(echo, path)["versions"])


def restored(echo: Memory, path: str, text: str) -> Envelope:
    return restore_op(echo, path, id_of(text), confirm=True)


# History


def test_the_versions_are_listed_newest_first_with_what_became_of_each(kept: Memory) -> None:
    answer = history_op(kept, "engine")

    assert answer == {
        "ok": True,
        "op": "history",
        "path": ENGINE,
        "exists": True,
        "versions": [
            {
                "id": id_of(text),
                "ts": NOW.isoformat(),
                "bytes": len(text),
                "operation": "put",
                "summary_line": f'-1 +1 lines, without "{said}"',
            }
            for text, said in ((TWO, "two"), (ONE, "one"))
        ],
    }
    assert f"- {id_of(TWO)} · until {NOW.isoformat()}, by put · 14 bytes · then -1 +1" in (
        report.text_of(answer)
    )


@pytest.mark.parametrize("name", ["engine", "Engine", ENGINE, ENGINE.removesuffix(".md")])
def test_a_note_is_named_as_everywhere(kept: Memory, name: str) -> None:
    assert history_op(kept, name)["path"] == ENGINE


def test_a_note_that_never_lost_anything_has_no_versions(memory: Memory) -> None:
    capture_op(memory, "Tea", kind="concept")

    answer = history_op(memory, "tea")

    assert (answer["exists"], answer["versions"]) == (True, [])
    assert "No earlier text" in report.text_of(answer)


def test_what_never_was_is_not_found_with_what_is_near(kept: Memory) -> None:
    with pytest.raises(NotFound) as raised:
        history_op(kept, "engin")

    assert raised.value.details["did_you_mean"] == [ENGINE]


def test_the_list_is_bounded_and_what_is_left_out_is_counted(
    memory: Memory, vault_folder: Path
) -> None:
    old = "areas/business/engine.md"
    for number in range(RING + 3):
        put_op(memory, old, f"# Engine\n\n{number} {'long ' * 200}\n")
    (vault_folder / old).unlink()
    for number in range(RING + 3):
        put_op(memory, ENGINE, f"# Engine\n\nnow {number} {'long ' * 200}\n")

    answer = history_op(memory, "engine")

    assert len(answer["versions"]) == MAX_VERSIONS == RING + RING_OF_ADDED
    assert answer["omitted"] == 2 * RING - MAX_VERSIONS
    assert len(report.text_of(answer)) < 8_000
    assert f"{answer['omitted']} older ones" in report.text_of(answer)


def test_a_version_that_is_damaged_hides_no_other(kept: Memory) -> None:
    with kept.history._file.changing() as database:
        database.execute("UPDATE body SET data = x'00' WHERE hash LIKE ?", (f"{id_of(TWO)}%",))

    assert [it["summary_line"] for it in versions(kept)] == ["not compared", "not compared"]
    with pytest.raises(VaultIO, match="damaged"):
        restore_op(kept, "engine", id_of(TWO))


# Restore


def test_unless_confirmed_it_is_a_difference_and_nothing_is_written(
    kept: Memory, tmp_path: Path
) -> None:
    before = snapshot(tmp_path / "vault")

    answer = restore_op(kept, "engine", id_of(ONE))

    assert answer == {
        "ok": True,
        "op": "restore",
        "action": "preview",
        "path": ENGINE,
        "version_id": id_of(ONE),
        "creates": False,
        "diff": "@@ -1,4 +1,4 @@\n # Engine\n \n-three\n+one\n ",
        "removed": 1,
        "added": 1,
    }
    assert snapshot(tmp_path / "vault") == before
    assert "Confirm with confirm (--confirm), once the operator agrees." in report.text_of(answer)


def test_confirmed_the_text_is_back_byte_for_byte_and_what_it_replaced_is_a_version(
    kept: Memory, note: Path
) -> None:
    answer = restored(kept, "engine", ONE)

    assert (answer["action"], answer["undo"]) == ("restored", id_of(THREE))
    assert note.read_bytes() == ONE.encode()
    assert versions(kept)[0]["id"] == id_of(THREE)
    assert versions(kept)[0]["operation"] == "restore"


def test_a_restore_can_be_undone_and_that_undone_again(kept: Memory, note: Path) -> None:
    first = restored(kept, "engine", ONE)
    second = restore_op(kept, "engine", first["undo"], confirm=True)
    again = note.read_text()
    restore_op(kept, "engine", second["undo"], confirm=True)

    assert (again, note.read_text()) == (THREE, ONE)


def test_what_is_there_already_stays_and_makes_no_version(kept: Memory, note: Path) -> None:
    restored(kept, "engine", ONE)
    before = versions(kept)

    shown, answer = restore_op(kept, "engine", id_of(ONE)), restored(kept, "engine", ONE)

    assert (shown["action"], answer["action"], answer["undo"]) == ("unchanged", "unchanged", None)
    assert versions(kept) == before


@pytest.mark.parametrize("confirm", [False, True])
@pytest.mark.parametrize("version", ["0" * 12, "x", "../../etc/passwd", "' OR 1=1 --", "0" * 64])
def test_a_version_that_is_none_of_the_notes_is_not_found_with_the_newest_ones(
    kept: Memory, note: Path, version: str, confirm: bool
) -> None:
    with pytest.raises(NotFound) as raised:
        restore_op(kept, "engine", version, confirm=confirm)

    assert raised.value.details["did_you_mean"] == [id_of(TWO), id_of(ONE)]
    assert note.read_text() == THREE


def test_a_version_of_another_note_is_none_of_this_one(kept: Memory) -> None:
    put_op(kept, ADA, "# Ada\n\none\n")
    put_op(kept, ADA, "# Ada\n\ntwo\n")

    with pytest.raises(NotFound):
        restore_op(kept, "engine", id_of("# Ada\n\none\n"), confirm=True)


@pytest.mark.parametrize("version", ["", "a\nb", 7])
def test_what_can_be_no_version_is_a_bad_request(kept: Memory, version: Any) -> None:
    with pytest.raises(BadRequest) as raised:
        restore_op(kept, "engine", version)

    assert raised.value.details["field"] == "version_id"


@pytest.mark.parametrize("path", ["../out.md", "/etc/passwd", ".obsidian/app.json", "a/.x.md"])
def test_a_path_out_of_the_vault_is_refused(kept: Memory, path: str) -> None:
    for confirm in (False, True):
        with pytest.raises(BadRequest):
            restore_op(kept, path, id_of(ONE), confirm=confirm)


@pytest.mark.parametrize("name", NOTES)
def test_every_awkward_note_comes_back_byte_for_byte(
    memory: Memory, vault_folder: Path, name: str
) -> None:
    path = put(vault_folder / "awkward/note.md", NOTES[name])
    old = id_of(memory.vault.read("awkward/note.md"))
    put_op(memory, "awkward/note.md", "# Other\n")

    restore_op(memory, "awkward/note.md", old, confirm=True)

    assert path.read_bytes() == NOTES[name]


def test_what_came_back_is_found_at_once(kept: Memory) -> None:
    restored(kept, "engine", ONE)

    assert recall_op(kept, "one")["primary"][0]["path"] == ENGINE


# What is no more, or elsewhere


def test_a_deleted_note_has_its_versions_and_comes_back(kept: Memory, note: Path) -> None:
    delete_op(kept, "engine")

    answer, shown = history_op(kept, "engine"), restore_op(kept, "engine", id_of(THREE))
    back = restored(kept, "engine", THREE)

    assert (answer["path"], answer["exists"]) == (ENGINE, False)
    assert [it["id"] for it in answer["versions"]] == [id_of(THREE), id_of(TWO), id_of(ONE)]
    assert answer["versions"][0]["summary_line"] == "the note was removed"
    assert "(the note is no more)" in report.text_of(answer)
    assert (shown["creates"], shown["removed"], shown["added"]) == (True, 0, 3)
    assert "would be made anew" in report.text_of(shown)
    assert (back["action"], back["creates"], back["undo"]) == ("restored", True, None)
    assert note.read_text() == THREE


def test_of_several_deleted_notes_of_one_name_the_whole_path_is_asked(kept: Memory) -> None:
    other = "areas/business/engine.md"
    put_op(kept, other, ONE)
    for path in (other, ENGINE):
        delete_op(kept, path)

    with pytest.raises(BadRequest) as raised:
        history_op(kept, "engine")

    assert raised.value.details["paths"] == [other, ENGINE]
    assert history_op(kept, ENGINE)["path"] == ENGINE


def test_a_note_that_is_there_comes_before_one_that_is_no_more(kept: Memory) -> None:
    put_op(kept, "engine.md", "# Other engine\n")
    delete_op(kept, "engine.md")

    assert history_op(kept, "engine")["path"] == ENGINE
    assert history_op(kept, "engine.md")["path"] == "engine.md"


def test_a_moved_note_keeps_its_versions(kept: Memory, note: Path, tmp_path: Path) -> None:
    moved = tmp_path / "vault/projects/archive/engine.md"
    moved.parent.mkdir(parents=True)
    note.rename(moved)
    kept.look()

    answer = history_op(kept, "engine")
    back = restored(kept, "engine", ONE)

    assert answer["path"] == "projects/archive/engine.md"
    assert [(it["id"], it["path"]) for it in answer["versions"]] == [
        (id_of(TWO), ENGINE),
        (id_of(ONE), ENGINE),
    ]
    assert f"· as {ENGINE}" in report.text_of(answer)
    assert back["path"] == "projects/archive/engine.md"
    assert moved.read_text() == ONE
    assert not note.exists()


def test_restored_where_it_was_a_moved_note_is_two_and_that_is_said(
    kept: Memory, note: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "vault/projects/archive/engine.md"
    moved.parent.mkdir(parents=True)
    note.rename(moved)
    kept.look()

    shown = restore_op(kept, ENGINE, id_of(ONE))
    back = restored(kept, ENGINE, ONE)

    assert shown["creates"] is back["creates"] is True
    for answer in (shown, back):
        assert "It may have been moved there" in answer["warnings"][0]
    assert (note.read_text(), moved.read_text()) == (ONE, THREE)


def test_a_namesake_that_is_still_there_lends_no_versions(kept: Memory) -> None:
    put_op(kept, "areas/business/engine.md", "# Other\n")
    put_op(kept, "areas/business/engine.md", "# Another\n")

    assert [it["id"] for it in versions(kept, ENGINE)] == [id_of(TWO), id_of(ONE)]


def test_a_file_that_is_no_note_has_versions_where_something_of_ours_replaced_it(
    kept: Memory, tmp_path: Path
) -> None:
    board = put(tmp_path / "vault/board.canvas", '{"nodes": []}')
    kept.edit("board.canvas", lambda _: "{}")

    answer = history_op(kept, "board.canvas")
    (version,) = answer["versions"]
    shown = restore_op(kept, "board.canvas", version["id"])
    restore_op(kept, "board.canvas", version["id"], confirm=True)

    assert answer["exists"] is True
    assert (shown["creates"], shown["removed"], shown["added"]) == (False, 1, 1)
    assert board.read_text() == '{"nodes": []}'


# Between the preview and the confirmation


def test_a_note_that_changed_since_the_preview_is_a_conflict_and_stays(
    kept: Memory, note: Path
) -> None:
    restore_op(kept, "engine", id_of(ONE))
    note.write_text("# Engine\n\nby hand\n")

    with pytest.raises(Conflict, match="Preview it again"):
        restored(kept, "engine", ONE)

    assert note.read_text() == "# Engine\n\nby hand\n"
    shown = restore_op(kept, "engine", id_of(ONE))
    assert "-by hand" in shown["diff"]
    restored(kept, "engine", ONE)
    assert note.read_text() == ONE


def test_a_note_that_came_since_the_preview_is_a_conflict(kept: Memory, note: Path) -> None:
    delete_op(kept, "engine")
    restore_op(kept, ENGINE, id_of(ONE))
    put(note, "by hand\n")

    with pytest.raises(Conflict):
        restored(kept, ENGINE, ONE)

    assert note.read_text() == "by hand\n"


def test_a_note_that_went_since_the_preview_is_a_conflict(kept: Memory, note: Path) -> None:
    restore_op(kept, ENGINE, id_of(ONE))
    note.unlink()

    with pytest.raises(Conflict):
        restored(kept, ENGINE, ONE)

    assert not note.exists()


def test_another_process_that_confirms_knows_what_was_previewed(
    kept: Memory, note: Path, tmp_path: Path
) -> None:
    restore_op(kept, "engine", id_of(ONE))
    note.write_text("by hand\n")
    other = open_memory(kept.config, clock=lambda: NOW, notify=lambda _: None)

    with pytest.raises(Conflict):
        restored(other, "engine", ONE)

    other.close()


def test_without_a_preview_it_replaces_what_is_there_and_that_can_be_undone(
    kept: Memory, note: Path
) -> None:
    note.write_text("by hand\n")

    answer = restored(kept, "engine", ONE)

    assert answer["undo"] == id_of("by hand\n")
    assert note.read_text() == ONE


def test_a_warm_memory_previews_the_note_as_it_is_and_not_as_it_was(
    kept: Memory, note: Path
) -> None:
    kept.look()
    warm = replace(kept, compares=False)
    note.write_text("# Engine\n\nby hand\n")

    shown = restore_op(warm, "engine", id_of(ONE))
    restored(warm, "engine", ONE)

    assert "-by hand" in shown["diff"]
    assert note.read_text() == ONE


def test_few_previews_are_remembered(kept: Memory) -> None:
    for number in range(PREVIEWS + 20):
        kept.history.preview(ENGINE, f"text {number}", over="there")

    rows = kept.history._file.ask("SELECT count(*) FROM preview")
    assert rows == [(PREVIEWS,)]
    assert not kept.history.was_shown_over(ENGINE, f"text {PREVIEWS + 19}", "other")
    assert kept.history.was_shown_over(ENGINE, "text 0", "other")


def test_a_preview_needs_no_state_folder_that_can_be_written(kept: Memory) -> None:
    with kept.history._file.changing() as database:
        database.execute("PRAGMA query_only = ON")

    shown = restore_op(kept, "engine", id_of(ONE))

    assert shown["action"] == "preview"


# While the vault is away


@pytest.fixture
def far(tmp_path: Path) -> Iterator[tuple[Memory, StandIn]]:
    """The same note behind a plugin that can go away."""
    (tmp_path / "vault").mkdir()
    with StandIn(tmp_path / "vault", KEY) as plugin:
        config = Config(Access.of(plugin.url, KEY), tmp_path / "state")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        bootstrap_op(echo)
        for text in (ONE, TWO, THREE):
            put_op(echo, ENGINE, text)
        yield echo, plugin
        echo.close()


def test_away_the_history_is_listed_and_shown_from_the_last_copy(
    far: tuple[Memory, StandIn],
) -> None:
    echo, plugin = far
    with plugin.away():
        listed, shown = history_op(echo, "engine"), restore_op(echo, "engine", id_of(ONE))

    assert listed["offline"] is shown["offline"] is True
    assert [it["id"] for it in listed["versions"]] == [id_of(TWO), id_of(ONE)]
    assert (shown["removed"], shown["added"]) == (1, 1)


def test_away_a_restore_waits_and_is_made_as_an_operation_that_can_be_undone(
    far: tuple[Memory, StandIn], note: Path
) -> None:
    echo, plugin = far
    with plugin.away():
        answer = restored(echo, "engine", ONE)

    flushed = flush(echo)

    assert answer["queued"] is True
    assert (flushed.done, note.read_text()) == (1, ONE)
    assert versions(echo)[0]["id"] == id_of(THREE)
    assert versions(echo)[0]["operation"] == "restore"


def test_what_a_write_replaces_that_waited_is_kept_when_it_is_made(
    far: tuple[Memory, StandIn],
) -> None:
    echo, plugin = far
    with plugin.away():
        put_op(echo, ENGINE, "# Engine\n\nfour\n")

    flush(echo)

    (newest, *_) = versions(echo)
    assert (newest["id"], newest["operation"]) == (id_of(THREE), "put")


def test_a_restore_that_waited_is_parked_where_the_note_is_another_by_then(
    far: tuple[Memory, StandIn], note: Path
) -> None:
    echo, plugin = far
    with plugin.away():
        restored(echo, "engine", ONE)
    note.write_text("by hand\n")

    flushed = flush(echo)

    assert (flushed.parked, note.read_text()) == (1, "by hand\n")


def test_a_restore_that_waits_is_not_of_a_note_that_changed_since_its_preview(
    far: tuple[Memory, StandIn], note: Path
) -> None:
    echo, plugin = far
    restore_op(echo, "engine", id_of(ONE))
    append_op(echo, "engine", "since then")
    with plugin.away(), pytest.raises(Conflict):
        restored(echo, "engine", ONE)

    assert echo.outbox.entries() == []


# How much is shown

LONG: dict[str, tuple[Callable[[], str], Callable[[], str]]] = {
    "many lines": (lambda: "a\n" * 20_000, lambda: "b\n" * 20_000),
    "one long line": (lambda: "a" * 500_000, lambda: "b" * 500_000),
    "no line alike": (
        lambda: "".join(f"old {n}\n" for n in range(3_000)),
        lambda: "".join(f"new {n}\n" for n in range(3_000)),
    ),
    "many small changes": (
        lambda: "".join(f"{n}\n" for n in range(3_000)),
        lambda: "".join(f"{n + (n % 9 == 0)}\n" for n in range(3_000)),
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_difference_is_cut_and_the_numbers_are_of_all_of_it(
    memory: Memory, name: str
) -> None:
    old, new = (make() for make in LONG[name])
    put_op(memory, ENGINE, old)
    put_op(memory, ENGINE, new)

    answer = restore_op(memory, "engine", id_of(old))

    pairs = list(zip(old.split("\n"), new.split("\n"), strict=True))
    differ = [at for at, (a, b) in enumerate(pairs) if a != b]
    changed = differ[-1] - differ[0] + 1  # too long to be compared: shown as replaced
    assert (answer["removed"], answer["added"]) == (changed, changed)
    assert answer["truncated"] is True
    assert len(answer["diff"]) <= MAX_DIFF
    assert "the rest of the difference is cut" in report.text_of(answer)


def test_a_difference_is_the_change_it_says_it_is(memory: Memory) -> None:
    chance = random.Random(7)
    for _ in range(40):
        old, new = ("".join(chance.choices("abc\n", k=60)) for _ in range(2))
        put_op(memory, ENGINE, new)
        put_op(memory, ENGINE, old)

        shown = restore_op(memory, "engine", id_of(new))

        if shown["action"] == "preview":
            assert patched(old, shown["diff"]) == new


def patched(text: str, diff: str) -> str:
    """What a unified diff makes of a text."""
    lines, out, at = text.split("\n"), [], 0
    for line in diff.split("\n"):
        if line.startswith("@@"):
            span = line.split()[1].lstrip("-").split(",")
            begin = int(span[0]) - (0 if span[1:] == ["0"] else 1)
            out += lines[at:begin]
            at = begin
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            assert lines[at] == line[1:]
            out += [] if line.startswith("-") else [lines[at]]
            at += 1
    return "\n".join([*out, *lines[at:]])
