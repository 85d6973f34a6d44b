"""A stem: what the forms of one word have in common.

The rules are few and look at endings only, so words of other languages are not damaged: at worst
one loses the same plain ending in the question and in the note. Many a German ending goes the
same way; one that English has not (-en) is left only to long words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from echo_memory.retrieval import russian

# Forms that no ending gives away, each group's plain form first. A question asks with the plain
# form ("what did I buy"), a note answers with the past ("bought it"). Then spellings of one word,
# and words whose ending is no ending.
_FORMS = """
become became; begin began begun; bend bent; bite bit bitten; blow blew blown; break broke broken
bring brought; build built; buy bought; catch caught; choose chose chosen; come came; deal dealt
die dying; dig dug; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten
fall fell fallen; feed fed; feel felt; fight fought; find found; fly flew flown
forget forgot forgotten; freeze froze frozen; get got gotten; give gave given; go goes went gone
grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; know knew known
lay laid; lead led; learn learnt; leave left leaves; lend lent; lie lying; lose lost; make made
mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise risen; run ran; say said
see saw seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone
shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept
slide slid; speak spoke spoken; spend spent; spin spun; stand stood; steal stole stolen
stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; take took taken
teach taught; tear torn; tell told; think thought; throw threw thrown; tie tying
understand understood; wake woke woken; wear wore worn; win won; write wrote written
rebuild rebuilt; rewrite rewrote rewritten; withdraw withdrew withdrawn
child children; foot feet; goose geese; half halves; knife knives; life lives; loaf loaves; man men
mouse mice; shelf shelves; thief thieves; tooth teeth; wife wives; wolf wolves; woman women
behavior behaviour; center centre; color colour; favorite favourite; flavor flavour; gray grey
harbor harbour; honor honour; humor humour; labor labour; neighbor neighbour; rumor rumour
bus buses; gas gases
embed; evening; exceed; founded founding; hundred; lens; news; proceed; species; succeed; wedding
"""
_PLAIN = {
    form: forms.split()[0] for forms in re.split(r"[;\n]", _FORMS.strip()) for form in forms.split()
}
_VOWELS = frozenset("aeiouy")
_BEFORE_LY = frozenset("cdeghkmnrt")
_ONE_SHORT_SYLLABLE = re.compile("[^aeiouy]*[aeiouy][^aeiouywx]")
_SHORT, _LONG = 3, 9


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """The stem of a folded word; words of other scripts, and most of three letters, are their own.

    `studies`, `studied` and `studying` give one stem; so do `wrote` and `writing`, `family` and
    `families`, `organised` and `organizes`.
    """
    if not (word.isascii() and word.isalpha()):
        return russian.stem(word)
    if word not in _PLAIN:
        if len(word) <= _SHORT:
            return word
        word = _singular(word)
    if word not in _PLAIN:
        word = _without_en(_without_ending(_without_ly(word)))
    return _level(_PLAIN.get(word, word))


def _singular(word: str) -> str:
    if word[-1] != "s" or word[-2] in "isu":
        return word
    if word.endswith("ies"):
        return _with_y(word[:-1])
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return _with_e(word[:-2])
    return word[:-1]


def _without_ly(word: str) -> str:
    """Weekly comes of week, finally of final; but family, reply and July of nothing shorter."""
    if len(word) < 6 or not word.endswith("ly"):
        return word
    return word[:-2] if word[-3] in _BEFORE_LY or word.endswith("ally") else word


def _without_ending(word: str) -> str:
    """The word without -ing or -ed, where what is left can be a word."""
    if word.endswith("ied"):
        return _with_y(word[:-1])
    if word.endswith("eed"):
        return word[:-1] if _VOWELS.intersection(word[:-3]) else word
    for ending in ("ing", "ed"):
        left = word.removesuffix(ending)
        if left != word and len(left) >= 2 and _VOWELS.intersection(left):
            return _with_e(left)
    return word


def _without_en(word: str) -> str:
    """Werkstätten, Rechnungen and Instrumenten are many; a garden or a kitchen is one."""
    return word[:-2] if len(word) >= _LONG and word.endswith("en") else word


def _with_y(word: str) -> str:
    """From a word in -ie: trie is a try, but die is to die."""
    return word if len(word) <= _SHORT else f"{word[:-2]}y"


def _with_e(left: str) -> str:
    """What is left of noted is a note, and not the word "not"."""
    return f"{left}e" if _ONE_SHORT_SYLLABLE.fullmatch(left) else left


def _level(word: str) -> str:
    """Level what the forms of a word differ in at its end: e, y or i, single or double, z or s."""
    if len(word) <= _SHORT:
        return word
    if word[-1] == "e" and not _ONE_SHORT_SYLLABLE.fullmatch(word[:-1]):
        word = word[:-1]
    if word[-1] == "y":
        word = f"{word[:-1]}i"
    if len(word) > _SHORT and word[-1] == word[-2] and word[-1] not in _VOWELS:
        word = word[:-1]
    return f"{word[:-2]}is" if len(word) > 4 and word.endswith("iz") else word
