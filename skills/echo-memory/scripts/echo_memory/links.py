"""Links: what a note's text points to, as wikilinks and as Markdown links to local notes.

Code, comments, math, HTML tags and frontmatter hold no links; what stands in the frontmatter is
asked for by itself.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from echo_memory.markdown.regions import regions

# What Obsidian opens beside notes, and the documents that people keep beside them.
_ATTACHMENT = re.compile(
    r"\.(3gp|avif|base|bmp|canvas|csv|docx|epub|flac|gif|html|jpe?g|json|m4a|mkv|mov|mp[34]|od[pst]"
    r"|og[gv]|pdf|png|pptx|svg|txt|wav|web[mp]|xlsx|zip)\Z",
    re.IGNORECASE,
)
HIDDEN = "\0"
_MAX_BRACKETS = 64  # of those open at a time, that many are remembered

_TOKEN = re.compile(
    r"\\[^\r\n]"
    r"|!?\[\[(?!\[)(?P<wiki>(?:[^\[\]\r\n]|\[(?!\[)|\](?!\]))++)\]\]"
    r"|(?P<open>!?\[)|(?P<close>\])"
    r"|(?P<blank>\n[ \t>]*+(?=\r?\n))"
)
_PIPE = re.compile(r"\\?\|")
_SPACE = r"[ \t]*+(?:\r?\n[ \t]*+)?+"
_BREAK = r"\n(?![ \t]*+\r?\n)"
_IN_BARE = r"(?:\\[!-/:-@\[-`{-~]|[^()\x00-\x20])++"
_BARE = rf"(?:{_IN_BARE}|\((?:{_IN_BARE}|\((?:{_IN_BARE}|\((?:{_IN_BARE})?+\))*+\))*+\))*+"
_OPENING = re.compile(rf"\({_SPACE}(?:<(?P<angled>(?:\\.|[^<>\\\r\n])*+)>|(?!<)(?P<bare>{_BARE}))")
_CLOSING = re.compile(
    rf"(?:(?=[ \t\r\n]){_SPACE}(?:"
    rf'"(?:\\.|[^"\\\n]|{_BREAK})*+"'
    rf"|'(?:\\.|[^'\\\n]|{_BREAK})*+'"
    rf"|\((?:\\.|[^()\\\n]|{_BREAK})*+\)))?+{_SPACE}\)"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:|//")
_COMMENT_LINE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_COMMENT = re.compile("%%+")
_UNNAMEABLE = re.compile(r"[#^|\[\]]|%%|\A\s|\s\Z")
_UNSHOWABLE = str.maketrans("[]", "()")


@dataclass(frozen=True)
class Link:
    """A link to a note (or, by a wikilink, to any file of the vault).

    Attributes:
        target: the note's name or path as it is written, decoded; empty for the note itself.
        heading: heading below which it leads, nested ones joined by `::`; else empty.
        block: block id without its `^`; else empty.
        shown: what a reader sees; of a Markdown link, its label as written.
        embed: the target is shown in place (`![[…]]`).
        start: offset of the first character, the `!` of an embed included.
        end: offset after the last character.
        markdown: written as `[shown](target)`.
    """

    target: str
    heading: str
    block: str
    shown: str
    embed: bool
    start: int
    end: int
    markdown: bool = False

    @property
    def attachment(self) -> bool:
        """Whether the target's suffix is that of a picture or document, not of a note."""
        return _ATTACHMENT.search(self.target) is not None


def links(text: str) -> list[Link]:
    """The links of a note in order, embeds included; none overlaps another."""
    return _read(text).links


def bracketed(text: str) -> list[tuple[int, int]]:
    """Ranges in square brackets, with what belongs to them: links of every kind, footnotes, boxes.

    Nested ranges are listed beside those around them.
    """
    return _read(text).ranges


def frontmatter_links(text: str) -> list[Link]:
    """The wikilinks in a note's frontmatter, wherever they stand in it; offsets are the note's."""
    head = next((region for region in regions(text) if region.kind == "frontmatter"), None)
    if head is None:
        return []
    comments = _COMMENT_LINE.finditer(text, head.start, head.end)
    shown = hide(text[: head.end], (comment.span() for comment in comments))
    found = (_wikilink(text, match) for match in _TOKEN.finditer(shown) if match["wiki"])
    return [link for link in found if link is not None]


def strip(text: str) -> str:
    """The text with each link replaced by what it shows; embeds stay, for they show more."""
    parts, end = [], 0
    for link in links(text):
        if not link.embed:
            parts += [text[end : link.start], link.shown]
            end = link.end
    return "".join([*parts, text[end:]])


def wikilink(key: str, shown: str = "", *, table: bool = False) -> str:
    r"""A wikilink to a note that shows a text, or a Markdown link where no wikilink can name it.

    Args:
        key: id, or path without `.md`.
        shown: the text; line breaks become spaces, brackets, which would end the link, round, and
            `%%`, which would begin a comment, one sign.
        table: whether the link stands in a table, where a `|` is written `\|`.
    """
    shown = _COMMENT.sub("%", shown.translate(_UNSHOWABLE))
    shown = " ".join(shown.splitlines()).strip() or key
    if _UNNAMEABLE.search(key):
        label = shown.translate(_UNSHOWABLE).replace("\\", "\\\\")
        link = f"[{label}]({quote(key)}.md)"
    else:
        link = f"[[{key}]]" if shown == key else f"[[{key}|{shown}]]"
    return link.replace("|", "\\|") if table else link


def relative(target: str, source: str) -> str | None:
    """The vault path that a relative target means in the note at `source`.

    A target that begins with `/` is taken from the vault's top; one that would leave the vault
    means None.
    """
    parts = [] if target.startswith("/") else source.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def hide(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """A text of the same length whose ranges, given in order of their starts, are blotted out."""
    parts, end = [], 0
    for start, stop in ranges:
        if stop > end:
            start = max(start, end)
            parts += [text[end:start], HIDDEN * (stop - start)]
            end = stop
    return "".join([*parts, text[end:]])


def _read(text: str) -> _Reader:
    prose = hide(text, ((region.start, region.end) for region in regions(text)))
    reader = _Reader(text)
    position = 0
    while match := _TOKEN.search(prose, position):
        position = reader.take(match)
    return reader


@dataclass
class _Reader:
    text: str
    links: list[Link] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    openings: deque[re.Match[str]] = field(default_factory=lambda: deque(maxlen=_MAX_BRACKETS))
    linked: int = 0  # an opening before this offset has a link in it, so it begins none itself

    def take(self, match: re.Match[str]) -> int:
        """Read one token; returns where to read on."""
        if match["blank"]:
            self.openings.clear()
        elif match["open"]:
            self.openings.append(match)
        elif match["wiki"]:
            self.ranges.append(match.span())
            self._add(_wikilink(self.text, match))
        elif match["close"] and self.openings:
            return self._close(self.openings.pop(), match)
        return match.end()

    def _add(self, link: Link | None) -> None:
        if link is not None:
            self.links.append(link)
            self.linked = self.linked if link.embed else link.start

    def _close(self, opening: re.Match[str], close: re.Match[str]) -> int:
        start, end = opening.start(), close.end()
        embed = opening[0] == "!["
        inline = _destination(self.text, end) if embed or start >= self.linked else None
        if inline is not None:
            destination, end = inline
            label = self.text[opening.end() : close.start()]
            while self.links and self.links[-1].start > start:
                self.links.pop()
            self._add(_markdown(destination, label, embed, start, end))
            self.linked = self.linked if embed else start
        self.ranges.append((start, end))
        return end


def _wikilink(text: str, match: re.Match[str]) -> Link | None:
    # Code within the brackets belongs to the link, so that its text is taken from the note.
    inside = text[match.start("wiki") : match.end("wiki")]
    if "\n" in inside:
        return None
    name, *alias = _PIPE.split(inside, maxsplit=1)
    target, hash_sign, fragment = name.partition("#")
    if not hash_sign and "^" in target:
        target, _, block = target.rpartition("^")
        fragment = f"^{block}"
    target = target.strip()
    heading, block = _anchor(fragment)
    if not (target or heading or block):
        return None
    shown = alias[0].replace("\\|", "|").strip() if alias else ""
    if not shown:
        steps = [target, *heading.split("::"), f"^{block}" if block else ""]
        shown = " > ".join(step for step in steps if step)
    return Link(target, heading, block, shown, match[0][0] == "!", *match.span())


def _anchor(fragment: str) -> tuple[str, str]:
    steps = [step for part in fragment.split("#") if (step := part.strip())]
    block = steps.pop()[1:] if steps and steps[-1].startswith("^") else ""
    return "::".join(steps), block


def _markdown(destination: str, label: str, embed: bool, start: int, end: int) -> Link | None:
    if _SCHEME.match(destination):
        return None
    path, _, fragment = destination.partition("#")
    target = unquote(path)
    heading, block = _anchor(unquote(fragment))
    if path and not target.lower().endswith(".md"):
        return None
    if not (target or heading or block):
        return None
    return Link(target, heading, block, label, embed, start, end, markdown=True)


def _destination(text: str, position: int) -> tuple[str, int] | None:
    """The destination in parentheses that begin at `position`, and where they end."""
    opening = _OPENING.match(text, position)
    closing = _CLOSING.match(text, opening.end()) if opening else None
    if not (opening and closing):
        return None
    written = opening["bare"] if opening["angled"] is None else opening["angled"]
    return _ESCAPED.sub(r"\1", written), closing.end()
