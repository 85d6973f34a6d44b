"""The awkward notes: one kind of trouble a file, each named after it, for tests of losslessness."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "fixtures" / "awkward"

# By name, decoded as the vaults do it: line endings as they are, and bytes that are not UTF-8 as
# lone surrogates.
NOTES = {
    path.stem: path.read_bytes().decode("utf-8", "surrogateescape")
    for path in sorted(_FOLDER.glob("*.md"))
}
