"""Names as text: the form in which two names are compared, and the one that fits a file name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container

MAX_SLUG = 80

# Letters that Unicode does not decompose. Other strokes and hooks (ł, ø, đ, ħ, ɓ, …) are read off
# the letter's Unicode name. Latin follows the passport rules (ICAO 9303), Arabic what its
# search engines level: spellings that writers use for one another.
_LETTERS = {
    "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ȷ": "j", "ŋ": "n", "ə": "e", "ǝ": "e",
    "ĸ": "q", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ـ": "",
}  # fmt: skip
_WITH = re.compile(r"LATIN SMALL LETTER ([A-Z]) WITH ")

# Marks that are ornament to the one who searches: accents, Hebrew points, Arabic vowels, variation
# selectors, stems of musical notes. Others spell: without them が would be か, and an Indic word
# would lose its vowels.
# U+0345 stays, because case folding makes the letter ι of it.
_MARKS = (
    (0x0300, 0x0344), (0x0346, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A),
    (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0x1D165, 0x1D172), (0xE0100, 0xE01EF),
)  # fmt: skip
_SIGNS = "+#"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG_TAGS = range(0xE0020, 0xE0080)

_TRADE_MARKS = re.compile(r"(?<=\S)[®©™℠℗]+")
_LOOSE_SIGNS = re.compile(r"(?<![\w+#])[+#]+|(?<=\w)(?:#+|\+)(?=\w)")
_MARK_RUN = re.compile(r"[^\w\s]{32,}")
_SLUG_WORD = re.compile(r"[a-z0-9]+")
_APOSTROPHES = str.maketrans("", "", "'’‘ʼʻʹ`´")
_GREEK_U = re.compile("([αεο])υ")
_RESERVED = {
    "con", "prn", "aux", "nul",
    *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)),
}  # fmt: skip


def _pairs(text: str) -> dict[int, str]:
    return {ord(letter): latin for letter, latin in (pair.split("=") for pair in text.split())}


# Letters whose mark is more than an accent, romanised before folding takes it off.
_MARKED = _pairs("й=y ё=yo ї=yi ў=u ѓ=g ќ=k")
_ROMAN = _pairs(
    "а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts "
    "ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya і=i є=ye ґ=g ђ=dj ѕ=dz ј=j љ=lj њ=nj ћ=c џ=dz "
    "ә=a ғ=g қ=k ң=n ө=o ұ=u ү=u һ=h "
    "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s τ=t υ=y φ=f χ=ch "
    "ψ=ps ω=o"
)


class _Table(dict[int, str | None]):
    """What each character becomes in a folded name, worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = value = _plain(code)
        return value


def _plain(code: int) -> str | None:
    char = chr(code)
    if char in _LETTERS:
        return _LETTERS[char]
    if any(first <= code <= last for first, last in _MARKS):
        return None
    if char in _SIGNS or code in _FLAG_TAGS:
        return char
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category[0] in "LM":
        found = _WITH.match(unicodedata.name(char, ""))
        return found[1].lower() if found else _letter(char, category)
    return _sign(char, category)


def _letter(char: str, category: str) -> str:
    # Modifier letters of this block are apostrophes and tone marks (the ʻokina of Hawaiʻi).
    return " " if category == "Lm" and "\u02b9" <= char <= "\u02df" else char


def _sign(char: str, category: str) -> str | None:
    if category == "Cf":
        return None
    if category[0] in "PZ" or category == "Cc" or (category[0] == "S" and char.isascii()):
        return char if char == "$" else " "
    if category == "Sk" and ord(char) not in _SKIN_TONES:
        return " "
    return f" {char} " if category[0] == "S" else char


_FOLD = _Table()


def is_name(text: str) -> bool:
    """Whether there is a letter, a digit or a symbol in a text, beside its punctuation."""
    return bool(_without_signs(_spelled(text)))


def fold(name: str) -> str:
    """The form in which names are compared: equal names fold to the same string.

    NFKC, case-folded, diacritics off, letters such as ł, æ and ø reduced, digits of every script
    as 0–9, punctuation and runs of space as one space. A `+` or `#` at the end of a word stays
    ("C", "C++" and "C#" are three names), symbols and emoji are words of their own, and a name
    of nothing but punctuation keeps it. Only a blank name folds to "".
    """
    spelled = _spelled(name)
    return " ".join(_without_signs(spelled) or spelled.split())


def _spelled(name: str) -> str:
    return _normal(name if name.isascii() else _TRADE_MARKS.sub("", name))


def _without_signs(normal: str) -> list[str]:
    """The words of a normal form, as they are compared."""
    if normal.isascii():
        plain = normal.translate(_FOLD)
    else:
        plain = unicodedata.normalize("NFKD", normal).translate(_FOLD)
        plain = unicodedata.normalize("NFC", plain)
    if "+" in plain or "#" in plain:
        plain = _LOOSE_SIGNS.sub(" ", plain)
    return plain.split()


def slugify(title: str) -> str:
    """What a title becomes in a file name: lower-case ASCII words joined by "-", 1–80 characters.

    Letters lose their diacritics (ä→a, for the title's language is unknown), Cyrillic and Greek
    are romanised, a `+` or `#` that names something is spelled out ("c-plus-plus", "c-sharp").
    When letters of another script are lost, a hash of the whole title tells it from others; the
    hash depends on the folded title alone. Never a name that Windows reserves.
    """
    plain = fold(_normal(title).translate(_APOSTROPHES).translate(_MARKED))
    plain = _GREEK_U.sub(r"\1u", plain).translate(_ROMAN)
    plain = plain.replace("+", " plus ").replace("#", " sharp ")
    slug = "-".join(_SLUG_WORD.findall(plain))
    if not slug or any(char.isalnum() and not char.isascii() for char in plain):
        return f"{_shorten(slug or 'n', MAX_SLUG - 9)}-{_digest(title)}"
    return f"{slug}-note" if slug in _RESERVED else _shorten(slug, MAX_SLUG)


def unique_slug(slug: str, taken: Container[str]) -> str:
    """The slug itself, or with "-2", "-3", … where a note has it already; at most 80 characters.

    `taken` is asked for lower-case names: file systems may not tell cases apart.
    """
    number, free = 1, slug
    while free in taken:
        number += 1
        suffix = f"-{number}"
        free = slug[: MAX_SLUG - len(suffix)].rstrip("-") + suffix
    return free


def file_key(name: str) -> str:
    """What two file names have in common that a file system or Obsidian may take for the same."""
    return unicodedata.normalize("NFC", _thin(name)).casefold()


def _normal(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", _thin(text)).casefold())


def _thin(text: str) -> str:
    # Normalising sorts each run of combining marks in quadratic time. Nobody stacks more than
    # a few, and Unicode's stream-safe format ends a run at 30.
    return _MARK_RUN.sub(_thin_run, text)


def _thin_run(found: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for char in found[0]:
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= 30:
            kept.append(char)
    return "".join(kept)


def _shorten(slug: str, limit: int) -> str:
    if len(slug) <= limit:
        return slug
    head = slug[: limit + 1]
    return (head.rpartition("-")[0] or head[:limit]).rstrip("-")


def _digest(title: str) -> str:
    # Lone surrogates reach us through JSON escapes and must not stop a capture.
    return hashlib.sha256(fold(title).encode("utf-8", "surrogatepass")).hexdigest()[:8]
