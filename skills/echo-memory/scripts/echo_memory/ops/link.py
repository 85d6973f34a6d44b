"""Link: tie two notes to one another."""

from __future__ import annotations

from echo_memory import arguments, links, sections
from echo_memory.envelope import Envelope, success
from echo_memory.errors import BadRequest, NotFound
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.queueing import queued
from echo_memory.text import fold

RELATED = "Related"


@queued("link")
def link_op(echo: Memory, a: str, b: str) -> Envelope:
    """Add a bullet under `## Related` in both notes, each naming the other.

    Args:
        echo: the memory.
        a: a path, an id, or a name.
        b: likewise.

    Returns:
        `a` and `b` as paths, `a_changed` and `b_changed`.

    Raises:
        BadRequest: a name that several entities have, with `candidates`, or a note with itself.
        NotFound: a name that no note has.
    """
    names = {"a": arguments.reference(a, "a"), "b": arguments.reference(b, "b")}
    echo.prepare()
    one, other = (echo.locate(name, field=field) for field, name in names.items())
    if one.path == other.path:
        raise BadRequest("a and b are the same note. Name two.", field="b")
    return success(
        "link",
        a=one.path,
        b=other.path,
        a_changed=_relate(echo, one, other),
        b_changed=_relate(echo, other, one),
    )


def _relate(echo: Memory, note: Note, other: Note) -> bool:
    bullet = f"- {echo.catalog.link_to(other.entity())}"

    def change(text: str | None) -> str:
        if text is None:
            raise NotFound("The note was removed meanwhile. Recall it again.", path=note.path)
        if _is_related(echo, text, note.path, other.path):
            return text
        return sections.append_under(text, RELATED, bullet)

    return echo.edit(note.path, change).changed


def _is_related(echo: Memory, text: str, path: str, other: str) -> bool:
    """Whether one of the sections that may be called so links to the other note."""
    related = fold(RELATED)
    return any(
        echo.catalog.resolve(link, path) == other
        for heading in sections.headings(text)
        if fold(heading.title) == related
        # a line `---` at the top of a section opens no frontmatter
        for link in links.links("\n" + text[heading.body : heading.end])
    )
