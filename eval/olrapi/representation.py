"""Representation: how paths, files and bodies look on the wire, and what they become on disk."""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import posixpath
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from olrapi.messages import Refusal, Request

_ENCODE_URI = ";,/?:@&=+$-_.!~*'()#"
_TYPES = {".md": "text/markdown; charset=utf-8", ".canvas": "false", ".base": "false"}


def decoded(segment: str) -> str:
    """A name as it was before it was percent-encoded; ValueError where that cannot be told."""
    for escape in segment.split("%")[1:]:
        int(escape[:2] if len(escape) > 1 else "no number", 16)
    return unquote_to_bytes(segment).decode("utf-8")


def escapes(path: str) -> bool:
    """Whether a path leads out of the vault."""
    return posixpath.normpath(path).split("/")[0] == ".."


def file_headers(path: str) -> dict[str, str]:
    """The headers that say which file an answer is about."""
    name = quote(path, safe=_ENCODE_URI).replace(",", "%2C", 1)
    suffix = posixpath.splitext(path)[1].lower()
    kind = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "false"
    return {"Content-Disposition": f'attachment; filename="{name}"', "Content-Type": kind}


def weak_tag(data: bytes) -> str:
    """The entity tag that Express makes of a body."""
    digest = base64.b64encode(hashlib.sha1(data).digest()).decode()[:27]
    return f'W/"{len(data):x}-{digest}"'


def strong_tag(data: bytes) -> str:
    """The entity tag of a file in versions that look at conditions."""
    return f'"{hashlib.sha256(data).hexdigest()[:6]}"'


def stored(request: Request) -> bytes:
    """What the body of a PUT becomes in the file."""
    kind = request.headers.get("Content-Type", "")
    if request.body is None or not kind:
        return b"{}"
    name, _, parameters = kind.partition(";")
    if name.startswith("text/"):
        return _as_utf8(request.body, parameters)
    if name == "application/json":
        try:
            value = json.loads(request.body, parse_float=_number)
        except ValueError as error:
            raise Refusal(40015) from error
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return request.body


def _as_utf8(body: bytes, parameters: str) -> bytes:
    charset = parameters.strip().removeprefix("charset=") or "utf-8"
    try:
        text = body.decode(charset, "replace")
    except LookupError as error:
        raise Refusal(50000, f'unsupported charset "{charset.upper()}"') from error
    return text.removeprefix("\ufeff").encode()


def _number(text: str) -> Any:
    value = float(text)
    return int(value) if value.is_integer() else value
