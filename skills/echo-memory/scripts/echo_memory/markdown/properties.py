"""Properties: adding to a frontmatter key, or setting it, with what a caller sends as text."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NoReturn

from echo_memory import frontmatter
from echo_memory.errors import BadRequest, InvalidTarget

_LISTS = frozenset({"aliases", "cssclasses", "sources", "tags"})


def patch_property(
    text: str, operation: str, target: str, content: str, *, date_keys: Collection[str] = ()
) -> str:
    """A note with a value set at a key that it has, or added to what is there.

    A list gets the items that it does not have; text is joined to text by a space; the keys of a
    map are united, the new values winning; nothing at all gives way to the value. Other values can
    only be replaced.

    Args:
        text: the note.
        operation: `append`, `prepend` or `replace`.
        target: the key as written, else in any case.
        content: JSON where it parses, else a string.
        date_keys: keys at which a date is written without quotes.

    Raises:
        BadRequest: the target is empty, or the value cannot be added to what is there, or cannot
            be written.
        InvalidTarget: the note has no such key; `keys` lists those that it has.
        Unparseable: the frontmatter cannot be read.
    """
    if not target.strip():
        raise BadRequest("target is empty. Name the frontmatter key.", field="target")
    held = frontmatter.parse(text)
    key = _key(list(held), target.strip())
    value = _value(content)
    try:
        if operation == "replace":
            return frontmatter.set_keys(text, {key: value}, date_keys=date_keys)
        if operation == "append" and _is_list(key, held[key]):
            return frontmatter.add_items(text, key, value if isinstance(value, list) else [value])
        added = _added(key, held[key], value, last=operation == "append")
        return frontmatter.set_keys(text, {key: added}, date_keys=date_keys)
    except BadRequest as error:
        raise BadRequest(error.message, field="content") from None


def _key(keys: list[str], wanted: str) -> str:
    chosen = [key for key in keys if key == wanted]
    chosen = chosen or [key for key in keys if key.casefold() == wanted.casefold()]
    if len(chosen) == 1:
        return chosen[0]
    raise InvalidTarget(
        f"The frontmatter has no key {wanted[:80]!r}. Name one of those listed.", keys=keys
    )


def _value(content: str) -> Any:
    try:
        return json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return content.strip()


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
