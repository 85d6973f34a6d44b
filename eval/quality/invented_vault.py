"""The invented vault: notes of 1 to 2 kB with words as frequent as those of a language (Zipf).

The same in every run: the language, the notes, and the words that are asked for.
"""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path

from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op

ONSETS, VOWELS = "bdfgklmnprstvz", "aeiou"
WORDS, SEED = 20_000, 7
KINDS = (
    ("concept", "resources/concepts"),
    ("person", "resources/people"),
    ("semantic", "_agent/memory/semantic"),
    ("meeting", "resources/meetings"),
)


class Language:
    """Words and their frequencies, the same in every run."""

    def __init__(self, *, asking: int | None = None) -> None:
        """Make the words up.

        Args:
            asking: a number by which other words are said than those of the notes.
        """
        self._random = random.Random(SEED)
        made: dict[str, None] = {}
        while len(made) < WORDS:
            made["".join(self._syllable() for _ in range(self._random.randint(2, 4)))] = None
        self.words = list(made)
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
        if asking is not None:
            self._random = random.Random(asking)

    def _syllable(self) -> str:
        return self._random.choice(ONSETS) + self._random.choice(VOWELS)

    def say(self, count: int) -> list[str]:
        """So many words, common ones more often."""
        return self._random.choices(self.words, cum_weights=self._weights, k=count)

    def note(self, number: int) -> tuple[str, str]:
        """Path and text of a note."""
        kind, folder = self._random.choice(KINDS)
        title = " ".join(word.capitalize() for word in self.say(2)) + f" {number}"
        slug = title.lower().replace(" ", "-")
        day = f"202{number % 6}-{number % 12 + 1:02}-{number % 28 + 1:02}"
        name = f"{day}-{slug}" if kind == "meeting" else slug
        body = "\n\n".join(" ".join(self.say(40)) for _ in range(self._random.randint(4, 7)))
        head = f"---\ntype: {kind}\ntitle: {title}\ncreated: {day}\nupdated: {day}\n---\n"
        return f"{folder}/{name}.md", f"{head}\n# {title}\n\n{body}\n"


def make_notes(folder: Path, language: Language, notes: int) -> None:
    """Put so many notes down."""
    for number in range(notes):
        path, text = language.note(number)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def make_vault(folder: Path, notes: int) -> None:
    """Make a folder with so many notes that is a memory already."""
    folder.mkdir()
    make_notes(folder, Language(), notes)
    seeding = folder.with_name(f"{folder.name}-seeding")
    memory = open_memory(Config(folder, seeding), notify=lambda _: None)
    bootstrap_op(memory)
    memory.close()
    for path in sorted(seeding.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    seeding.rmdir()


def invented(folder: Path) -> list[Path]:
    """The notes that were put down, and those that were captured since, in order."""
    notes = (path for _, place in KINDS for path in (folder / place).glob("*.md"))
    return sorted(path for path in notes if path.stem[-1].isdigit())


def title_of(note: Path) -> str:
    """The title that stands in a note's frontmatter."""
    lines = note.read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith("title: ")).removeprefix("title: ")
