"""YAML scalars: where a quoted, plain or block scalar ends, and what text it holds.

A document given to these functions has no characters that YAML forbids, and CR only before LF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DOUBLE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SINGLE = re.compile(r"'[^']*+(?:''[^']*+)*+'")
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPES = {
    **{"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f"},
    **{"r": "\r", "e": "\x1b", " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85"},
    **{"_": "\xa0", "L": "\u2028", "P": "\u2029"},
}

_BLOCK_START = re.compile(r"[^-?:,\[\]{}#&*!|>'\"%@` \t\r\n]|[-?:](?=[^ \t\r\n])")
_FLOW_START = re.compile(r"[^-?:,\[\]{}#&*!|>'\"%@` \t\r\n]|-(?=[^ \t\r\n,?:\[\]{}])")


def _plain_pattern(brackets: str, marks: str) -> re.Pattern[str]:
    """One line of a plain scalar; `marks` end it, `brackets` make a colon before them end it."""
    colon = rf":(?=[^ \t\r\n{brackets}])"
    inside = rf"(?:[^ \t\r\n:{marks}]|{colon})"
    first = rf"(?:[^ \t\r\n:#{marks}]|{colon})"
    return re.compile(rf"{first}{inside}*+(?: ++{first}{inside}*+)*+")


_BLOCK_LINE = _plain_pattern("", "")
_FLOW_LINE = _plain_pattern(r",\[\]{}", r",?\[\]{}")
_LINE_BREAKS = re.compile(r" *+(?:\r?\n *+)++")

_HEADER = re.compile(r"([|>])([-+]?+)([1-9]?+)([-+]?+)(?=[ \r\n])")
_HEADER_REST = re.compile(r" *+(?:(?<= )#[^\n]*+)?+\r?\n")


class Fault(ValueError):
    """What stands here cannot be read, or not surely.

    Attributes:
        reason: what is the matter, in words that do not quote the document.
        at: offset in the document.
    """

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True)
class Scalar:
    """A scalar's text, and the offset behind its last character."""

    text: str
    end: int


def quoted(document: str, start: int) -> Scalar:
    """The single- or double-quoted scalar that begins at `start`.

    Raises:
        Fault: it does not end, or has an escape that YAML does not know.
    """
    double = document[start] == '"'
    found = (_DOUBLE if double else _SINGLE).match(document, start)
    if not found:
        raise Fault("a quoted value does not end", start)
    raw = found[0][1:-1]
    if double:
        return Scalar(_double(raw, start), found.end())
    return Scalar(fold(raw).replace("''", "'"), found.end())


def plain_line(document: str, start: int, *, flow: bool) -> int | None:
    """Where a plain scalar that begins at `start` ends at the latest on its line, if one does."""
    if not (_FLOW_START if flow else _BLOCK_START).match(document, start):
        return None
    found = (_FLOW_LINE if flow else _BLOCK_LINE).match(document, start)
    return found.end() if found else None


def plain(document: str, start: int, *, flow: bool, indent: int = 0) -> Scalar:
    """The plain scalar that begins at `start`, over as many lines as it has.

    Args:
        document: the whole of it.
        start: offset of the first character.
        flow: it stands within brackets.
        indent: the least indentation of its further lines, outside of brackets.

    Raises:
        Fault: no plain scalar can begin like this.
    """
    end = plain_line(document, start, flow=flow)
    if end is None:
        raise Fault("a value begins with a tab or a sign; quote it", start)
    pattern = _FLOW_LINE if flow else _BLOCK_LINE
    while breaks := _LINE_BREAKS.match(document, end):
        column = breaks.end() - document.rfind("\n", 0, breaks.end()) - 1
        line = pattern.match(document, breaks.end())
        if not line or (not flow and column < indent):
            break
        end = line.end()
    return Scalar(fold(document[start:end]), end)


def fold(raw: str) -> str:
    """The text of a scalar over several lines: a line end is a space, each blank line an LF."""
    return "".join(_folded(raw.replace("\r\n", "\n").split("\n"), escapes=False))


def _folded(lines: list[str], *, escapes: bool) -> Iterator[str]:
    """The lines without their margins, each after what joins it to the one before."""
    blanks, joint, last = 0, "", len(lines) - 1
    for number, line in enumerate(lines):
        text = line.lstrip(" \t") if number else line
        if number < last:
            text, glued = _without_margin(text, escapes=escapes)
            if not text and not glued and number:
                blanks += 1
                continue
        else:
            glued = False
        yield "\n" * blanks or joint if number else ""
        yield text
        blanks, joint = 0, "" if glued else " "


def _without_margin(line: str, *, escapes: bool) -> tuple[str, bool]:
    """A line without its right margin; and whether a backslash takes back the line end."""
    text = line.rstrip(" \t")
    backslashes = len(text) - len(text.rstrip("\\")) if escapes else 0
    if backslashes % 2 == 0:
        return text, False
    if len(text) < len(line):
        return line[: len(text) + 1], False
    return text[:-1], True


def _double(raw: str, start: int) -> str:
    def meant(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code is None:
            char = _ESCAPES.get(found[4])
        else:
            point = int(code, 16)
            char = None if point > 0x10FFFF or 0xD800 <= point < 0xE000 else chr(point)
        if char is None:
            raise Fault("a backslash in double quotes that YAML does not know", start)
        return char

    lines = raw.replace("\r\n", "\n").split("\n")
    return _ESCAPED.sub(meant, "".join(_folded(lines, escapes=True)))


def block(document: str, start: int, parent: int) -> Scalar:
    """The literal (`|`) or folded (`>`) block scalar whose header begins at `start`.

    Args:
        document: the whole of it.
        start: offset of the header.
        parent: indentation of the list or map that it stands in.

    Raises:
        Fault: the header is not one.
    """
    header = _HEADER.match(document, start)
    rest = _HEADER_REST.match(document, header.end()) if header else None
    if not header or not rest or (header[2] and header[4]):
        raise Fault("the head of a block of text cannot be read", start)
    least = max(parent + 1, 1)
    explicit = least + int(header[3]) - 1 if header[3] else None
    rows = list(_rows(document, rest.end(), least, explicit))
    chomp = header[2] or header[4]
    filled = [number for number, (row, _) in enumerate(rows) if row is not None]
    count = filled[-1] + 1 if filled else 0
    text = "".join(_joined([row for row, _ in rows[:count]], folded=header[1] == ">"))
    if chomp != "-" and filled:
        text += "\n"
    if chomp == "+":
        text += "\n" * (len(rows) - count)
        count = len(rows)
    return Scalar(text, rows[count - 1][1] if count else header.end())


def _rows(
    document: str, start: int, least: int, indent: int | None
) -> Iterator[tuple[str | None, int]]:
    """A block scalar's lines without the indentation (None: blank), each with its end."""
    widest = least
    while start < len(document):
        end = document.find("\n", start)
        end = len(document) if end < 0 else end
        line = document[start:end].removesuffix("\r")
        content = line.lstrip(" ")
        lead = len(line) - len(content)
        if indent is None:
            widest = max(widest, lead)
            indent = widest if content else None
        if not content and (indent is None or lead <= indent):
            yield None, start + len(line)
        elif indent is None or lead < indent:
            return
        else:
            yield line[indent:], start + len(line)
        start = end + 1


def _joined(rows: list[str | None], *, folded: bool) -> Iterator[str]:
    """The text of a block scalar, up to the end of its last line that is not blank."""
    blanks, before = 0, None
    for row in rows:
        if row is None:
            blanks += 1
            continue
        if before is not None:
            even = folded and before[0] not in " \t" and row[0] not in " \t"
            yield "\n" if not even else "" if blanks else " "
        yield "\n" * blanks
        yield row
        blanks, before = 0, row
