"""Messages: what goes in and out of the plugin, without the socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

JSON = "application/json; charset=utf-8"

# What the plugin says under each code that is more than a plain status.
_SAYINGS = {
    40011: "Content-Type header required; this API accepts data in multiple content-types and you"
    " must indicate the content-type of your request body via the Content-Type header.",
    40012: "Unknown or invalid Content-Type specified in Content-Type header.",
    40015: "Your request body could not be processed as the content-type specified in your"
    " Content-Type header.",
    40020: "A Destination header is required.",
    40021: "Path traversal is not allowed. Paths must be relative and within the vault.",
    40054: "The target type you specified was invalid. Valid target types are 'heading', 'block',"
    " and 'frontmatter'.",
    40070: "The query you provided could not be processed.",
    40090: "The search query you provided is not valid.",
    40101: "Authorization required.  Find your API Key in the 'Local REST API with MCP' section of"
    " your Obsidian settings.",
    40510: "Request method is valid only for file paths, not directories.",
    40920: "Destination file already exists.",
}


@dataclass(frozen=True)
class Request:
    """One request, its headers written Like-This; `body` is None where none was announced."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Response:
    """One answer; a HEAD is answered with the same, its body unsent."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Refusal(Exception):
    """An answer that is an error of the plugin."""

    def __init__(self, code: int, detail: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.headers = headers or {}

    def response(self) -> Response:
        """The error as it is sent."""
        status = self.code // 100
        message = _SAYINGS.get(self.code) or HTTPStatus(status).phrase
        whole = f"{message}\n{self.detail}" if self.detail else message
        return as_json({"message": whole, "errorCode": self.code}, status, self.headers)


class Silence(Exception):
    """The plugin never answers this one."""


class LeftOut(Exception):
    """The plugin answers this one; the stand-in does not."""


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer, spaced as the plugin spaces it; headers that are given win."""
    body = json.dumps(value, indent=2, ensure_ascii=False).encode()
    return Response(status, {"Content-Type": JSON, **(headers or {})}, body)
