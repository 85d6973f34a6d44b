"""Properties: adding to a frontmatter key, or setting it, with what a caller sends as text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from datetime import date
from typing import Any, NoReturn

from echo_memory import frontmatter
from echo_memory.errors import BadRequest, InvalidTarget

_LISTS = frozenset({"aliases", "cssclasses", "sources", "tags"})
_KIND = "type"
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}\S*)?")
_LINK = re.compile(r"\[\[[^\[\]]+\]\]")


def patch_property(
    text: str,
    operation: str,
    target: str,
    content: str,
    *,
    date_keys: Collection[str] = (),
    kinds: Collection[str] = (),
) -> str:
    """A note with a value set at a key that it has, or added to what is there.

    A list gets the items that it does not have; text is joined to text by a space; the keys of a
    map are united, the new values winning; nothing at all gives way to the value. Other values can
    only be replaced. A list stays a list, a date a date, and `type` a kind.

    Args:
        text: the note.
        operation: `append`, `prepend` or `replace`.
        target: the key as written, else in any case.
        content: JSON where it parses, else a string.
        date_keys: keys that hold a date; it is written without quotes.
        kinds: what the key `type` may hold; anything where none are given.

    Raises:
        BadRequest: the target is empty, or the value is not what the key holds, cannot be added to
            what is there, or cannot be written.
        InvalidTarget: the note has no such key; `keys` lists those that it has.
        Unparseable: the frontmatter cannot be read.
    """
    if not target.strip():
        raise BadRequest("target is empty. Name the frontmatter key.", field="target")
    held = frontmatter.parse(text)
    key = _key(list(held), target.strip())
    value = _value(content)
    try:
        if operation == "append" and _is_list(key, held[key]):
            return frontmatter.add_items(text, key, value if isinstance(value, list) else [value])
        if operation != "replace":
            value = _added(key, held[key], value, last=operation == "append")
        _check(key, held[key], value, date_keys, kinds)
        return frontmatter.set_keys(text, {key: value}, date_keys=date_keys)
    except BadRequest as error:
        raise BadRequest(error.message, field="content") from None


def _key(keys: list[str], wanted: str) -> str:
    chosen = [key for key in keys if key == wanted]
    chosen = chosen or [key for key in keys if key.casefold() == wanted.casefold()]
    if len(chosen) == 1:
        return chosen[0]
    listed = "Name one of those listed; a" if keys else "A"
    raise InvalidTarget(
        f"The frontmatter has no key {wanted[:80]!r}. {listed} patch adds none, but a capture that"
        " names the note as its merge_into adds tags, aliases, sources and a status.",
        keys=keys,
    )


def _value(content: str) -> Any:
    try:
        return json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        words = content.strip()
    # Whoever begins so means JSON; a wikilink is what Obsidian keeps in a property.
    if words.startswith(("[", "{", '"')) and not _LINK.fullmatch(words):
        raise BadRequest(
            "content begins like JSON and is none. Correct it, or send text as a JSON string.",
            field="content",
        )
    return words


def _check(
    key: str, held: object, value: object, date_keys: Collection[str], kinds: Collection[str]
) -> None:
    """Refuse a value of another sort than its key holds."""
    if _is_list(key, held) and not isinstance(value, list):
        wanted = 'a list. Give a JSON list such as ["a", "b"]; append adds one item'
    elif key in date_keys and not _is_day(value):
        wanted = "a date. Write it as YYYY-MM-DD"
    elif key == _KIND and kinds and value not in kinds:
        wanted = f"the kind of the note. Give one of: {', '.join(kinds)}"
    else:
        return
    raise BadRequest(f"{key[:80]} holds {wanted}.", field="content")


def _is_day(value: object) -> bool:
    """Whether a value is a day that there is, with or without a time."""
    found = _DAY.fullmatch(value) if isinstance(value, str) else None
    try:
        return found is not None and bool(date.fromisoformat(found[1]))
    except ValueError:
        return False


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are no JSON


def _is_list(key: str, held: object) -> bool:
    """Whether a key holds a list, or would if it held more than one value."""
    return isinstance(held, list) or (key in _LISTS and not isinstance(held, dict))


def _added(key: str, held: Any, value: Any, *, last: bool) -> Any:
    """What a key holds once a value is added; `last` says on which side."""
    if _is_list(key, held):
        items = held if isinstance(held, list) else [held] if held not in (None, "") else []
        new = value if isinstance(value, list) else [value]
        return [*(item for item in new if item not in items), *items]
    if held in (None, ""):
        return value
    if isinstance(held, str) and isinstance(value, str):
        left, right = (held, value) if last else (value, held)
        apart = left[-1:].isspace() or right[:1].isspace()
        return left + ("" if apart else " ") + right
    if isinstance(held, dict) and isinstance(value, dict):
        rest = {name: item for name, item in held.items() if name not in value}
        return {**held, **value} if last else {**value, **rest}
    raise BadRequest(
        f"Nothing can be added to what stands at {key[:80]!r}. Use replace.", field="content"
    )
