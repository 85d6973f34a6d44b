"""The plugin: what the Local REST API answers to each request about whole notes, by version."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from urllib.parse import parse_qs, quote

from olrapi import search
from olrapi.index import Index
from olrapi.messages import LeftOut, Refusal, Request, Response, Silence, as_json
from olrapi.representation import (
    decoded,
    escapes,
    file_headers,
    stored,
    strong_tag,
    weak_tag,
)

NOTE_JSON = "application/vnd.olrapi.note+json"
JSON_LOGIC = "application/vnd.olrapi.jsonlogic+json"
MARKERS = {"heading", "block", "frontmatter"}

# What changes a file, and since which version.
_SINCE = {"PUT": (0,), "DELETE": (0,), "MOVE": (4, 1), "COPY": (5,)}
_LEFT_OUT = ("/active", "/commands", "/tags", "/open", "/mcp", "/openapi.yaml")


class Plugin:
    """The plugin over a folder; requests that touch it are handled one at a time."""

    def __init__(
        self,
        folder: Path,
        key: str,
        *,
        version: str = "5.1.0",
        auth_header: str = "Authorization",
        conditional: bool = False,
    ) -> None:
        """Nothing is touched until the first request.

        Args:
            folder: the vault.
            key: the API key.
            version: whose behaviour to take on, from 2.0.4 to 5.1.0.
            auth_header: the header that carries the key.
            conditional: whether writes honour `If-Match` and `If-None-Match`, as versions
                after 5.1.0 do; they also answer reads with a strong entity tag.
        """
        self._folder = folder
        self._key = key
        self._said_version = version
        self._version = tuple(int(part) for part in version.split("."))
        self._auth_header = auth_header.title()
        self._conditional = conditional
        self._busy = threading.RLock()

    def answer(self, request: Request) -> Response:
        """What comes back; a body even for HEAD.

        Raises:
            Silence: nothing ever comes back.
        """
        try:
            with self._busy:
                return self._routed(request)
        except Refusal as refusal:
            return refusal.response()
        except OSError as error:
            return Refusal(50000, error.strerror or "").response()
        except LeftOut:
            return Response(501, {"Content-Type": "text/plain"}, b"The stand-in leaves this out.")

    def _routed(self, request: Request) -> Response:
        path, _, query = request.target.partition("?")
        authenticated = request.headers.get(self._auth_header) == f"Bearer {self._key}"
        if path == "/" and request.method in ("GET", "HEAD"):
            return self._root(authenticated)
        if request.method == "OPTIONS":
            raise LeftOut
        if not authenticated:
            raise Refusal(40101)
        if path.startswith("/vault/"):
            return self._vault(request, path.removeprefix("/vault/"), query)
        if request.method == "POST" and path.rstrip("/") == "/search":
            return self._search(request)
        if request.method == "POST" and path.rstrip("/") == "/search/simple":
            return self._simple_search(query)
        if path.startswith(_LEFT_OUT) or self._has_periodic(path):
            raise LeftOut
        raise Refusal(40400)

    def _has_periodic(self, path: str) -> bool:
        return path.startswith("/periodic/") and self._version < (5, 0, 2)

    def _root(self, authenticated: bool) -> Response:
        said = {
            "status": "OK",
            "service": "Obsidian Local REST API",
            "authenticated": authenticated,
            "versions": {"obsidian": "1.13.1", "self": self._said_version},
        }
        if self._version >= (3,):
            said["manifest"] = {"id": "obsidian-local-rest-api", "version": self._said_version}
        return as_json(said)

    # Search

    def _search(self, request: Request) -> Response:
        kind = request.headers.get("Content-Type")
        if not kind:
            raise Refusal(40011)
        if kind != JSON_LOGIC:
            raise Refusal(40012)
        asked = (request.body or b"").decode("utf-8", "replace")
        try:
            query = json.loads(asked)
        except ValueError as error:
            raise Refusal(40015) from error
        return as_json(search.by_logic(Index(self._folder), query, asked))

    def _simple_search(self, query: str) -> Response:
        asked = parse_qs(query)
        if "query" not in asked:
            raise Refusal(40090, "A single '?query=' parameter is required.")
        context = int(asked.get("contextLength", ["100"])[0])
        return as_json(search.by_words(Index(self._folder), asked["query"][0], context))

    # Paths

    def _vault(self, request: Request, raw: str, query: str) -> Response:
        if request.headers.get("Target-Type") or request.headers.get("Target"):
            raise LeftOut
        path = self._decoded(raw)
        if request.method in ("GET", "HEAD"):
            return self._get(path, request.headers.get("Accept", ""))
        if request.method not in _SINCE:
            raise LeftOut
        if self._version < _SINCE[request.method]:
            raise Refusal(40400)
        if not path or path.endswith("/"):
            raise Refusal(40510)
        if request.method == "PUT":
            return self._put(path, request)
        if request.method == "DELETE":
            return self._delete(path, request, permanent="permanent=true" in query)
        return self._move(path, request)

    def _decoded(self, raw: str) -> str:
        try:
            segments = [decoded(segment) for segment in raw.split("/")]
        except ValueError as error:
            raise Refusal(50000, f"Failed to decode param '{raw}'") from error
        path = "/".join(segments)
        if escapes(path):
            # Versions before 4.1.3 leave the vault; the stand-in never leaves its folder.
            raise Refusal(40021 if self._version >= (4, 1, 3) else 40400)
        if self._version >= (5,) and any("/" in segment for segment in segments):
            raise Refusal(40400)
        return path

    def _below_a_note(self, path: str) -> str:
        """The first name behind a file that stands where a path needs a folder."""
        names = path.split("/")
        for count in range(1, len(names)):
            if (self._folder / "/".join(names[:count])).is_file():
                return names[count]
        return ""

    # Reading

    def _get(self, path: str, accept: str) -> Response:
        by_name = self._version >= (3, 6)
        trimmed = path.removesuffix("/") if by_name else path
        file = self._folder / trimmed
        if trimmed and not trimmed.endswith("/") and file.is_file():
            return self._file(trimmed, file, accept)
        if by_name or not path or path.endswith("/"):
            names = Index(self._folder).listing(trimmed.strip("/"))
            if names or (not trimmed and self._version >= (3, 6, 1)):
                return as_json({"files": names})
        target = self._below_a_note(trimmed) if by_name else ""
        if target in MARKERS:
            raise LeftOut
        if target:
            where = f"It was supplied as the URL path element '{target}',"
            named = file_headers(trimmed[: trimmed.index(f"/{target}")])
            raise Refusal(40054, f"{where} immediately after the note.", named)
        raise Refusal(40400)

    def _file(self, path: str, file: Path, accept: str) -> Response:
        headers = file_headers(path)
        if accept == NOTE_JSON:
            return self._note_json(path, headers)
        if accept == "text/html" or accept.startswith("application/vnd.olrapi."):
            raise LeftOut
        data = file.read_bytes()
        headers["ETag"] = strong_tag(data) if self._conditional else weak_tag(data)
        return Response(200, headers, data)

    def _note_json(self, path: str, headers: dict[str, str]) -> Response:
        index = Index(self._folder)
        if path not in index.files:
            if self._version < (4,):
                raise Silence
            raise Refusal(40400)
        known = index.known(path)
        left_out = [] if self._version >= (5,) else ["unresolvedLinks"]
        left_out += [] if self._version >= (4,) else ["links", "backlinks"]
        value = {name: known[name] for name in known if name not in left_out}
        kind = {"Content-Type": f"{NOTE_JSON}; charset=utf-8"}
        return as_json(value, headers={**headers, **kind})

    # Writing

    def _put(self, path: str, request: Request) -> Response:
        file = self._folder / path
        if not file.is_file() and self._version >= (3, 6):
            target = self._below_a_note(path)
            if target in MARKERS:
                raise LeftOut
            if target:
                raise Refusal(40054)
            if not MARKERS.isdisjoint(path.split("/")):
                raise Refusal(40400)
        if file.is_dir():
            raise Silence if (3,) <= self._version < (4,) else Refusal(50000)
        data = stored(request)
        self._require(file, request)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return Response(204, {"ETag": strong_tag(data)} if self._conditional else {})

    def _require(self, file: Path, request: Request) -> None:
        """Refuse a write whose condition does not hold, where the version looks at conditions."""
        if not self._conditional:
            return
        tag = strong_tag(file.read_bytes()) if file.is_file() else ""
        match, no_match = (request.headers.get(name) for name in ("If-Match", "If-None-Match"))
        if match is not None and match != tag:
            raise Refusal(41200)
        if no_match is not None and (tag and no_match in ("*", tag)):
            raise Refusal(41200)

    def _delete(self, path: str, request: Request, *, permanent: bool) -> Response:
        file = self._folder / path
        if not file.exists():
            raise Refusal(40500 if self._below_a_note(path) in MARKERS else 40400)
        if file.is_dir() and self._version < (5,):
            raise Silence if (3,) <= self._version < (4,) else Refusal(50000)
        self._require(file, request)
        if self._version >= (5,) and not permanent:
            _into(_free(self._folder / ".trash" / path), file)
        elif file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink()
        return Response(204)

    def _move(self, path: str, request: Request) -> Response:
        said = request.headers.get("Destination")
        if not said:
            raise Refusal(40020)
        goal = decoded(said)
        if goal.startswith("/") or escapes(goal):
            raise Refusal(40021)
        source = self._folder / path
        if not source.is_file():
            raise Refusal(40400)
        goal = goal + source.name if goal.endswith("/") else goal
        place = self._folder / goal
        if place.exists() and place != source:
            if request.headers.get("Allow-Overwrite") != "true":
                raise Refusal(40920)
            place.unlink()
        if request.method == "MOVE":
            _into(place, source)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
        return Response(204, {"Content-Location": quote(goal)})


def _free(place: Path) -> Path:
    """The place itself, or one beside it that nothing has."""
    number = 1
    free = place
    while free.exists():
        number += 1
        free = place.with_name(f"{place.stem[:60]} {number}{place.suffix}")
    return free


def _into(place: Path, source: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    source.replace(place)
