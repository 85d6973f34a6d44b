"""A refusal: what OAuth's errors have in common, a code of the standard and a sentence."""

from __future__ import annotations


class Refusal(Exception):
    """An error of RFC 6749, 7591 or 8707.

    Attributes:
        code: the standard's word, such as `invalid_grant`.
        description: what is wrong, in a sentence; it quotes nothing that was sent.
    """

    def __init__(self, code: str, description: str) -> None:
        super().__init__(code)
        self.code = code
        self.description = description
