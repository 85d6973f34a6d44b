"""A draft: what a proposal makes of a note's text."""

from __future__ import annotations

import re
from datetime import date

from echo_memory import frontmatter, links, routing, sections
from echo_memory.note import Note
from echo_memory.proposal import Proposal
from echo_memory.text import fold

LOG = "Log"
_HASHES = re.compile(r"#{1,6}(?=\s|$)")
_DEEPEST = 6


def fixed(
    kind: routing.Kind, *, title: str = "", values: dict[str, object] | None = None, body: str = ""
) -> str:
    """The text of a fixed note as it is when it is made."""
    head = frontmatter.render(
        {"type": kind.name, **(values or {})}, date_keys=routing.table().date_keys
    )
    parts = [f"# {title or kind.title}"]
    parts += [body] if body.strip() else []
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
        parts.append(demote(text, below=1).strip("\n"))
    present = {h.title for h in sections.headings(parts[-1]) if h.level == 2} if text else set()
    parts += [f"## {name}" for name in kind.sections if name not in present]
    return head + "\n" + "\n\n".join(parts) + "\n"


def merged(text: str, proposal: Proposal, *, body: str, today: date, alias: bool = False) -> str:
    """A note with a proposal added: body into the day's log, lists united, `updated` stamped.

    Args:
        text: the note as it is.
        proposal: what to add.
        body: the proposal's body, linked.
        today: the day that the addition is logged under.
        alias: whether the proposal's title becomes an alias, where no name of the note equals it.

    Returns:
        The same text when the note already says all of it.

    Raises:
        Unparseable: the frontmatter would have to change and does not parse.
    """
    changed = text
    addition = demote(without_title(body, proposal.title), below=3).strip("\n")
    if addition.strip() and not contains(text, addition):
        changed = logged(changed, addition, today)
    changed = _united(changed, proposal, alias=alias)
    if changed == text:
        return text
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
            return sections.append_at(text, heading, addition)
    return sections.append_under(text, LOG, f"### {day}\n\n{addition}")


def without_title(body: str, title: str) -> str:
    """A body without an H1 that only repeats the note's title."""
    first = next(iter(sections.headings(body)), None)
    repeats = first is not None and first.level == 1 and fold(first.title) == fold(title)
    if first is None or not repeats or body[: first.start].strip():
        return body
    return body[first.body :].lstrip("\n")


def demote(body: str, *, below: int) -> str:
    """A body whose headings, setext ones included, stand deeper than level `below`."""
    found = sections.headings(body)
    shift = max(0, below + 1 - min((heading.level for heading in found), default=below + 1))
    if not shift:
        return body
    parts, end = [], 0
    for heading in found:
        level = min(heading.level + shift, _DEEPEST)
        parts += [body[end : heading.start], f"{'#' * level} {heading.title}\n"]
        end = heading.body
    return "".join(parts) + body[end:]


def contains(text: str, body: str) -> bool:
    """Whether whole lines of a note say a body already, whatever its links and white space."""
    wanted = [word for word, _ in _words(body)]
    have = _words(text)
    if not wanted:
        return True
    starts = [at for at, (_, first) in enumerate(have) if first] + [len(have)]
    edges = set(starts)
    return any(
        at + len(wanted) in edges
        and have[at][0] == wanted[0]
        and [word for word, _ in have[at : at + len(wanted)]] == wanted
        for at in starts[:-1]
    )


def _words(text: str) -> list[tuple[str, bool]]:
    """The words of a text, each with whether it begins a line; heading marks do not count."""
    words = []
    for written in links.strip(text).splitlines():
        parts = _HASHES.sub("", written.strip(), count=1).split()
        words += [(word, at == 0) for at, word in enumerate(parts)]
    return words


def _heading_text(title: str) -> str:
    """A title that reads back whole from a heading: a closing run of `#` would be dropped."""
    return re.sub(r"(?<=\s)(#+)$", r"\\\1", title)


def inbox_block(proposal: Proposal, date: str) -> str:
    """An inbox line; a body of several lines stands indented under it."""
    lines = proposal.body.strip().splitlines()
    head = f"- {date} {proposal.title}"
    if len(lines) < 2:
        return ": ".join([head, *lines])
    return "\n".join([f"{head}:", *(f"  {line}".rstrip() for line in lines)])
