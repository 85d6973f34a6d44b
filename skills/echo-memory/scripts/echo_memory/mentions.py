"""Mentions: where a text names entities of the vault, and the links that are made of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from echo_memory.links import HIDDEN, Link, bracketed, hide, links, wikilink
from echo_memory.markdown import blocks
from echo_memory.naming.doubts import UNSEEN, is_doubtful
from echo_memory.naming.names import Name, Names, Word, words
from echo_memory.paths import Paths

_Range = tuple[int, int]

_DEFINITION = re.compile(r"^[ \t>]*+\[[^\]\n]++\]:.*", re.MULTILINE)
_DELIMITERS = re.compile(r"[ \t>]*+\|?+[ \t]*+:?+-++:?+[ \t]*+\|")
# URLs, e-mail addresses, tags, entities, file paths and block ids, each looked for where a run of
# its characters begins, so that a long run is not read again from each of its places.
_NO_PROSE = re.compile(
    r"<[^\s<>\0][^<>\n]*+>"
    r"|(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]*+://|mailto:|www\.)[^\s<>]*+"
    r"|(?<![\w.%+-])[\w.%+-]++@[\w.-]*+"
    r"|#(?!\d++(?![\w/-]))[^\s\0!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f]++"
    r"|&#?+\w++;"
    r"|(?<![\w.~%/\\-])(?P<path>[\w.~%-]*+[/\\][\w.~%/\\-]*+)"
    r"|(?<!\S)\^[A-Za-z0-9-]++[ \t]*+(?=\r?$)",
    re.MULTILINE,
)
_PATH = re.compile(r"^[.~/\\]|[/\\][^/\\]*+[/\\]|\w\.\w|\\\w")
# A word goes on through a hyphen, a full stop or an apostrophe within it, save for the possessive
# ("Ada's") and the elision ("d'Ada"); it does so, too, when what follows has become a link. The
# other signs would give the brackets of a link another meaning.
_MORE = r"(?:\w|\[\[)"
_GOES_ON = re.compile(
    rf"[-.‐‑]{_MORE}|['’](?![sS](?!{_MORE})){_MORE}|[\]@]|\[(?![\^\[])|\\\w|\( *+<"
)
_BEGAN = re.compile(r"(?:\w[-.‐‑]|[\w+#][+#]|[^\W\d_a-z]['’]|[!^@\\\[\]])\Z")
# Such a line is prose from its beginning to its end, as most questions are.
_PLAIN = re.compile(r"[^\W_][\w ,;?!'’]*+")
_UNLINKABLE = re.compile(r"[\[\]|#^\n]|%%")


@dataclass(frozen=True)
class Added:
    """A link that was made: the note's id (or path without `.md`), and the words it shows."""

    slug: str
    text: str


class _Mention(NamedTuple):
    name: Name
    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True)
class _Reading:
    """A text as it is read for names.

    Attributes:
        prose: the text with everything blotted out in which nothing is a mention.
        seen: the same, but of links what they show is there.
        words: the words that are seen.
    """

    prose: str
    seen: str
    words: list[Word]

    @classmethod
    def of(cls, text: str) -> _Reading:
        is_plain = _PLAIN.fullmatch(text)
        prose = text if is_plain else _prose(text)
        seen = text if is_plain else _seen(text, prose)
        return cls(prose, seen, list(words(seen)))

    def is_prose(self, found: list[Word]) -> bool:
        """Whether nothing of these words or between them is blotted out."""
        return self.prose.find(HIDDEN, found[0].start, found[-1].end) < 0


def id_of(path: str) -> str:
    """A path's file name without `.md`."""
    return path.rpartition("/")[2].removesuffix(".md")


def link_mentions(
    text: str,
    names: Names,
    *,
    exclude: Collection[str] = frozenset(),
    key_of: Callable[[str], str] = id_of,
) -> tuple[str, list[Added]]:
    """Make a wikilink of the first mention of each entity that the text does not link to yet.

    A mention is a name in whole words of one line, compared folded; of names that overlap the
    longest counts. Names that several entities bear are left alone, a first or last name that
    several persons share, too, and one word that may mean something else where it stands (see
    `doubts`). So is whatever is not plain prose: code, math, comments, HTML, frontmatter, headings,
    links, brackets, footnotes, URLs, addresses, file paths, tags. All other characters stay as
    they are.

    Args:
        text: a note, or text that is to become part of one.
        names: the names of all entities.
        exclude: keys that are not linked, such as the note's own.
        key_of: what a link says to mean the entity with a key: its id, or its path where several
            notes share the id.

    Returns:
        The text with its new links, and what they are, in order.
    """
    read = _Reading.of(text)
    mentions = [
        mention
        for mention in _mentions(text, read, names)
        if mention.name.key is not None and not _is_doubtful(read, mention, names)
    ]
    done = _linked(text, {mention.name.key for mention in mentions}) | set(exclude)
    parts: list[str] = []
    added: list[Added] = []
    end = 0
    for mention in mentions:
        key = mention.name.key
        if key is None or key in done:
            continue
        done.add(key)
        slug, shown = key_of(key), text[mention.start : mention.end]
        if _UNLINKABLE.search(slug):
            continue
        link = wikilink(slug, shown, table=_is_in_table(text, mention.start))
        parts += [text[end : mention.start], link]
        added.append(Added(slug, shown))
        end = mention.end
    return "".join([*parts, text[end:]]), added


def mentioned(text: str, names: Names) -> list[str]:
    """The keys of the entities that a text names, in the order in which it does."""
    keys = (mention.name.key for mention in _mentions(text, _Reading.of(text), names))
    return list(dict.fromkeys(key for key in keys if key is not None))


def _mentions(text: str, read: _Reading, names: Names) -> Iterator[_Mention]:
    """Mentions in order, none overlapping another."""
    cluster: list[_Mention] = []
    last = -1
    for mention in _candidates(text, read, names):
        if mention.first > last:
            yield from _longest(cluster)
            cluster = []
        cluster.append(mention)
        last = max(last, mention.last)
    yield from _longest(cluster)


def _longest(cluster: list[_Mention]) -> list[_Mention]:
    """Of mentions that overlap, the longest, then the longest that it leaves."""
    if len(cluster) < 2:
        return cluster
    taken: set[int] = set()
    chosen = []
    for mention in sorted(cluster, key=lambda mention: mention.start - mention.end):
        if mention.first not in taken and mention.last not in taken:
            taken.update(range(mention.first, mention.last + 1))
            chosen.append(mention)
    return sorted(chosen, key=lambda mention: mention.start)


def _candidates(text: str, read: _Reading, names: Names) -> Iterator[_Mention]:
    """Everything in the prose that is a known name, by its beginning."""
    for first, word in enumerate(read.words):
        for length in names.spans(word.folded):
            found = read.words[first : first + length]
            name = names.find(found)
            start, end = word.start, found[-1].end
            if (
                name
                and read.is_prose(found)
                and name.fits(text, found)
                and _is_whole(text, start, end)
            ):
                yield _Mention(name, first, first + len(found) - 1, start, end)


def _is_doubtful(read: _Reading, mention: _Mention, names: Names) -> bool:
    """Whether one word with a capital letter, which is a name, may not mean who is known by it."""
    if not mention.name.capital or mention.name.key is None:
        return False
    shared = names.is_shared(mention.name.key, read.words[mention.first].folded)
    return shared or is_doubtful(read.seen, read.words, mention.first)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a range is not the part of something longer, and can stand in brackets."""
    return not _GOES_ON.match(text, end) and not _BEGAN.search(text[max(0, start - 2) : start])


def _prose(text: str) -> str:
    """The text with everything blotted out in which nothing is a mention."""
    known = [
        *((region.start, region.end) for region in blocks.read(text).regions),
        *bracketed(text),
        *_unlinked_lines(text),
        *(match.span() for match in _DEFINITION.finditer(text)),
    ]
    prose = hide(text, sorted(known))
    return hide(prose, (match.span() for match in _NO_PROSE.finditer(prose) if _is_no_prose(match)))


def _seen(text: str, prose: str) -> str:
    parts: list[str] = []
    end = 0
    for link in links(text):
        at = _shown_at(text, link)
        if link.embed or at < 0:
            continue
        shown_to = at + len(link.shown)
        parts += [prose[end : link.start], UNSEEN * (at - link.start), text[at:shown_to]]
        parts.append(UNSEEN * (link.end - shown_to))
        end = link.end
    return "".join([*parts, prose[end:]])


def _shown_at(text: str, link: Link) -> int:
    """Where in a text stands what a link shows; -1 where it is not written so."""
    if link.markdown:
        return link.start + 1
    return text.rfind(link.shown, link.start, link.end)


def _is_no_prose(match: re.Match[str]) -> bool:
    # "Ada/Bob" and "and/or" are words; a file path has a root, a suffix or more than one step.
    return match["path"] is None or _PATH.search(match["path"]) is not None


def _unlinked_lines(text: str) -> Iterator[_Range]:
    rows = blocks.read(text).rows
    for row in rows:
        if row.kind == "heading":
            yield row.start, row.end
        elif row.kind == "setext":
            yield rows[row.leaf].start, row.end
    for row, below in pairwise(rows):
        # The | of a link would make a table of the two lines.
        if row.kind != "table" and _DELIMITERS.match(text, below.start, below.end):
            yield row.start, row.end


def _is_in_table(text: str, position: int) -> bool:
    rows = blocks.read(text).rows
    return rows[bisect_right(rows, position, key=lambda row: row.start) - 1].kind == "table"


def _linked(text: str, keys: Iterable[str | None]) -> set[str]:
    """Those of the keys that the text has a link to."""
    paths = Paths(key for key in keys if key is not None)
    found: set[str] = set()
    for link in links(text):
        target = link.target.lstrip("./")
        found.update(paths.named(target))
        found.update(key for key in paths.named(id_of(target)) if "/" not in key)
    return found
