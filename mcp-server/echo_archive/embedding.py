"""Embedding: texts to vectors, by an endpoint that speaks the OpenAI way, local by default."""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import math
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from echo_archive.errors import Unavailable

DEFAULT_URL = "http://127.0.0.1:11434/v1"
MAX_ANSWER, MAX_DIMENSIONS = 256 * 2**20, 16_384
_TRIES, _LONGEST_WAIT = 4, 30.0
_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where vectors come from.

    Attributes:
        url: Up to and without `/embeddings`.
        model: As the endpoint calls it.
        key: Sent as a bearer token where there is one.
        query_prefix: Put before a question; some models want one.
        document_prefix: Put before a message.
        weight: What a semantic rank counts beside a keyword rank.
        timeout: Seconds for one request.
    """

    model: str
    url: str = DEFAULT_URL
    key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    document_prefix: str = ""
    weight: float = 1.0
    timeout: float = 60.0

    def query(self, text: str) -> bytes:
        """The vector of a question."""
        return embed(self, [self.query_prefix + text], tries=1)[0]

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        """The vectors of messages."""
        return embed(self, [self.document_prefix + text for text in texts])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Texts and the key go where they were meant to go, nowhere else, and through no proxy."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow nothing."""
        return


def embed(
    endpoint: Endpoint,
    texts: Sequence[str],
    *,
    tries: int = _TRIES,
    wait: Callable[[float], None] = time.sleep,
) -> list[bytes]:
    """One vector per text, in order: float32, the lowest byte first.

    Args:
        endpoint: Where from.
        texts: What to embed; at least one.
        tries: How often it is asked at most, with pauses, while a failure may pass.
        wait: How to pause.

    Raises:
        Unavailable: The endpoint does not answer, refuses, or answers something else.
    """
    attempt = 1
    while True:
        try:
            return _vectors(_ask(endpoint, texts), len(texts))
        except urllib.error.HTTPError as problem:
            problem.close()
            pause = _pause(problem, attempt)
            if problem.code not in _AGAIN or attempt == tries:
                raise Unavailable(
                    f"The embedding endpoint refused with status {problem.code}. "
                    "Check the model's name, the key and the address."
                ) from problem
        except (OSError, http.client.HTTPException) as problem:
            pause = _pause(None, attempt)
            if attempt == tries:
                raise Unavailable(
                    "The embedding endpoint does not answer. "
                    "Start the model's server, or correct its address."
                ) from problem
        except ValueError:  # without what it says, for that may be the key
            raise Unavailable(
                "The embedding endpoint cannot be asked: its address or the key holds characters"
                " that no request may. Correct them."
            ) from None
        wait(pause)
        attempt += 1


def _ask(endpoint: Endpoint, texts: Sequence[str]) -> Any:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    said = {"model": endpoint.model, "input": list(texts), "encoding_format": "base64"}
    address = f"{endpoint.url.rstrip('/')}/embeddings"
    if not address.startswith(("http://", "https://")):
        raise Unavailable(
            "The embedding endpoint's address is no web address. Begin it with http:// or https://."
        )
    request = urllib.request.Request(address, json.dumps(said).encode(), headers)  # noqa: S310
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)
    with opener.open(request, timeout=endpoint.timeout) as answer:
        body = answer.read(MAX_ANSWER + 1)
    try:
        return json.loads(body[:MAX_ANSWER])
    except (ValueError, RecursionError) as problem:
        raise _strange("it is no JSON") from problem


def _vectors(answer: Any, count: int) -> list[bytes]:
    """The vectors by their index; they may come in any order."""
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _strange("it has no list of vectors")
    by_index = {str(row.get("index", at)): row.get("embedding") for at, row in enumerate(rows)}
    if len(rows) != count or set(by_index) != set(map(str, range(count))):
        raise _strange(f"{len(rows)} vectors came for {count} texts")
    vectors = [_packed(by_index[str(at)]) for at in range(count)]
    if len({len(vector) for vector in vectors}) != 1:
        raise _strange("its vectors are of several lengths")
    return vectors


def _packed(embedding: Any) -> bytes:
    try:
        if isinstance(embedding, str):
            packed = base64.b64decode(embedding, validate=True)
        else:
            packed = struct.pack(f"<{len(embedding)}f", *embedding)
        numbers = struct.unpack(f"<{len(packed) // 4}f", packed)
    except (TypeError, ValueError, struct.error, OverflowError, binascii.Error) as problem:
        raise _strange("a vector is neither base64 nor a list of numbers") from problem
    if not 0 < len(numbers) <= MAX_DIMENSIONS or not all(map(math.isfinite, numbers)):
        raise _strange("a vector is empty, overlong or holds what is no number")
    return packed


def _strange(why: str) -> Unavailable:
    return Unavailable(
        f"The embedding endpoint's answer cannot be used: {why}. Check the model and the address."
    )


def _pause(problem: urllib.error.HTTPError | None, attempt: int) -> float:
    said = problem.headers.get("Retry-After", "") if problem is not None else ""
    asked = float(said) if said.isdecimal() else 0.5 * 2**attempt
    return min(asked, _LONGEST_WAIT)
