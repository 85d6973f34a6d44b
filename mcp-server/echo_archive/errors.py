"""Errors: what an archive may answer instead of a result, each with a stable code.

ArchiveError (internal, 70)
├── BadArgument   bad-request   64   an argument is wrong; `field` names it
├── NotFound      not-found     66   no such message or conversation
├── Unavailable   unavailable   69   what is asked for needs something that is not there
└── Unreadable    archive-io    74   the database cannot be read or written

A message is two sentences: what happened, and what to do next.
"""

from __future__ import annotations

from typing import Any, ClassVar


class ArchiveError(Exception):
    """Anything that stops an operation or an import; details travel beside the message."""

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 70

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """The error as it stands in an answer."""
        return {"code": self.code, "message": self.message, **self.details}


class BadArgument(ArchiveError):
    """An argument is wrong; `field` says which."""

    code = "bad-request"
    exit_status = 64

    def __init__(self, message: str, *, field: str, **details: Any) -> None:
        super().__init__(message, field=field, **details)


class NotFound(ArchiveError):
    """No such message or conversation."""

    code = "not-found"
    exit_status = 66


class Unavailable(ArchiveError):
    """The answer needs something that is not there, such as an embedding model."""

    code = "unavailable"
    exit_status = 69


class Unreadable(ArchiveError):
    """The database is missing, damaged, from the future or cannot be written."""

    code = "archive-io"
    exit_status = 74
