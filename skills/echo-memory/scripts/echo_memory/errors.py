"""Errors: everything an operation may raise, each with a stable code and an exit status.

EchoError (internal, 70)
├── BadRequest        bad-request        64   an argument is wrong; `field` names it
├── InvalidTarget     invalid-target     65   a section, block or key is not in the note
├── Unparseable       unparseable        65   frontmatter that would have to change does not parse
├── NotFound          not-found          66   no such note
├── VaultUnreachable  vault-unreachable  69   the vault does not answer
├── VaultIO           vault-io           74   disk full, permission denied
├── Conflict          conflict           75   the note changed meanwhile, twice
├── Misconfigured     misconfigured      78   the environment is not usable
└── NotBootstrapped   not-bootstrapped   78   a folder that is not an ECHO vault yet

A message is two sentences: what happened, and what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class EchoError(Exception):
    """Anything that stops an operation; details travel to the caller beside the message."""

    code: ClassVar[str] = "internal"
    exit_status: ClassVar[int] = 70

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """The error as it stands in an envelope."""
        return {"code": self.code, "message": self.message, **self.details}


class BadRequest(EchoError):
    """An argument is wrong; `field` says which."""

    code = "bad-request"
    exit_status = 64

    def __init__(self, message: str, *, field: str, **details: Any) -> None:
        super().__init__(message, field=field, **details)


class InvalidTarget(EchoError):
    """A heading, block or key that the note does not have; details list those that it has."""

    code = "invalid-target"
    exit_status = 65


class Unparseable(EchoError):
    """Frontmatter that an operation would have to change, but cannot read."""

    code = "unparseable"
    exit_status = 65

    def of(self, path: str) -> Unparseable:
        """The same, naming the note whose frontmatter it is."""
        if "path" in self.details:
            return self
        return Unparseable(f"{path}: {self.message}", path=path, **self.details)


class NotFound(EchoError):
    """No such note."""

    code = "not-found"
    exit_status = 66

    def __init__(self, message: str, *, path: str, **details: Any) -> None:
        super().__init__(message, path=path, **details)


class VaultUnreachable(EchoError):
    """The vault does not answer.

    `in_doubt` says whether it may have taken a write before it fell silent.
    """

    code = "vault-unreachable"
    exit_status = 69

    def __init__(self, message: str, *, in_doubt: bool = True, **details: Any) -> None:
        super().__init__(message, **details)
        self.in_doubt = in_doubt


class VaultIO(EchoError):
    """The vault answered that it cannot store or read: disk full, permission denied."""

    code = "vault-io"
    exit_status = 74


class Conflict(EchoError):
    """The note changed between the read and the write, and again on the second try."""

    code = "conflict"
    exit_status = 75


class Misconfigured(EchoError):
    """The environment is missing something or says something unusable."""

    code = "misconfigured"
    exit_status = 78

    @classmethod
    def from_faults(cls, faults: Sequence[str]) -> Misconfigured:
        """The error of a configuration with these faults, a sentence each, kept in `faults`."""
        words = " ".join(["The configuration cannot be used.", *faults])
        return cls(words, faults=list(faults))


class NotBootstrapped(EchoError):
    """A write to a folder that carries no marker note."""

    code = "not-bootstrapped"
    exit_status = 78
