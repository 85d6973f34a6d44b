"""A draft: what a proposal makes of a note's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from echo_memory import frontmatter, links, routing, sections
from echo_memory.markdown import seams
from echo_memory.note import Note
from echo_memory.proposal import Proposal
from echo_memory.text import fold

LOG = "Log"
_DEEPEST = 6
_OPENING = 2_000


def fixed(
    kind: routing.Kind, *, title: str = "", values: dict[str, object] | None = None, body: str = ""
) -> str:
    """The text of a fixed note as it is when it is made."""
    head = frontmatter.render(
        {"type": kind.name, **(values or {})}, date_keys=routing.table().date_keys
    )
    parts = [f"# {title or kind.title}"]
    parts += [closed(body)] if body.strip() else []
    parts += [f"## {name}" for name in kind.sections]
    return head + "\n" + "\n\n".join(parts) + "\n"


def new(kind: routing.Kind, proposal: Proposal, *, body: str, today: date, domain: str = "") -> str:
    """A new note from the kind's template, with `body` under its H1."""
    values: dict[str, object] = {
        "type": kind.name,
        "title": proposal.title,
        "aliases": list(proposal.aliases),
        "tags": list(proposal.tags),
        "status": proposal.status or "active",
        "created": today.isoformat(),
        "updated": today.isoformat(),
        "sources": list(proposal.sources),
    }
    if kind.dated:
        values["date"] = proposal.date or today.isoformat()
    if kind.domains:
        values["domain"] = domain
    head = frontmatter.render(values, date_keys=routing.table().date_keys)
    text = without_title(body, proposal.title)
    parts = [f"# {_heading_text(proposal.title)}"]
    if text.strip():
        parts.append(closed(demote(text, below=1)))
    present = {h.title for h in sections.headings(parts[-1]) if h.level == 2} if text else set()
    parts += [f"## {name}" for name in kind.sections if name not in present]
    return head + "\n" + "\n\n".join(parts) + "\n"


def lead(proposal: Proposal, names: Iterable[str]) -> str:
    """The proposal's title as the first line of an addition, in bold; "" where it says nothing new.

    Args:
        proposal: what is added.
        names: what the note that takes it is called.
    """
    title = fold(proposal.title)
    body = fold(without_title(proposal.body, proposal.title)[:_OPENING])
    if title in map(fold, names) or f"{body} ".startswith(f"{title} "):
        return ""
    return f"**{_heading_text(proposal.title)}**"


def merged(
    text: str,
    proposal: Proposal,
    *,
    body: str,
    today: date,
    lead: str = "",
    alias: bool = False,
    plain: bool = False,
) -> str:
    """A note with a proposal added: body into the day's log, lists united, `updated` stamped.

    Args:
        text: the note as it is.
        proposal: what to add.
        body: the proposal's body, linked.
        today: the day that the addition is logged under.
        lead: the line that stands before it.
        alias: whether the proposal's title becomes an alias, where no name of the note equals it.
        plain: whether it is a person's own note, which gets no stamp unless it has one.

    Returns:
        The same text when the note already says all of it.

    Raises:
        Unparseable: the frontmatter would have to change and does not parse.
    """
    changed = text
    addition = demote(without_title(body, proposal.title), below=3).strip("\n")
    if not _says(text, addition, proposal.body):
        changed = logged(changed, "\n\n".join(filter(None, (lead, addition))), today)
    elif not contains(text, lead):
        changed = logged(changed, lead, today)
    changed = _united(changed, proposal, alias=alias)
    if changed == text or (plain and "updated" not in Note("", text).frontmatter):
        return changed
    stamp = {"updated": today.isoformat()}
    return frontmatter.set_keys(changed, stamp, date_keys=routing.table().date_keys)


def _united(text: str, proposal: Proposal, *, alias: bool) -> str:
    note = Note("", text)
    names = {fold(name) for name in (note.title, *note.items("aliases"))}
    wanted = (*proposal.aliases, proposal.title) if alias else proposal.aliases
    aliases = {fold(name): name for name in reversed(wanted) if fold(name) not in names}
    tags = {tag.casefold() for tag in note.items("tags")}
    additions = {
        "aliases": [name for name in wanted if aliases.get(fold(name)) == name],
        "tags": [tag for tag in proposal.tags if tag.casefold() not in tags],
        "sources": [source for source in proposal.sources if source not in note.items("sources")],
    }
    for key, items in additions.items():
        if items:
            text = frontmatter.add_items(text, key, items)
    if proposal.status and proposal.status != note.scalar("status"):
        text = frontmatter.set_keys(text, {"status": proposal.status})
    return text


def logged(text: str, addition: str, today: date) -> str:
    """Add lines to the day's block under `## Log`; a missing section or block is made."""
    day = today.isoformat()
    for heading in sections.headings(text):
        parts = heading.path.split("::")
        if heading.level == 3 and heading.title == day and LOG in parts[:-1]:
            return sections.append_at(text, heading, addition, whole=True)
    return sections.append_under(text, LOG, f"### {day}\n\n{addition}")


def without_title(body: str, title: str) -> str:
    """A body without an H1 that only repeats the note's title."""
    first = next(iter(sections.headings(body)), None)
    repeats = first is not None and first.level == 1 and fold(first.title) == fold(title)
    if first is None or not repeats or body[: first.start].strip():
        return body
    return body[first.body :].lstrip("\n")


def closed(body: str) -> str:
    """A body that leaves nothing open, so that what comes below it is read as it is meant."""
    return "\n".join(seams.lines_of(body))


def demote(body: str, *, below: int) -> str:
    """A body whose headings, setext ones included, stand deeper than level `below`."""
    body = "\n" + body  # so that a line `---` at its top does not open frontmatter
    found = sections.headings(body)
    shift = max(0, below + 1 - min((heading.level for heading in found), default=below + 1))
    if not shift:
        return body[1:]
    parts, end = [], 0
    for heading in found:
        level = min(heading.level + shift, _DEEPEST)
        parts += [body[end : heading.start], f"{'#' * level} {heading.title}\n"]
        end = heading.body
    return ("".join(parts) + body[end:])[1:]


def _says(text: str, addition: str, written: str) -> bool:
    """Whether a note has an addition, and every link that was written by hand in it."""
    if not contains(text, addition):
        return False
    named = {link.target for link in links.links("\n" + written)}
    return named <= {link.target for link in links.links(text)}


def equals(text: str, body: str) -> bool:
    """Whether a note says a body and nothing else under its title."""
    note = Note("", text)
    return _words(without_title(note.body, note.title)) == _words(body)


def contains(text: str, body: str) -> bool:
    """Whether whole lines of a note say a body already, whatever its links and white space."""
    wanted = [word for word, _ in _words(body)]
    if not wanted:
        return True
    have = _words(frontmatter.split(text)[1])
    edges = {at for at, (_, begins_line) in enumerate(have) if begins_line} | {len(have)}
    found = _occurrences(wanted, [word for word, _ in have])
    return any(at in edges and at + len(wanted) in edges for at in found)


def _occurrences(wanted: Sequence[str], have: Iterable[str]) -> Iterator[int]:
    """Where words stand in others, one after the other; linear however they repeat themselves."""
    borders = [0]  # how much of each beginning of the wanted words is also its end
    for word in wanted[1:]:
        length = _extended(wanted, borders, borders[-1], word)
        borders.append(length)
    length = 0
    for at, word in enumerate(have):
        length = _extended(wanted, borders, length, word)
        if length == len(wanted):
            yield at + 1 - length


def _extended(wanted: Sequence[str], borders: Sequence[int], length: int, word: str) -> int:
    """How much of the wanted words ends with a word, when so much ended before it."""
    while length and (length == len(wanted) or wanted[length] != word):
        length = borders[length - 1]
    return length + 1 if wanted[length] == word else 0


def _words(text: str) -> list[tuple[str, bool]]:
    """The words of a text, each with whether it begins a line; a heading is one of any level."""
    plain = links.strip("\n" + text)
    words, end = [], 0
    for heading in sections.headings(plain):
        words += _of_lines(plain[end : heading.start])
        words += _of_lines(f"# {heading.title}")
        end = heading.body
    return words + _of_lines(plain[end:])


def _of_lines(text: str) -> list[tuple[str, bool]]:
    parts = (line.split() for line in text.splitlines())
    return [(word, at == 0) for line in parts for at, word in enumerate(line)]


def _heading_text(title: str) -> str:
    """A title that reads back whole from a heading.

    A closing run of `#` would be dropped, and `%%` would hide all that follows.
    """
    return re.sub(r"(?:(?<=\s)|^)(#+)$", r"\\\1", title.replace("%%", r"\%\%"))


def inbox_block(proposal: Proposal, date: str) -> str:
    """An inbox line; a body of several lines stands indented under it."""
    lines = proposal.body.strip().splitlines()
    head = f"- {date} {proposal.title}"
    if len(lines) < 2:
        return ": ".join([head, *lines])
    return "\n".join([f"{head}:", *(f"  {line}".rstrip() for line in lines)])
