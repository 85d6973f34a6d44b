"""The command line for tests: what a run of it in this process answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


@dataclass(frozen=True)
class Run:
    """What a command answered."""

    status: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one envelope on stdout."""
        assert self.out.count("\n") == 1
        answer: dict[str, Any] = json.loads(self.out)
        return answer


Echo = Callable[..., Run]
