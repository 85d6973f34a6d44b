"""A Russian stem: what the cases and tenses of one word have in common.

Endings only, the longest first, and never a word's first syllable. Words are folded, so that "й"
is "и" and "ё" is "е". Other languages in Cyrillic lose an ending or keep it, and are found by the
same form either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile("[а-я]{4,}")
_FIRST_SYLLABLE = re.compile("[^аеиоуыэюя]*[аеиоуыэюя]")
_LEAST = 3

_REFLEXIVE = ("ся", "сь")
_ENDINGS = """
иями ями ами иеи иям ием иях ях ам ом ах ев ов ие ье еи ои ии ем ия ья ию ью ям
ими ыми его ого ему ому ее ое ые им ым их ых ую юю ая яя ою ею ыи
ила ыла ена еите уите ите или ыли уи ил ыл ен ило ыло ено ят ует уют ит ыт ены ить ыть ишь
ала али ало ал ел ает ают аешь ать ял ели еть ла ло ли ете ешь ет ют ут ат ть
а е и о у ы ь ю я
"""
_BY_LENGTH = sorted(_ENDINGS.split(), key=lambda ending: (-len(ending), ending))
_FAMILY = ("ов", "ев", "ал", "ел", "ил")
_LAST_LETTERS = ("ь", "е", "и")


def stem(word: str) -> str:
    """The stem of a folded word in Cyrillic; any other word is its own."""
    if not _WORD.fullmatch(word):
        return word
    first = _FIRST_SYLLABLE.match(word)
    least = max(_LEAST, first.end() if first else _LEAST)
    word = _without(word, _REFLEXIVE, least)
    word = _without(word, _BY_LENGTH, least)
    # Петрова is of Петров, and проектов of проект: both lose the same, and материалы what материал
    # does, which might have been a verb.
    return _without(_without(word, _FAMILY, least), _LAST_LETTERS, least)


def _without(word: str, endings: Iterable[str], least: int) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word
