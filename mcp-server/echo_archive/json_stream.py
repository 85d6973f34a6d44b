"""The JSON stream: a file of any size walked member by member, one value in memory at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from echo_archive.json_repair import end_of_value, repaired

CHUNK = 2**20
MAX_VALUE = 128 * 2**20
_BLANK = frozenset(" \t\r\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"[-+.\w]*+")
_DIGITS = frozenset("-0123456789")
_CUT_SHORT = 24
_BEHIND = frozenset(" \t\r\n,]}")


class BrokenJson(Exception):
    """The file cannot be walked any further; the message says why."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that could not be read, in the place where it would have come."""

    why: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """A value that was written wrongly and put right."""

    value: object


class JsonStream:
    """A walk through one JSON text.

    After a key that `members` yields, or a turn of `elements`, exactly one of `value`, `members`,
    `elements` or `values` takes what stands there.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._raw = json.JSONDecoder(strict=False).raw_decode
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no white space, "" at the end."""
        while True:
            self._at = _past_space(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def members(self) -> Iterator[str]:
        """The keys of the object that stands here."""
        self._take("{")
        while self.peek() != "}":
            key = self._scalar()
            if not isinstance(key, str):
                raise BrokenJson("a name is missing")
            self._take(":")
            yield key
            if self.peek() != "}":
                self._take(",")
        self._at += 1

    def elements(self) -> Iterator[None]:
        """A turn for each element of the list that stands here."""
        self._take("[")
        while self.peek() != "]":
            yield None
            if self.peek() != "]":
                self._take(",")
        self._at += 1

    def values(self) -> Iterator[object]:
        """The elements of the list that stands here; a faulty one as `Broken` or `Repaired`."""
        self._take("[")
        if self.peek() == "]":
            self._at += 1
            return
        raw = self._raw
        while True:
            text = self._text
            try:
                value, after = raw(text, self._at)
                mark = text[after]
                if mark in _BLANK:
                    after = _past_space(text, after)
                    mark = text[after]
            except (ValueError, IndexError, RecursionError):
                value, mark = None, ""
            if mark in (",", "]"):
                yield value
            else:
                yield self.value()
                mark, after = self.peek(), self._at
            self._at = after + 1
            if mark == "]":
                return
            if mark != ",":
                raise BrokenJson("a comma is missing" if mark else "the file ends in the middle")
            self.peek()

    def value(self) -> object:
        """Whatever stands here, whole; a faulty one as `Broken` or `Repaired`.

        Raises:
            BrokenJson: The file ends within it, or it is larger than anything real.
        """
        self.peek()
        while True:
            try:
                value, end = self._raw(self._text, self._at)
            except json.JSONDecodeError as problem:
                if not self._is_cut_short(problem):
                    return self._faulty()
                if not self._more():
                    return self._faulty()
            except (ValueError, RecursionError):  # a number of more digits than Python reads
                return self._faulty()
            else:
                whole = type(value) not in (int, float) or self._text[end : end + 1] in _BEHIND
                if (whole and end < len(self._text)) or not self._more():
                    self._at = end
                    return value

    def _is_cut_short(self, problem: json.JSONDecodeError) -> bool:
        if self._ended:
            return False
        # The error has no code; that of a string without an end stands at the string's beginning.
        return problem.msg.startswith("Unterminated") or problem.pos >= len(self._text) - _CUT_SHORT

    def _faulty(self) -> object:
        """The broken value that stands here, put right if it can be, and the walk behind it."""
        if self.peek() in _DIGITS:
            while self._end_of_number() == len(self._text) and self._more():
                pass
            self._at = self._end_of_number()
            return Broken("it is a number of too many digits")
        if self.peek() not in ("{", "["):
            raise BrokenJson(
                "the file ends in the middle" if self._ended else "a value is not JSON"
            )
        while (end := end_of_value(self._text, self._at)) is None:
            if not self._more():
                raise BrokenJson("the file ends in the middle")
        text, self._at = self._text[self._at : end], end
        try:
            return Repaired(repaired(text))
        except (ValueError, RecursionError):
            return Broken("it is not JSON")

    def _end_of_number(self) -> int:
        found = _NUMBER.match(self._text, self._at)
        return found.end() if found else self._at

    def _scalar(self) -> object:
        if self.peek() != '"':
            raise BrokenJson(
                "the file ends in the middle" if self.peek() == "" else "a name is missing"
            )
        return self.value()

    def _take(self, mark: str) -> None:
        found = self.peek()
        if found != mark:
            raise BrokenJson(f"{mark!r} is missing" if found else "the file ends in the middle")
        self._at += 1

    def _more(self) -> bool:
        """Another chunk behind what is not yet taken; False at the end of the file."""
        if self._ended:
            return False
        if len(self._text) - self._at > MAX_VALUE:
            raise BrokenJson("one value is larger than 128 MB")
        chunk = self._file.read(max(CHUNK, len(self._text) - self._at))
        self._ended = not chunk
        self._text = self._text[self._at :] + self._decode(chunk, self._ended)
        self._at = 0
        return not self._ended


def _past_space(text: str, at: int) -> int:
    if text[at : at + 1] not in _BLANK:
        return at
    found = _SPACE.match(text, at)
    return found.end() if found else at
