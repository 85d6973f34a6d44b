"""Doubts: where one word of a text, though it is somebody's name, may well mean another thing."""

from __future__ import annotations

from collections.abc import Sequence

from echo_memory.naming.nameparts import ARTICLES, LEGAL_FORMS, TITLES, word_set
from echo_memory.naming.names import Word

# Blots out what a reader does not see of a link: the words beside it are its neighbours.
UNSEEN = "\1"

_STARTS = frozenset('.!?:;…。！？|\n\r"“„«‚‘')

# Days and months are said far more often than meant as a name: they link in longer names alone.
_CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday "
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag "
    "january february march april may june july august september october november december "
    "januar janner februar marz mai juni juli oktober dezember"
)
# Words of every day, English and German, that are names as well. Where each word has a capital
# letter, at the start of a sentence, it is not seen which of the two they are; behind an article
# they are no name.
_ORDINARY = word_set(
    "amber angel art ash autumn bill brook buddy buck carol cash chance chase chip christian clay "
    "cliff colt crystal daisy dale dash dawn dean destiny dot drew duke earl faith fern frank gene "
    "glen grace grant guy harmony hazel heather heaven hope hunter iris ivy jack jewel joy lance "
    "laurel lily mark mason max melody mercy miles nick olive opal pat patience pearl penny poppy "
    "ray reed rich rob robin rose ruby sandy skip sky sterling stone sue summer trinity victor "
    "violet wade ward will winter woody "
    "engel ernst falk heide kai klein kurz lang linde rosa sommer stern viola wolf"
)
_BEFORE_NOUNS = ARTICLES | word_set("dem den des ein eine einem einen einer")


def is_doubtful(text: str, words: Sequence[Word], at: int) -> bool:
    """Whether a word that is a name, written with a capital letter, may not be that name here.

    It may not be when it stands beside another word with a capital letter, for it is then the part
    of a longer name (Café Anna Blume); nor when it is a day or month, or a word of every day where
    a sentence starts.

    Args:
        text: what is read; of links, what they show, the rest of them as `UNSEEN`.
        words: the words of the text.
        at: which of them.
    """
    name = words[at].folded
    if (
        name in _CALENDAR
        or _is_capital_before(text, words, at)
        or _is_capital_after(text, words, at)
    ):
        return True
    if name not in _ORDINARY:
        return False
    return _starts(text, words, at) or words[at - 1].folded in _BEFORE_NOUNS


def _is_capital_before(text: str, words: Sequence[Word], at: int) -> bool:
    if not at or not _are_neighbours(text, words[at - 1], words[at]):
        return False
    word = words[at - 1]
    return _is_part(text, word) and word.folded not in TITLES and not _starts(text, words, at - 1)


def _is_capital_after(text: str, words: Sequence[Word], at: int) -> bool:
    if at + 1 == len(words) or not _are_neighbours(text, words[at], words[at + 1]):
        return False
    return _is_part(text, words[at + 1]) and words[at + 1].folded not in LEGAL_FORMS


def _is_part(text: str, word: Word) -> bool:
    """Whether a word may be a part of the name beside it."""
    first = text[word.start]
    return first != first.lower() and word.folded != "i" and word.folded not in _CALENDAR


def _are_neighbours(text: str, one: Word, other: Word) -> bool:
    """Whether nothing but space is between two words of a line."""
    gap = text[one.end : other.start].replace(UNSEEN, "")
    return gap.isspace() and "\n" not in gap and "\r" not in gap


def _starts(text: str, words: Sequence[Word], at: int) -> bool:
    """Whether a sentence may start with this word."""
    before = words[at - 1].end if at else 0
    return not at or not _STARTS.isdisjoint(text[before : words[at].start])
