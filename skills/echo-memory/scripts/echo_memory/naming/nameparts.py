"""Name parts: the words of a name that tell it from others, and those that only dress it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from echo_memory.text import fold

# A longer name is a sentence; what follows adds cost and says little.
MAX_WORDS = 24
MAX_LETTERS = 64


def word_set(text: str) -> frozenset[str]:
    """The words of a text that is written for this: folded, and spaces between them."""
    return frozenset(text.split())


# Folded, and "S.p.A." or "s. r. o." without the gaps.
LEGAL_FORMS = word_set(
    "inc incorporated corp corporation co company ltd limited llc llp lp plc pllc pty pte pvt "
    "gmbh ggmbh mbh ag kg kgaa ohg ug gbr ev eg se sa sas sasu sarl eurl sci sl slu slp "
    "lda ltda eireli spa srl srls snc bv nv cv vof ab as asa aps oy oyj hf ehf "
    "spzoo spj zoo sp sro kft zrt nyrt doo dd ad ood eood sti bhd sdn kk gk "
    "ооо оао зао пао ао тоо ип тов ат αε επε ικε 株 주"
)
_LEADING_FORMS = word_set("ооо оао зао пао ао тоо ип тов ат pt 株 주")
_ATTACHED_FORMS = (
    "株式会社", "有限会社", "合同会社", "股份有限公司", "有限责任公司", "有限公司", "주식회사",
    "유한회사",
)  # fmt: skip
TITLES = word_set(
    "dr prof professor professorin mr mrs ms miss mx sir dame lady lord rev "
    "herr frau ing dipl mag hr fru senor senora sr sra monsieur madame mme mlle "
    "signor signora dott mevrouw dhr mevr господин госпожа السيد السيده الدكتور"
)
_ATTACHED_TITLES = ("さん", "様", "先生", "女士", "씨", "님")
_DEGREES = word_set("phd md msc bsc mba esq")
ARTICLES = word_set("the a an der die das le la les el los las il lo gli het")
_AND = word_set("and und et og och και")

_NUMBER = re.compile(r"\d+|[一二三四五六七八九十百千〇零]+")
_ROMAN = re.compile(r"(?=[ivx]{2})x{0,3}(?:ix|iv|v?i{0,3})")
_ZEROS = re.compile(r"0+(?=\d)")


@dataclass(frozen=True, slots=True)
class NameParts:
    """One name, taken apart.

    Attributes:
        folded: the whole name, folded.
        words: its folded words, without "and" and without an article in front.
        numbers: the numbers in it, in order: digits, Roman numerals from ii on, Chinese ones.
        company: the words without a legal form such as "GmbH".
        personal: the words without titles and degrees such as "Dr.".
        article: whether an article stood in front.
    """

    folded: str
    words: tuple[str, ...]
    numbers: tuple[str, ...]
    company: tuple[str, ...]
    personal: tuple[str, ...]
    article: bool


@lru_cache(maxsize=1 << 13)
def parse(name: str) -> NameParts:
    """Take a name apart; each of the word lists has at least one word unless the name is blank."""
    folded = fold(name)
    whole = [word[:MAX_LETTERS] for word in folded.split(" ", MAX_WORDS)[:MAX_WORDS] if word]
    words = _without_zeros([word for word in whole if word not in _AND] or whole)
    article = len(words) > 1 and words[0] in ARTICLES
    bare = words[1:] if article else words
    return NameParts(folded, tuple(bare), _numbers(bare), _company(bare), _personal(words), article)


def _without_zeros(words: list[str]) -> list[str]:
    # "Sprint 07" is "Sprint 7", but 1.05 is not 1.5.
    return [
        _ZEROS.sub("", word, count=1)
        if word[0] == "0" and not (at and words[at - 1].isdigit())
        else word
        for at, word in enumerate(words)
    ]


def acronym(words: tuple[str, ...]) -> str:
    """The first letters of two to six words; "" for fewer or more."""
    return "".join(word[0] for word in words) if 2 <= len(words) <= 6 else ""


def without_kind(words: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """The words without the kind's own name in front or behind ("Project Apollo" as a project)."""
    for rest in (words[1:] if words[0] == kind else (), words[:-1] if words[-1] == kind else ()):
        if sum(map(len, rest)) >= 4 and not all(word.isdigit() for word in rest):
            return rest
    return words


def _numbers(words: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for word in words:
        found += [word] if _ROMAN.fullmatch(word) else _NUMBER.findall(word)
    return tuple(found)


def _company(words: list[str]) -> tuple[str, ...]:
    rest = list(words)
    while (count := _legal_tail(rest, words)) and count < len(rest):
        del rest[-count:]
    while len(rest) > 1 and rest[0] in _LEADING_FORMS:
        del rest[0]
    return tuple(_bare(rest, _ATTACHED_FORMS, both_ends=True))


def _legal_tail(words: list[str], whole: list[str]) -> int:
    """How many words at the end are one legal form; "S.A." and "s. r. o." fold to letters."""
    letters = 0
    while letters < min(4, len(words)) and len(words[-1 - letters]) == 1:
        letters += 1
    for count in range(letters, 1, -1):
        if "".join(words[-count:]) in LEGAL_FORMS:
            return count
    between_forms = words[-1:] == ["de"] and len(words) < len(whole)
    return int(between_forms or not LEGAL_FORMS.isdisjoint(words[-1:]))


def _personal(words: list[str]) -> tuple[str, ...]:
    rest = list(words)
    while len(rest) > 1 and rest[0] in TITLES:
        del rest[0]
    while len(rest) > 1 and (count := _degree_tail(rest)) and count < len(rest):
        del rest[-count:]
    return tuple(_bare(rest, _ATTACHED_TITLES, both_ends=False))


def _degree_tail(words: list[str]) -> int:
    return next((n for n in (1, 2, 3) if "".join(words[-n:]) in _DEGREES), 0)


def _bare(words: list[str], affixes: tuple[str, ...], *, both_ends: bool) -> list[str]:
    if "".join(words).isascii():
        return words
    bare = [_cut(word, affixes, both_ends=both_ends) for word in words]
    return [word for word in bare if word] or words


def _cut(word: str, affixes: tuple[str, ...], *, both_ends: bool) -> str:
    for affix in affixes:
        if word == affix:
            return ""
        if word.endswith(affix) and len(word) > len(affix) + 1:
            return word.removesuffix(affix)
        if both_ends and word.startswith(affix):
            return word.removeprefix(affix)
    return word
