"""The history's vault: what is kept before a write, what is not, and what if it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from echo_memory import deed, difference
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest, Conflict, VaultIO
from echo_memory.history_vault import HistoryVault
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.lock import lock_op, unlock_op
from echo_memory.ops.note import append_op, delete_op, patch_op, put_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import list_op, route_op
from echo_memory.vault import Vault
from folders import put, snapshot

ENGINE, ADA = "projects/active/engine.md", "resources/people/ada-lovelace.md"
INBOX, CONTEXT = "inbox/captures/inbox.md", "_agent/context/current-context.md"
DAILY, INDEX = "journal/daily/2026-03-14.md", "_agent/index/entities.json"
SESSION = {"slug": "kickoff", "log_body": "Gears.", "agent_log_line": "Kickoff", "apply": True}


@pytest.fixture
def lived(memory: Memory) -> Memory:
    """A vault with a person, a project, three inbox items, and nothing in the history."""
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    capture_op(memory, "Engine", kind="project", body="Of brass.")
    for number in range(3):
        capture_op(memory, f"Buy brass {number}")
    assert kept(memory) == {}
    return memory


def kept(memory: Memory) -> dict[str, list[str | None]]:
    """All that the history has, newest first, by path."""
    rows = memory.history._file.ask("SELECT DISTINCT path FROM version")
    paths = [path.decode() for (path,) in rows]
    return {
        path: [memory.history.text(it.id, path) for it in memory.history.versions(path)]
        for path in paths
    }


def replace(memory: Memory, content: str = "Anew.", operation: str = "replace") -> Envelope:
    return patch_op(
        memory,
        "engine",
        operation=operation,
        target_type="heading",
        target="Engine",
        content=content,
    )


def file_first(memory: Memory) -> Envelope:
    item = list_op(memory)["items"][0]
    return route_op(memory, [{"line": item["id"], "title": "Brass", "kind": "concept"}], apply=True)


REPLACING: dict[str, tuple[Callable[[Memory], object], list[str]]] = {
    "put": (lambda echo: put_op(echo, ENGINE, "# Anew\n"), [ENGINE]),
    "put that only adds": (
        lambda echo: put_op(echo, ENGINE, echo.vault.read(ENGINE) + "More.\n"),
        [ENGINE],
    ),
    "patch that replaces": (replace, [ENGINE]),
    "patch that appends": (lambda echo: replace(echo, operation="append"), [ENGINE]),
    "patch of a key": (
        lambda echo: patch_op(
            echo,
            "engine",
            operation="replace",
            target_type="frontmatter",
            target="status",
            content="done",
        ),
        [ENGINE],
    ),
    "delete": (lambda echo: delete_op(echo, "engine"), [ENGINE]),
    "capture that merges": (
        lambda echo: capture_op(echo, "Engine", kind="project", body="Turns."),
        [ENGINE],
    ),
    "reflect that merges": (
        lambda echo: apply_op(
            echo, [{"title": "Engine", "kind": "project", "body": "Turns."}], apply=True
        ),
        [ENGINE],
    ),
    "merge into another": (
        lambda echo: capture_op(echo, "The machine", body="Turns.", merge_into="engine"),
        [ENGINE],
    ),
    "scope": (lambda echo: scope_set_op(echo, "Gears"), [CONTEXT]),
    "triage, of the inbox": (file_first, [INBOX]),
    "session with a scope": (lambda echo: session_end_op(echo, **SESSION, scope="x"), [CONTEXT]),
}


@pytest.mark.parametrize("name", REPLACING)
def test_before_a_text_is_replaced_it_is_kept(lived: Memory, vault_folder: Path, name: str) -> None:
    act, paths = REPLACING[name]
    before = {path: [(vault_folder / path).read_text()] for path in paths}

    act(lived)

    assert kept(lived) == before


ADDING: dict[str, Callable[[Memory], object]] = {
    "append": lambda echo: append_op(echo, "engine", "- [ ] call"),
    "append, of a line that is there": lambda echo: append_op(echo, "engine", "Of brass."),
    "link": lambda echo: link_op(echo, "engine", "ada-lovelace"),
    "capture of a new note": lambda echo: capture_op(echo, "Tea", kind="concept"),
    "capture into the inbox": lambda echo: capture_op(echo, "Buy tea"),
    "capture that changes nothing": lambda echo: capture_op(
        echo, "Engine", kind="project", body="Of brass."
    ),
    "session": lambda echo: session_end_op(echo, **SESSION),
    "two sessions, of the heartbeat": lambda echo: [
        session_end_op(echo, **{**SESSION, "slug": slug}) for slug in ("one", "two")
    ],
    "put of a new note": lambda echo: put_op(echo, "resources/x", "# X\n"),
    "put of the same text": lambda echo: put_op(echo, ENGINE, echo.vault.read(ENGINE)),
    "the vault's lock": lambda echo: (lock_op(echo), lock_op(echo, seconds=20), unlock_op(echo)),
}


@pytest.mark.parametrize("name", ADDING)
def test_where_nothing_of_a_person_is_replaced_nothing_is_kept(lived: Memory, name: str) -> None:
    ADDING[name](lived)

    assert kept(lived) == {}


def test_the_days_stamp_alone_is_no_loss(lived: Memory, vault_folder: Path) -> None:
    path = vault_folder / ENGINE
    path.write_text(path.read_text().replace("updated: 2026-03-14", "updated: 2026-03-13"))

    capture_op(lived, "Engine", kind="project", body="Turns.")

    assert "updated: 2026-03-14" in path.read_text()
    rows = lived.history._file.ask("SELECT loses FROM version")
    assert rows == [(0,)]


def test_one_operation_keeps_one_text_of_a_note_however_often_it_writes(
    lived: Memory, vault_folder: Path
) -> None:
    before = (vault_folder / INBOX).read_text()
    proposals = [
        {"line": item["id"], "title": f"Brass {at}", "kind": "concept", "force": True}
        for at, item in enumerate(list_op(lived)["items"])
    ]

    filed = route_op(lived, proposals, apply=True)

    assert filed["remaining"] == 0
    assert kept(lived)[INBOX] == [before]


def test_what_a_person_writes_between_two_writes_of_one_operation_is_kept(
    lived: Memory, vault_folder: Path
) -> None:
    vault, path = lived.vault, vault_folder / ENGINE
    first = path.read_text()

    with deed.doing("triage"):
        vault.write(ENGINE, "one\n", expected=first)
        path.write_text("by hand\n")
        vault.write(ENGINE, "two\n", expected="by hand\n")
        vault.write(ENGINE, "three\n", expected="two\n")

    assert kept(lived) == {ENGINE: ["by hand\n", first]}


def test_a_write_that_meets_another_text_keeps_the_one_that_it_replaces(
    lived: Memory, vault_folder: Path
) -> None:
    known = (vault_folder / ENGINE).read_text()
    lived.look()
    by_hand = put(vault_folder / ENGINE, known.replace("Of brass.", "Of steel, by hand."))
    replaced = by_hand.read_text()

    edit = lived.edit(ENGINE, lambda _: "# Anew\n")

    assert edit.before == replaced
    assert kept(lived)[ENGINE][0] == replaced


def test_what_the_vault_refuses_it_refuses_here_too(lived: Memory) -> None:
    with pytest.raises(BadRequest):
        lived.vault.write("../out.md", "x", expected="y")
    with pytest.raises(BadRequest):
        lived.vault.trash(".hidden.md", expected="y")
    with pytest.raises(Conflict):
        lived.vault.write(ENGINE, "x", expected="not this")


# Where the history cannot be used


@pytest.fixture
def forgetful(lived: Memory, tmp_path: Path) -> Memory:
    """The same, where nothing can be kept: a file stands where the history's folder belongs."""
    put(tmp_path / "state/history", "in the way")
    return lived


@pytest.mark.parametrize(
    "name",
    ["put", "patch that replaces", "patch of a key", "scope", "triage, of the inbox"],
)
def test_a_text_that_would_be_lost_stays_where_it_cannot_be_kept(
    forgetful: Memory, vault_folder: Path, name: str
) -> None:
    act, (path,) = REPLACING[name]
    before = (vault_folder / path).read_bytes()

    try:
        answer = act(forgetful)
    except VaultIO as error:
        message = error.message
    else:
        message = answer["results"][0]["error"]["message"]

    assert "The note was left as it was" in message
    assert "ECHO_STATE_DIR" in message
    assert str(vault_folder.parent) not in message
    assert (vault_folder / path).read_bytes() == before


@pytest.mark.parametrize("name", ["capture that merges", "patch that appends", "delete"])
def test_a_write_that_loses_nothing_is_made_with_a_warning(
    forgetful: Memory, vault_folder: Path, name: str
) -> None:
    act, (path,) = REPLACING[name]
    before = snapshot(vault_folder)

    answer = act(forgetful)

    assert answer["ok"]
    assert any("cannot be undone" in warning for warning in answer["warnings"])
    assert (
        snapshot(vault_folder)[str(vault_folder / path)] != before[str(vault_folder / path)]
        if (name != "delete")
        else (vault_folder / ".trash/engine.md").exists()
    )


@pytest.mark.parametrize("name", ADDING)
def test_a_write_that_asks_nothing_of_the_history_is_made_without_one(
    forgetful: Memory, name: str
) -> None:
    ADDING[name](forgetful)


# What counts as a loss


@pytest.mark.parametrize(
    ("before", "after", "loses"),
    [
        ("", "a", False),
        ("a", "a\nb", False),
        ("a\n", "a\nb\n", False),
        ("a", "b\na", False),
        ("a\nc", "a\nb\nc", False),
        ("a", "b", True),
        ("a\nb", "b\na", True),
        ("a\na", "a", True),
        ("a", "a b", True),
        ("a\r\nb\r\n", "a\r\nx\r\nb\r\n", False),
        ("a\n\nb", "a\nb", True),
        ("updated: 2026-03-13\na", "updated: 2026-03-14\na", False),
        ("scope_updated: '2026-03-13T10:00:00+01:00'\na", "a", False),
        ("updated: by Ada\na", "updated: 2026-03-14\na", True),
        ("updated: 2026-03-13 and more\na", "a", True),
        ("status: open", "status: done", True),
    ],
)
def test_a_change_loses_what_stood_in_a_line_that_is_gone(
    before: str, after: str, loses: bool
) -> None:
    assert difference.loses(before, after) is loses


def test_it_stands_between_the_memory_and_its_vault(memory: Memory) -> None:
    vault: Vault = memory.vault

    assert isinstance(vault, HistoryVault)
    assert INDEX not in kept(memory)
    assert DAILY not in kept(memory)
