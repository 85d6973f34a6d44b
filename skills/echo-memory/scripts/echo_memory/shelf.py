"""The shelf: all notes of a vault as they are known, in memory or in a file of this process alone.

A server knows too many notes to hold their texts in memory. They stand in a file without a name
then, which ends with the process and which nobody else can change: of each note a number tells
where. A note that the disk refuses is held in memory.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

from echo_memory.note import Note
from echo_memory.recent import Recent

_RECENT = 512  # notes that are held as they were read, for they are often asked for again
_LEAST_WASTE = 1 << 24
_AT_ONCE = 1 << 20  # bytes that are written together: most of a write is the call
# Where a note stands: offset, bytes of its text, bytes of its head and signature, in one integer,
# which is a third of what a tuple takes.
_BITS = 32
_SIGNATURE_BITS = 64
_MASK = (1 << _BITS) - 1


class Shelf:
    """Notes by path; readers take no lock, writers take turns."""

    def __init__(self, folder: Path | None = None) -> None:
        """No notes yet.

        Args:
            folder: where the file of the texts is made; None to hold them in memory.
        """
        self._folder = folder
        self._writing = threading.Lock()
        # The file and the places in it are exchanged together.
        self._kept: tuple[_Volume | None, dict[str, int | Note]] = None, {}
        self._recent = Recent[tuple[int, Note]](_RECENT)

    def __len__(self) -> int:
        return len(self._kept[1])

    def __contains__(self, path: object) -> bool:
        return path in self._kept[1]

    def __iter__(self) -> Iterator[Note]:
        """All notes, in no particular order, each read when its turn comes."""
        for path in self.paths():
            note = self.get(path)
            if note is not None:
                yield note

    def paths(self) -> list[str]:
        """The paths of all notes, in no particular order."""
        return list(self._kept[1])

    def get(self, path: str) -> Note | None:
        """The note at exactly this path."""
        volume, places = self._kept
        place = places.get(path)
        if place is None or isinstance(place, Note):
            return place
        recent = self._recent.get(path)
        if recent is not None and recent[0] == place:
            return recent[1]
        note = volume.read(path, place) if volume is not None else None
        if note is not None:
            self._recent.put(path, (place, note))
        return note

    def signature(self, path: str) -> int | None:
        """What two texts of a note have in common only when they are the same."""
        place = self._kept[1].get(path)
        if isinstance(place, Note):
            return place.signature
        return None if place is None else place & ((1 << _SIGNATURE_BITS) - 1)

    def put(self, note: Note) -> bool:
        """Take a note up in the place of the one that has its path; whether it is another one."""
        with self._writing:
            if self._says(note):
                return False
            self._let_go(self._kept[1].get(note.path))
            place = self._placed(note)
            self._kept[1][note.path] = place
            return True

    def drop(self, path: str) -> bool:
        """Forget a note; whether there was one."""
        with self._writing:
            known = self._kept[1].pop(path, None)
            self._recent.pop(path)
            self._let_go(known)
            return known is not None

    def _says(self, note: Note) -> bool:
        """Whether a note says the same already.

        Only the text tells: signatures come from a file, where either may have been damaged.
        """
        if self.signature(note.path) != note.signature:
            return False
        known = self.get(note.path)
        return known is not None and known.text == note.text

    def _placed(self, note: Note) -> int | Note:
        """Where a note was put; the note itself where that is memory."""
        if self._folder is None:
            return note
        volume, places = self._kept
        try:
            if volume is None:
                volume = _Volume(self._folder)
                self._kept = volume, places
            elif volume.wasted > max(_LEAST_WASTE, volume.size // 2):
                volume = self._rewritten(volume, self._folder)
            return volume.append(note)
        except (OSError, UnicodeEncodeError):
            return note

    def _rewritten(self, old: _Volume, folder: Path) -> _Volume:
        """What still counts in a file of its own; readers go on with the old one until then."""
        new, places = _Volume(folder), dict(self._kept[1])
        for path, place in places.items():
            if not isinstance(place, Note):
                places[path] = new.copy(old, place)
        self._kept = new, places
        return new

    def _let_go(self, place: int | Note | None) -> None:
        volume = self._kept[0]
        if volume is not None and isinstance(place, int):
            volume.wasted += _size(place)


class _Volume:
    """A file without a name that only grows; it ends with the object.

    Its end stands in memory until there is enough of it to be written.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        # Where the end begins and what it says: exchanged together, for readers take no lock.
        self._end = 0, bytearray()
        self.wasted = 0

    @property
    def size(self) -> int:
        """How many bytes it has."""
        written, end = self._end
        return written + len(end)

    def append(self, note: Note) -> int:
        """Write a note; returns its place.

        Raises:
            OSError: the disk refuses it.
            UnicodeEncodeError: no file can hold it.
        """
        text = note.text.encode("utf-8", "surrogateescape")
        packed = note.head or b""
        return self._append(text + packed, len(text), len(packed), note.signature)

    def copy(self, other: _Volume, place: int) -> int:
        """Write what another file has at a place; returns its place here."""
        text, packed, said = _parts(place)[1:]
        return self._append(other._bytes(place), text, packed, said)

    def read(self, path: str, place: int) -> Note | None:
        """The note at a place; None where there is none."""
        _, length, packed, said = _parts(place)
        data = self._bytes(place)
        if len(data) < length + packed:
            return None
        text = data[:length].decode("utf-8", "surrogateescape")
        return Note.known(path, text, data[length:], said)

    def _bytes(self, place: int) -> bytes:
        offset, length, packed, _ = _parts(place)
        written, end = self._end
        if offset >= written:
            return bytes(end[offset - written : offset - written + length + packed])
        return os.pread(self._file, length + packed, offset)

    def _append(self, data: bytes, text: int, packed: int, said: int) -> int:
        if len(self._end[1]) >= _AT_ONCE:
            self._write()
        written, end = self._end
        offset = written + len(end)
        end += data
        return (((offset << _BITS | text) << _BITS | packed) << _SIGNATURE_BITS) | said

    def _write(self) -> None:
        """Write the end, all of it or nothing that counts."""
        start, end = self._end
        at = 0
        with memoryview(end) as data:
            while at < len(data):
                at += os.pwrite(self._file, data[at:], start + at)
        self._end = start + len(end), bytearray()


def _parts(place: int) -> tuple[int, int, int, int]:
    """Offset, bytes of the text, bytes of the head, and signature."""
    where = place >> _SIGNATURE_BITS
    said = place & ((1 << _SIGNATURE_BITS) - 1)
    return where >> 2 * _BITS, (where >> _BITS) & _MASK, where & _MASK, said


def _size(place: int) -> int:
    _, text, packed, _ = _parts(place)
    return text + packed
