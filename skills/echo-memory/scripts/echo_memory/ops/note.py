"""Notes: read one, add a line, change a section, a block or a key; put and delete one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from echo_memory import arguments, routing, sections, shared_index
from echo_memory.deed import doing
from echo_memory.envelope import Envelope, success
from echo_memory.errors import NotFound
from echo_memory.graph import Graph
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.queueing import flush, queued
from echo_memory.vault_paths import safe_path

DEFAULT_CHARS = 8_000
MIN_CHARS, MAX_CHARS = 200, 100_000
MAX_CONTENT = 200_000
MAX_TARGET = 10_000  # headings can be long
MAX_LINKING = 5
FLUSH_S = 5.0
OPERATIONS, TARGET_TYPES = sections.OPERATIONS, sections.TARGET_TYPES


def get_note_op(
    echo: Memory, path: str, *, section: str = "", max_chars: int = DEFAULT_CHARS
) -> Envelope:
    """Read a note, or one section of it.

    Args:
        echo: the memory.
        path: with or without `.md`, or an id.
        section: a heading, by as much of the end of its path as is unique.
        max_chars: how long the content may be, and the frontmatter, and the list of headings.

    Returns:
        `path`, `content` (below the frontmatter), `frontmatter` as data, `total_chars` of the
        content; when it was cut, also `truncated` and the `headings` that a narrower call may name.

    Raises:
        NotFound: no such note.
        InvalidTarget: no such section; `headings` lists those there are.
    """
    wanted = arguments.reference(path, "path")
    heading = arguments.text(section, "section", limit=MAX_TARGET).strip()
    arguments.integer(max_chars, "max_chars", low=MIN_CHARS, high=MAX_CHARS)
    view = echo.look()
    warnings = view.warnings
    note = echo.locate(wanted)
    if routing.table().kind_at(note.path) is None:
        warnings.append("This note stands outside the memory's own folders.")
    if note.fault is not None:
        warnings.append("The frontmatter does not parse; read without a section, it is shown.")
    whole = note.text if note.fault is not None else note.body
    content = (sections.section(note.text, heading) if heading else whole).strip("\r\n")
    frontmatter, left_out = _frontmatter(note, max_chars)
    if left_out:
        warnings.append(f"Too long to be shown, in the frontmatter: {', '.join(left_out)[:500]}.")
    return success(
        "get",
        path=note.path,
        content=content[:max_chars],
        frontmatter=frontmatter,
        total_chars=len(content),
        **_cut(note, content, max_chars),
        **view.fields,
        warnings=warnings,
    )


def _frontmatter(note: Note, room: int) -> tuple[dict[str, Any], list[str]]:
    """The keys that there is room for, and the names of those that are too long."""
    shown: dict[str, Any] = {}
    for key, value in note.frontmatter.items():
        length = len(key) + len(json.dumps(value, ensure_ascii=False))
        if length <= room:
            shown[key] = value
            room -= length
    return shown, [key for key in note.frontmatter if key not in shown]


def _cut(note: Note, content: str, max_chars: int) -> dict[str, object]:
    if len(content) <= max_chars:
        return {}
    headings, room = [], max_chars
    for heading in note.headings:
        room -= len(heading.path) + 2
        if room < 0:
            break
        headings.append(heading.path)
    return {"truncated": True, "headings": headings}


@queued("append")
def append_op(echo: Memory, path: str, line: str) -> Envelope:
    """Add a line at the end of a note, unless that whole line is already in it.

    Where the note ends with a `## Related`, that section stays the last: the line goes above it.

    Raises:
        NotFound: no such note; nothing is created.
    """
    wanted = arguments.reference(path, "path")
    words = arguments.text(line, "line", limit=MAX_CONTENT).strip("\n")
    arguments.reference(words, "line", limit=MAX_CONTENT)
    echo.prepare()
    note = echo.locate(wanted)
    edit = echo.edit(note.path, _existing(note, lambda text: sections.append_line(text, words)))
    return success("append", action=_action(edit.changed), path=note.path)


@queued("patch")
def patch_op(
    echo: Memory, path: str, *, operation: str, target_type: str, target: str, content: str
) -> Envelope:
    """Append, prepend or replace at a heading, a frontmatter key or a `^block`.

    Raises:
        NotFound: no such note.
        InvalidTarget: no such target; `headings`, `blocks` or `keys` list those there are.
        Unparseable: a frontmatter key of a note whose frontmatter does not parse.
    """
    wanted = arguments.reference(path, "path")
    arguments.choice(operation, "operation", OPERATIONS)
    arguments.choice(target_type, "target_type", TARGET_TYPES)
    where = arguments.text(target, "target", limit=MAX_TARGET, required=True)
    words = arguments.text(content, "content", limit=MAX_CONTENT)
    echo.prepare()
    note = echo.locate(wanted)

    def change(text: str) -> str:
        table = routing.table()
        return sections.patch(
            text,
            operation,
            target_type,
            where,
            words,
            date_keys=table.date_keys,
            kinds=table.types,
        )

    before = echo.catalog.entities.by_path(note.path)
    edit = echo.edit(note.path, _existing(note, change), once=True)
    named_otherwise = echo.catalog.entities.by_path(note.path) != before
    warnings = _moved_kind(note, Note(note.path, edit.after))
    warnings += shared_index.publish(echo) if named_otherwise else []
    return success("patch", action=_action(edit.changed), path=note.path, warnings=warnings)


def _moved_kind(before: Note, after: Note) -> list[str]:
    """A warning, where a note has become of another kind than its folder is for."""
    place = routing.table().kind_at(after.path)
    became = after.frontmatter.get("type")
    if place is None or became in (before.frontmatter.get("type"), place.name):
        return []
    return [f"The type is {became} now, but the note stands in the folder of a {place.name}."]


@queued("put")
def put_op(echo: Memory, path: str, text: str) -> Envelope:
    """Write a whole note, new or in the place of the old one; for the operator.

    One that waited for the vault is parked when the note is no longer the one that it was for.
    """
    wanted = _markdown(arguments.reference(path, "path"))
    arguments.text(text, "text")  # only checked: the note gets the line endings that it came with
    known = echo.catalog.get(wanted) if echo.mirror.is_known else None
    if echo.attempt:
        echo.attempt.expect(wanted, known.text if known else None, text)
    echo.prepare()
    edit = echo.edit(wanted, lambda _: text, once=True)
    warnings = shared_index.publish(echo)
    action = "created" if edit.before is None else _action(edit.changed)
    return success("put", action=action, path=wanted, warnings=warnings)


def delete_op(echo: Memory, path: str) -> Envelope:
    """Move a note into the vault's `.trash`; for the operator.

    Returns:
        `path`, `trashed_to`, `links_broken`, how many notes link to it, and `linked_from`, the
        paths of the first five of them.

    Raises:
        NotFound: no such note.
    """
    wanted = arguments.reference(path, "path")
    flush(echo, seconds=FLUSH_S)
    echo.prepare()
    note = echo.locate(wanted)
    linking = _linking(echo, note)
    with doing("delete") as deed:
        trashed_to = echo.trash(note.path)
    return success(
        "delete",
        path=note.path,
        trashed_to=trashed_to,
        links_broken=len(linking),
        linked_from=linking[:MAX_LINKING],
        warnings=[*deed.warnings, *shared_index.publish(echo)],
    )


def _linking(echo: Memory, note: Note) -> list[str]:
    """The paths of the other notes whose links lead to a note."""
    graph = Graph()
    for other in echo.catalog.notes():
        graph.put(other)
    others = (echo.catalog.get(path) for path in graph.sources(note.path) if path != note.path)
    return sorted(
        other.path
        for other in others
        if other
        and any(echo.catalog.resolve(link, other.path) == note.path for link in other.links)
    )


def _markdown(path: str) -> str:
    """A vault path that ends in `.md`; another suffix is not a note."""
    checked = safe_path(path)
    return checked if checked.lower().endswith(".md") else f"{checked}.md"


def _existing(note: Note, change: Callable[[str], str]) -> Callable[[str | None], str]:
    """A change that is only for a note that is still there."""

    def guarded(text: str | None) -> str:
        if text is None:
            raise NotFound("The note was removed meanwhile. Recall it again.", path=note.path)
        return change(text)

    return guarded


def _action(changed: bool) -> str:
    return "updated" if changed else "unchanged"
