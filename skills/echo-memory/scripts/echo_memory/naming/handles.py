"""The handles of an entity: all that it is found by, in a form that can be kept.

Deriving them from its names takes longer than reading them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from echo_memory.naming.entity import Entity
from echo_memory.naming.names import Form, ends_of, forms_of, same_gaps


@dataclass(frozen=True, slots=True)
class Handles:
    """What an entity is found by.

    Attributes:
        keys: in the entity index.
        forms: in running text, see `Names`.
        ends: of a person, the first and last names, folded.
    """

    keys: frozenset[str]
    forms: Mapping[str, Form]
    ends: tuple[str, ...]

    @classmethod
    def of(cls, entity: Entity) -> Self:
        """The handles of an entity."""
        names = (entity.title, *entity.aliases)
        ends = ends_of(names) if entity.kind == "person" else ()
        return cls(frozenset(entity.keys()), forms_of(names), ends)

    def to_row(self) -> list[Any]:
        """The handles as JSON can have them."""
        forms = {name: [form.capital, *sorted(form.gaps)] for name, form in self.forms.items()}
        return [sorted(self.keys), forms, list(self.ends)]

    @classmethod
    def from_row(cls, row: list[Any]) -> Self:
        """The handles that `to_row` gave.

        Raises:
            ValueError: it gave something else.
            TypeError: likewise.
        """
        keys, forms, ends = row
        known = {
            name: Form(same_gaps(frozenset(gaps)), capital)
            for name, (capital, *gaps) in forms.items()
        }
        return cls(frozenset(keys), known, tuple(ends))
