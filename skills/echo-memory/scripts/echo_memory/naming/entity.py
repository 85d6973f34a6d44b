"""An entity: a note that has a name others refer to, and the keys by which it is found."""

from __future__ import annotations

from dataclasses import dataclass

from echo_memory.naming.nameparts import NameParts, acronym, parse
from echo_memory.naming.postings import WORD
from echo_memory.naming.spelling import key
from echo_memory.text import file_key, fold

ID, NAME, FIRST_NAME, LAST_NAME = "#", "=", "^", "$"
_LETTERS, _ACRONYM = "~", "@"


@dataclass(frozen=True, slots=True)
class Entity:
    """A note that has a name.

    Attributes:
        slug: its id, the file name without `.md`.
        path: its vault path, with `.md`.
        kind: what it is.
        title: its name.
        aliases: what else it is called.
    """

    slug: str
    path: str
    kind: str
    title: str
    aliases: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """The file name without `.md`, whatever the note is known as."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    def names(self) -> list[tuple[str, str]]:
        """The names that are compared, each with what is said of it after a reason.

        A file name is one of them: it may be a title in other letters, or older than the title.
        """
        aliases = ((alias, f' (alias "{alias}")') for alias in self.aliases)
        same = self.stem.replace("-", " ") == self.title.lower()
        return [(self.title, ""), *aliases, *(() if same else ((self.stem, " (file name)"),))]

    def named(self, folded: str) -> tuple[int, str]:
        """Which of the names a folded one is, as rank and reason; the reason is "" for none."""
        if folded == fold(self.title):
            return 0, "same name"
        if any(folded == fold(alias) for alias in self.aliases):
            return 1, "alias"
        return (2, "file name") if folded in (fold(self.stem), fold(self.slug)) else (3, "")

    def keys(self) -> set[str]:
        """All that the entity can be found by."""
        keys = {ID + file_key(self.slug), NAME + fold(self.slug)}
        for name, _ in self.names():
            parts = parse(name)
            keys.add(NAME + parts.folded)
            keys.update(WORD + word for word in words_of(parts))
            keys.update(_LETTERS + letters for letters in _letters(parts))
            if first_letters := acronym(parts.words):
                keys.add(_ACRONYM + first_letters)
            if self.kind == "person" and parts.personal:
                keys.add(FIRST_NAME + key(parts.personal[0]))
                keys.add(LAST_NAME + key(parts.personal[-1]))
        return keys - {NAME}


def words_of(parts: NameParts) -> set[str]:
    """The words of a name by which notes with some of them are found, as spelling keys."""
    return {key(word) for word in {*parts.words, *parts.company, *parts.personal}}


def wholes_of(mention: NameParts) -> set[str]:
    """The keys of names of other words: written as one word, or as their first letters."""
    letters = _letters(mention)
    keys = {mark + form for mark in (_LETTERS, _ACRONYM) for form in letters}
    return (keys | {NAME + acronym(mention.words)}) - {NAME}


def _letters(parts: NameParts) -> set[str]:
    return {"".join(parts.words), "".join(parts.company)} - {""}
