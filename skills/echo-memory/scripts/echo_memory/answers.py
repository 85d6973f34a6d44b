"""Answers: how entities and links stand in an envelope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from echo_memory.entities import Candidate
from echo_memory.lines import short
from echo_memory.mentions import Added
from echo_memory.proposal import MAX_TITLE

Fields = dict[str, Any]


def shown(links: Iterable[Added]) -> list[Fields]:
    """Links that were made, as an envelope shows them."""
    return [{"slug": link.slug, "text": link.text} for link in links]


def described(candidates: Iterable[Candidate]) -> list[Fields]:
    """Candidates as an envelope shows them."""
    return [
        {
            "slug": candidate.entity.slug,
            "path": candidate.entity.path,
            "title": short(candidate.entity.title, MAX_TITLE),
            "kind": candidate.entity.kind,
            "score": round(candidate.score, 3),
            "why": candidate.why,
        }
        for candidate in candidates
    ]
