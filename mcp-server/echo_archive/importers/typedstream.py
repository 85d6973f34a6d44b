"""The typed stream: the text in the `attributedBody` of an iMessage."""

from __future__ import annotations

from dataclasses import dataclass

_MAGIC = b"\x04\x0bstreamtyped"
_CLASS, _BYTES_FOLLOW = b"NSString", b"\x84\x01+"
_END_OF_TEXT = b"\x86\x84"
_TWO_BYTES, _FOUR_BYTES = 0x81, 0x82


@dataclass(frozen=True, slots=True)
class Text:
    """What was read; `whole` is False where the stream was shorter than it said."""

    text: str
    whole: bool = True


def text_of(stream: bytes) -> Text | None:
    """The text of an archived NSAttributedString, or None when this is none.

    The text is the contents of the first NSString: its class, then the mark for bytes, a length
    of one, two or four bytes, and UTF-8.
    """
    if not stream.startswith(_MAGIC):
        return None
    named = stream.find(_CLASS)
    begins = stream.find(_BYTES_FOLLOW, named) if named >= 0 else -1
    if begins < 0:
        return None
    size, start = _length(stream, begins + len(_BYTES_FOLLOW))
    if size is None:
        return None
    text = stream[start : start + size]
    if len(text) == size:
        return Text(text.decode("utf-8", "replace"))
    return Text(text.partition(_END_OF_TEXT)[0].decode("utf-8", "ignore"), whole=False)


def _length(stream: bytes, at: int) -> tuple[int | None, int]:
    """A length and where what it measures begins."""
    mark = stream[at : at + 1]
    if not mark:
        return None, at
    width = {_TWO_BYTES: 2, _FOUR_BYTES: 4}.get(mark[0], 0)
    if width == 0:
        return (mark[0] if mark[0] < _TWO_BYTES - 1 else None), at + 1
    digits = stream[at + 1 : at + 1 + width]
    return (int.from_bytes(digits, "little") if len(digits) == width else None), at + 1 + width
