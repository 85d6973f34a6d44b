"""Resolve: which entity a name means."""

from __future__ import annotations

from dataclasses import asdict

from echo_memory import arguments
from echo_memory.answers import described
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory
from echo_memory.proposal import MAX_TITLE
from echo_memory.text import slugify, unique_slug

MAX_CANDIDATES = 8


def resolve_op(echo: Memory, mention: str) -> Envelope:
    """Find the one entity whose id, title or alias a mention equals, folded.

    Returns:
        `match`, the entity; or `match: false` with `candidates`, best first, plain notes outside
        the memory's folders among them (`kind` ""), and `suggest_slug`, which no note has.
    """
    name = arguments.line(mention, "mention", limit=MAX_TITLE, required=True)
    view = echo.look()
    exact = echo.catalog.entities.exact(name)
    if len(exact) == 1:
        return success("resolve", match=asdict(exact[0]), **view.fields, warnings=view.warnings)
    entities = echo.catalog.entities.candidates(name, limit=MAX_CANDIDATES)
    candidates = [*entities, *echo.catalog.near_plain(name)]
    candidates.sort(key=lambda candidate: -candidate.score)
    return success(
        "resolve",
        match=False,
        candidates=described(candidates[:MAX_CANDIDATES]),
        suggest_slug=unique_slug(slugify(name), echo.catalog.paths),
        **view.fields,
        warnings=view.warnings,
    )
