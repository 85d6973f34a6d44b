"""Words: an answer of the archive as text, for a model or a person that sees only that.

Whatever other people wrote stands behind `>` or between quotation marks, and no control character
of theirs gets through: no message can look like the head of another one, or move a cursor.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from echo_archive.highlights import MARK

_Fields = Mapping[str, Any]


def text_of(envelope: _Fields) -> str:
    """The whole answer in words; of an error, a line with its code, its field and what to do."""
    if "error" in envelope:
        return _fault(envelope["error"])
    lines = [*_WORDS[str(envelope["op"])](envelope)]
    if envelope.get("note"):
        lines.append(f"Note: {envelope['note']}")
    if envelope.get("next_cursor"):
        lines.append(f"There is more: the same again with cursor={envelope['next_cursor']}")
    return "\n".join(lines)


def _fault(error: _Fields) -> str:
    named = f" ({error['field']})" if error.get("field") else ""
    return f"{error['code']}{named}: {_line(error['message'])}"


def _conversations(envelope: _Fields) -> Iterator[str]:
    yield f"{_count(envelope, 'conversation')}, the newest first."
    for one in envelope["conversations"]:
        yield from _conversation(one)


def _conversation(one: _Fields) -> Iterator[str]:
    others = one["participant_count"] - len(one["participants"])
    more = f" and {others} more" if others else ""
    yield f"- {_name(one['conversation'])} · {one['source']} · {one['kind']} · {_id(one)}"
    yield f"  with {', '.join(map(_name, one['participants'])) or 'nobody named'}{more}"
    if one["other_names"]:
        yield f"  also called {', '.join(map(_name, one['other_names']))}"
    yield (
        f"  {_many(one['message_count'], 'message')} from {one['first_timestamp']} to"
        f" {one['last_timestamp']} (on the clock {one['last_local_time']}, {one['zone']})"
    )
    kinds = ("image", "video", "file", "link")
    yield "  " + ", ".join(_many(one[f"{kind}_count"], kind) for kind in kinds)


def _transcript(envelope: _Fields) -> Iterator[str]:
    yield from _conversation(envelope)
    end = envelope["page"]
    yield f"{_count(envelope, 'message')} from its {end} end, in the order of time."
    yield from _messages(envelope, "messages")


def _context(envelope: _Fields) -> Iterator[str]:
    before, after = (envelope[f"more_{side}"] for side in ("before", "after"))
    ends = {(True, True): "before and after", (True, False): "before", (False, True): "after"}
    more = f" There are more {ends[before, after]}." if before or after else ""
    yield f"{_count(envelope, 'message')} in the order of time.{more}"
    yield from _messages(envelope, "messages")


def _hits(envelope: _Fields) -> Iterator[str]:
    how = f" ({envelope['mode']})" if "mode" in envelope else ""
    yield f"{_count(envelope, 'hit')}{how}, the best first."
    yield from _messages(envelope, "hits")


def _media(envelope: _Fields) -> Iterator[str]:
    yield f"{_count(envelope, 'attachment')}, the newest first."
    yield from _messages(envelope, "media")


def _links(envelope: _Fields) -> Iterator[str]:
    yield f"{_count(envelope, 'address')}, the newest first."
    yield from _messages(envelope, "links")


def _messages(envelope: _Fields, name: str) -> Iterator[str]:
    if envelope[name]:
        yield envelope["quoted"]
    for row in envelope[name]:
        yield from _row(row)


def _row(row: _Fields) -> Iterator[str]:
    """A row of any answer: where it comes from, what it says, and what hangs on it."""
    sender = _name(row["sender"]) if row["sender"] is not None else "nobody known"
    owner = " (the owner)" if row["is_me"] else ""
    yield (
        f"- {row['local_time']} {row['zone']} · {sender}{owner} · in {_name(row['conversation'])}"
        f" · {row['source']} · {_id(row)}"
    )
    yield f"  {row['timestamp']} · message_id {row['message_id']} · hash {row['hash']}"
    yield from _facts(row)
    yield from (f"  > {_clean(line)}" for line in row["text"].splitlines())
    if row.get("truncated"):
        yield "  (cut here)"
    if _plain(row.get("body", row["text"])) != _plain(row["text"]):
        yield "  (a passage: get_context has the whole message)"
    for one in row.get("attachments", ()):
        yield f"  attached: {_attachment(one)}"
    if isinstance(row.get("links"), list):
        yield from (f"  link: {_line(url)}" for url in row["links"])
    for one in row.get("reactions", ()):
        times = f" {one['count']} times" if one["count"] != 1 else ""
        by = f" by {_name(one['actor'])}" if one["actor"] is not None else ""
        yield f"  reaction: {_line(one['emoji'])}{by}{times}"


def _facts(row: _Fields) -> Iterator[str]:
    marks = [_MARKS[key] for key in _MARKS if row.get(key)]
    scores = [f"{key} {row[key]}" for key in _SCORES if row.get(key) is not None]
    if marks or scores:
        yield f"  {' · '.join([*marks, *scores])}"
    if "url" in row:
        times = "once" if row["occurrences"] == 1 else f"{row['occurrences']} times"
        yield f"  link: {_line(row['url'])} · {_line(row['domain'])} · {times}"
    if "available" in row:
        yield f"  attached: {_attachment(row)}"
    for key, words in _SAID.items():
        if row.get(key):
            yield f"  {words} {_name(row[key])}"


_MARKS = {
    "asked_for": "this is the message asked for",
    "system": "an event, typed by nobody",
    "edited": "edited",
    "deleted": "deleted by its sender",
}
_SCORES = ("score", "similarity", "keyword_score", "keyword_rank", "semantic_rank")
_SAID = {
    "event": "event:",
    "forwarded_from": "forwarded from",
    "reply_to": "in reply to message_id",
    "reply_quote": "in reply to",
}


_NO_FILES = ("contact", "location")


def _attachment(one: _Fields) -> str:
    size = f"{one['size']} bytes" if one["size"] is not None else None
    where = f"at {_name(one['path'])}" if one["path"] else None
    named = _name(one["name"]) if one["name"] else None
    there = None if one["kind"] in _NO_FILES else "there" if one["available"] else "not there"
    return " · ".join(filter(None, (one["kind"], named, one["media_type"], size, where, there)))


def _id(row: _Fields) -> str:
    return f"conversation_id {_name(row['conversation_id'])}"


def _count(envelope: _Fields, noun: str) -> str:
    return _many(envelope["count"], noun)


def _many(count: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def _plain(passage: str) -> str:
    """A text without the marks of what was found in it."""
    return passage.replace(MARK, "")


def _name(said: str) -> str:
    """Somebody's words between quotation marks, none of which they can close."""
    return json.dumps(_line(said), ensure_ascii=False)


def _line(said: object) -> str:
    return _clean(" ".join(part.strip() for part in str(said).splitlines()))


def _clean(line: str) -> str:
    """A line without control characters, which a terminal would obey."""
    if line.isprintable():
        return line
    return "".join(
        "\ufffd" if unicodedata.category(letter) == "Cc" and letter != "\t" else letter
        for letter in line
    )


_WORDS: dict[str, Callable[[_Fields], Iterator[str]]] = {
    "list_conversations": _conversations,
    "get_conversation": _transcript,
    "search_messages": _hits,
    "semantic_search": _hits,
    "get_context": _context,
    "list_media": _media,
    "list_links": _links,
}
