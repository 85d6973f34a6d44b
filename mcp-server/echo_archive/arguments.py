"""Arguments: what every operation checks before it looks at anything."""

from __future__ import annotations

from collections.abc import Sequence

from echo_archive.characters import well_formed
from echo_archive.errors import BadArgument

LONGEST = 1_000


def checked_number(value: object, field: str, most: int, least: int = 1) -> int:
    """A whole number within bounds.

    Raises:
        BadArgument: It is not one, or beyond them.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadArgument(
            f"`{field}` is {str(value)[:40]}. Give a whole number from {least} to {most}.",
            field=field,
            least=least,
            most=most,
        )
    return value


def checked_text(value: object, field: str) -> str:
    """A text that says something and is not overlong.

    Raises:
        BadArgument: It is empty, overlong or no text.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadArgument(f"`{field}` is empty. Give a text.", field=field)
    if len(value) > LONGEST:
        raise BadArgument(
            f"`{field}` has {len(value)} characters. Give at most {LONGEST}.", field=field
        )
    return well_formed(value)


def optional_text(value: object, field: str) -> str | None:
    """The same, or None."""
    return None if value is None else checked_text(value, field)


def checked_choice(value: object, field: str, choices: Sequence[str]) -> str:
    """One of several words.

    Raises:
        BadArgument: It is none of them.
    """
    if value not in choices:
        raise BadArgument(
            f"`{field}` is “{str(value)[:40]}”. Use one of: {', '.join(choices)}.",
            field=field,
            accepted=list(choices),
        )
    return str(value)
