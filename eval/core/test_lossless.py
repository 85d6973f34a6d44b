"""Losslessness: every operation, on every awkward note, changes what it must and no other line.

Each test says what its operation may add, and which old lines it may change; all others stay where
they are, byte for byte, and PyYAML reads from the frontmatter what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bytewise import NOTES, added, is_alike, lines, lost
from echo_memory import inbox
from echo_memory.errors import EchoError, InvalidTarget, Unparseable
from echo_memory.markdown.anchors import find as find_block
from echo_memory.markdown.headings import Heading, headings
from echo_memory.memory import Memory
from echo_memory.ops.bootstrap import bootstrap_op, reindex_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.health import doctor_op
from echo_memory.ops.link import link_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.load import load_op
from echo_memory.ops.note import append_op, get_note_op, patch_op
from echo_memory.ops.recall import recall_op
from echo_memory.ops.scope import scope_set_op, scope_show_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op
from echo_memory.vault import to_bytes, to_text
from folders import put, snapshot
from yaml_documents import judged

PATH = "resources/concepts/the-note.md"
ADDED = "An added line."
OPERATIONS = ("append", "prepend", "replace")

# No argument may hold these, and so no heading with one of them can be named.
UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

# What closes a fence, comment, formula or raw HTML that a note leaves open at its end.
CLOSING = re.compile(rb"`{3,}|~{3,}|%%|\$\$|-->|\]\]>|\?>|</\w+>")


def check(name: str, new: bytes, *, adds: Collection[bytes], free: Collection[int] = ()) -> None:
    """Hold an edit to what it may add, and to the numbers of the old lines that it may change."""
    old = NOTES[name]
    more = [line for line in added(old, new) if line not in adds and not CLOSING.fullmatch(line)]
    assert (name, lost(old, new, free=free), more) == (name, [], [])
    assert is_alike(old, new), name


def line_numbers(data: bytes, start: int, end: int) -> range:
    """The numbers of the lines from one offset in the note's text up to another."""
    text = to_text(data)
    last = text.count("\n", 0, end) + (end == len(text) and not text.endswith("\n"))
    return range(text.count("\n", 0, start), last)


def mended(data: bytes) -> str:
    """A note as PyYAML can take it, which knows no bytes that are not UTF-8."""
    return data.decode("utf-8", "replace")


@cache
def meant(data: bytes) -> dict[str, Any]:
    """What PyYAML reads from the frontmatter, if there is any."""
    found: dict[str, Any] = judged(mended(data)) if keys(data) else {}
    return found


@cache
def keys(data: bytes) -> list[tuple[str, range]]:
    """The keys of the frontmatter, and the numbers of the lines of each, as PyYAML finds them."""
    head, *rest = mended(data).removeprefix("\ufeff").split("\n")
    ends = [at for at, line in enumerate(rest) if line.rstrip() == "---"]
    if head.rstrip() != "---" or not ends:
        return []
    inner = rest[: ends[0]]
    try:
        root = yaml.compose("\n".join([*inner, ""]))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return [(line.partition(":")[0], range(0)) for line in inner if ":" in line]
    return [
        (
            str(key.value),
            range(1 + key.start_mark.line, 2 + max(value.end_mark.line, key.end_mark.line)),
        )
        for key, value in (root.value if isinstance(root, yaml.MappingNode) else ())
    ]


def patched(
    echo: Memory, operation: str, target_type: str, target: str, content: str = ADDED
) -> None:
    patch_op(
        echo, PATH, operation=operation, target_type=target_type, target=target, content=content
    )


# The end of the note


def test_appending_adds_its_line_once(memory: Memory, vault_folder: Path) -> None:
    for name, old in NOTES.items():
        file = put(vault_folder / PATH, old)

        append_op(memory, PATH, ADDED)
        once = file.read_bytes()
        append_op(memory, PATH, ADDED)

        check(name, once, adds={ADDED.encode()})
        assert file.read_bytes() == once, name
        assert lines(once)[-1].strip() == ADDED.encode(), name


def test_linking_adds_one_bullet_to_each_note(memory: Memory, vault_folder: Path) -> None:
    for name, old in NOTES.items():
        other = put(vault_folder / "resources/people/ada.md", "# Ada\n")
        path = f"resources/concepts/{name.rpartition('/')[2]}.md"
        file = put(vault_folder / path, old)

        link_op(memory, path, "ada")
        once = file.read_bytes()
        again = link_op(memory, "ada", path)

        check(name, once, adds={b"## Related", b"- [[ada|Ada]]"})
        assert (name, again["a_changed"], again["b_changed"]) == (name, False, False)
        assert other.read_bytes().startswith(b"# Ada\n\n## Related\n\n- [")
        file.unlink()


# A section, a block, a key


@pytest.mark.parametrize("operation", OPERATIONS)
def test_patching_a_section_changes_no_line_outside_it(
    memory: Memory, vault_folder: Path, operation: str
) -> None:
    tried = 0
    for name, old in NOTES.items():
        for heading in named(headings(to_text(old))):
            file = put(vault_folder / PATH, old)

            patched(memory, operation, "heading", heading.path)

            own = line_numbers(old, heading.body, heading.own_end)
            free = own if operation == "replace" else ()
            check(name, file.read_bytes(), adds={ADDED.encode()}, free=free)
            tried += 1
    assert tried > 150


def named(found: list[Heading]) -> Iterator[Heading]:
    """The headings that a caller can name: by a path of their own, in plain text."""
    paths = [heading.path for heading in found]
    for heading in found:
        sound = len(heading.path) < 10_000 and not UNSENDABLE.search(heading.path)
        if heading.title and sound and paths.count(heading.path) == 1:
            yield heading


@pytest.mark.parametrize("operation", OPERATIONS)
def test_patching_a_block_changes_no_line_outside_it_and_keeps_its_id(
    memory: Memory, vault_folder: Path, operation: str
) -> None:
    tried = 0
    for name, old in NOTES.items():
        for block in blocks(memory, vault_folder, old):
            file = put(vault_folder / PATH, old)

            patched(memory, operation, "block", block)

            new, anchor = file.read_bytes(), find_block(to_text(old), block)
            free = range(anchor.first, anchor.row + 1) if operation == "replace" else ()
            marked = [line for line in added(old, new) if ADDED.encode() in line or line == b">"]
            check(name, new, adds=[*marked, block.encode()], free=free)
            assert find_block(to_text(new), block).name == anchor.name, (name, block)
            tried += 1
    assert tried > 15


def blocks(echo: Memory, folder: Path, data: bytes) -> Iterator[str]:
    """The ids that a note has, as the error for one that it has not lists them."""
    put(folder / PATH, data)
    with pytest.raises(InvalidTarget) as raised:
        patched(echo, "append", "block", "^no-such-block")
    found = [block.casefold() for block in raised.value.details["blocks"]]
    for block in raised.value.details["blocks"]:
        if found.count(block.casefold()) == 1:
            yield block


@pytest.mark.parametrize(
    ("operation", "content"),
    [
        ("append", '["one", "two"]'),
        ("prepend", "New: value"),
        ("replace", "New: value"),
        ("replace", '["one", "two"]'),
        ("replace", "2026-01-02"),
    ],
)
def test_patching_a_key_changes_its_lines_and_pyyaml_reads_what_was_meant(
    memory: Memory, vault_folder: Path, operation: str, content: str
) -> None:
    tried = 0
    for name, old in NOTES.items():
        for key, own in keys(old):
            file = put(vault_folder / PATH, old)
            try:
                patched(memory, operation, "frontmatter", key, content)
            except EchoError as error:
                assert error.code in ("unparseable", "invalid-target", "bad-request")
                assert file.read_bytes() == old, name
                continue

            new = file.read_bytes()
            assert (name, key, lost(old, new, free=own)) == (name, key, [])
            assert is_alike(old, new), name
            before, after = meant(old), meant(new)
            assert {**before, key: None} == {**after, key: None}, (name, key)
            if operation == "replace":
                wanted = ["one", "two"] if content.startswith("[") else content
                assert (name, key, after[key]) == (name, key, wanted)
            tried += 1
    assert tried > 40


# Capturing into it

LISTS = ("tags", "aliases", "sources", "status", "updated")


def test_merging_adds_to_the_days_log_and_unites_the_lists(
    memory: Memory, vault_folder: Path
) -> None:
    refused = 0
    for name, old in NOTES.items():
        file = put(vault_folder / PATH, old)
        try:
            merge(memory)
        except Unparseable:
            assert file.read_bytes() == old, name
            refused += 1
            continue

        new = file.read_bytes()
        own = {at for key, numbers in keys(old) if key in LISTS for at in numbers}
        assert (name, lost(old, new, free=own)) == (name, [])
        assert {ADDED.encode(), b"### 2026-03-14", b"- and: an item"} <= set(added(old, new)), name
        assert is_alike(old, new), name
        assert_united(name, meant(old), meant(new))
        assert merge(memory)["action"] == "unchanged", name
        assert file.read_bytes() == new, name
    assert refused < len(NOTES) / 2


def merge(echo: Memory) -> dict[str, Any]:
    return capture_op(
        echo,
        "Another Name",
        body=f"{ADDED}\n\n- and: an item",
        tags=["alpha", "yes"],
        aliases=["Name: #2"],
        sources=["https://example.org/a#b"],
        status="done",
        merge_into="the-note",
    )


def assert_united(name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    wanted = {
        "tags": ["alpha", "yes"],
        "aliases": ["Name: #2", "Another Name"],
        "sources": ["https://example.org/a#b"],
    }
    for key, new in wanted.items():
        held = before.get(key)
        items = held if isinstance(held, list) else [] if held in (None, "") else [held]
        assert (name, key, after[key]) == (name, key, [*items, *new])
    assert (name, after["status"], after["updated"]) == (name, "done", "2026-03-14")
    rest = {key: value for key, value in before.items() if key not in LISTS}
    assert {key: value for key, value in after.items() if key not in LISTS} == rest, name


# Fixed notes of which a person made something else


def test_an_inbox_line_is_added_once(memory: Memory, vault_folder: Path) -> None:
    for name, old in NOTES.items():
        file = put(vault_folder / "inbox/captures/inbox.md", old)

        capture_op(memory, "Title", body="one\n\n- two")
        once = file.read_bytes()
        capture_op(memory, "Title", body="one\n\n- two")

        check(name, once, adds={b"- 2026-03-14 Title:", b"one", b"- two"})
        assert file.read_bytes() == once, name


def test_triage_takes_out_the_lines_of_its_item_and_one_blank_line_at_most(
    memory: Memory, vault_folder: Path
) -> None:
    tried = 0
    for name, old in NOTES.items():
        blank = {at for at, line in enumerate(lines(old)) if not line.strip()}
        for item in inbox.items(to_text(old), memory.today()):
            file = put(vault_folder / "inbox/captures/inbox.md", old)
            proposal = {"line": item.id, "title": "Filed", "kind": "semantic"}

            answer = triage_op(memory, proposals=[proposal], apply=True)

            assert answer["results"][0]["ok"], (name, answer)
            new, own = file.read_bytes(), line_numbers(old, item.start, item.end)
            check(name, new, adds=(), free={*own, *blank})
            left = len(lines(old)) - len(own) - len(lines(new))
            assert (name, left in (-1, 0, 1)) == (name, True)
            tried += 1
    assert tried > 150


def test_a_scope_changes_its_own_keys_and_sections(memory: Memory, vault_folder: Path) -> None:
    headed = {b"## Scope", b"Engine: work", b"## Scope History", b"- 2026-03-14: Engine: work"}
    for name, old in NOTES.items():
        file = put(vault_folder / "_agent/context/current-context.md", old)
        try:
            scope_set_op(memory, "Engine: work")
        except Unparseable:
            assert file.read_bytes() == old, name
            continue

        new = file.read_bytes()
        assert (name, lost(old, new), headed - set(added(old, new))) == (name, [], set())
        assert is_alike(old, new), name
        stamp = {"scope": "Engine: work", "scope_updated": "2026-03-14T09:26:53+01:00"}
        assert (name, meant(new)) == (name, {**meant(old), **stamp})
        assert scope_show_op(memory)["scope"] == "Engine: work", name


def test_a_log_line_is_added_to_the_day_once(memory: Memory, vault_folder: Path) -> None:
    for name, old in NOTES.items():
        file = put(vault_folder / "journal/daily/2026-03-14.md", old)

        capture_op(memory, "Tea", kind="concept")
        once = file.read_bytes()
        capture_op(memory, "Tea", kind="concept")

        check(name, once, adds={b"## Agent Log", b"- Captured [[tea|Tea]] (concept)"})
        assert file.read_bytes() == once, name


def test_a_session_is_logged_beside_a_note_of_its_name_and_the_heartbeat_keeps_its_lines(
    memory: Memory, vault_folder: Path
) -> None:
    bundle: dict[str, Any] = {"slug": "x", "log_body": "Gears.", "agent_log_line": "Kickoff"}
    for name, old in NOTES.items():
        log = put(vault_folder / "_agent/sessions/2026-03-14-x.md", old)
        heartbeat = put(vault_folder / "_agent/heartbeat/last-session.md", old)

        answer = session_end_op(memory, **bundle, apply=True)

        assert (name, answer["path"]) == (name, "_agent/sessions/2026-03-14-x-2.md")
        assert log.read_bytes() == old, name
        new = heartbeat.read_bytes()
        if not answer["ok"]:
            assert (name, answer["error"]["code"], new == old) == (name, "unparseable", True)
            continue
        assert (name, lost(old, new), is_alike(old, new)) == (name, [], True)
        stamp = {
            "slug": "2026-03-14-x-2",
            "path": answer["path"],
            "completed_at": "2026-03-14T09:26:53+01:00",
        }
        assert (name, meant(new)) == (name, {**meant(old), **stamp})


# All of them at once


def test_a_vault_of_nothing_but_awkward_notes_is_read_by_every_operation_and_stays_as_it_is(
    memory: Memory, vault_folder: Path
) -> None:
    for name, data in NOTES.items():
        put(vault_folder / f"resources/concepts/{name}.md", data)
    fixed = ("inbox/captures/inbox", "_agent/context/current-context", "journal/daily/2026-03-14")
    for path, data in zip((*fixed, "_agent/heartbeat/last-session"), NOTES.values(), strict=False):
        put(vault_folder / f"{path}.md", data)
    reindex_op(memory)
    before = snapshot(vault_folder)

    bootstrap_op(memory)
    reindex_op(memory)
    load_op(memory)
    load_op(memory, brief=False)
    recall_op(memory, "the title, text or part of a note", limit=20, budget_chars=20_000)
    doctor_op(memory)
    lint_op(memory)
    triage_op(memory)
    scope_show_op(memory)
    for name, data in NOTES.items():
        answer = get_note_op(memory, f"resources/concepts/{name}", max_chars=100_000)
        assert to_bytes(answer["content"]) in data

    assert snapshot(vault_folder) == before
