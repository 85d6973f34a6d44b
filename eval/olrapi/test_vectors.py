"""The stand-in gives the answers that the plugin itself gave.

Replayed is every recorded exchange on a route that a client of whole notes uses: the root,
listings, reading (raw and as note+json), PUT, DELETE, MOVE, COPY and both searches, each as
versions 5.1.0, 4.1.7 and 3.6.2 answer it. Left out, and answered 501 so that nobody takes them for
the plugin's:

- PATCH, POST to a note, and whatever addresses a part of a note by URL or by header, since the
  client edits text itself and writes it whole: the dialects differ by version and damage notes;
- the document map and rendered HTML, which nobody reads;
- tags, commands, the active file, the periodic notes of versions that had them, and the CORS
  preflight, which belong to other clients;
- the PUT that left the vault in version 3.6.2: the stand-in never leaves its folder.
"""

import base64
import json
import socket
from http.client import HTTPResponse
from pathlib import Path

import pytest

from olrapi.standin import StandIn

FIXTURE = Path(__file__).parents[1] / "fixtures" / "olrapi" / "http_vectors.json"
VECTORS = json.loads(FIXTURE.read_text("utf-8"))["http"]
KEY = "testkey"
VERSIONS = ["5.1.0", "4.1.7", "3.6.2"]

LEFT_OUT = {
    vector["name"]
    for vector in VECTORS
    if vector["method"] in ("PATCH", "OPTIONS")
    or vector["path"] in ("/tags/", "/active/")
    or vector["path"].startswith("/commands/")
    or "document-map" in vector["headers"].get("Accept", "")
    or vector["headers"].get("Accept") == "text/html"
    or "Target" in vector["headers"]
    or (vector["method"] == "POST" and vector["path"].startswith("/vault/"))
    or any(f".md/{part}" in vector["path"] for part in ("heading", "block", "frontmatter"))
}
LEFT_OUT_OF_OLD = {
    ("put: traversal", "3.6.2"),
    ("periodic is gone in 5.0.2+", "3.6.2"),
    ("periodic is gone in 5.0.2+", "4.1.7"),
}
REPLAYED = [
    pytest.param(vector, version, id=f"{vector['name']} ({version})")
    for vector in VECTORS
    for version in VERSIONS
    if vector["name"] not in LEFT_OUT and (vector["name"], version) not in LEFT_OUT_OF_OLD
]


def fill(folder, files):
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())


def contents(folder):
    """Every file as the vectors write it: text where it is text."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            try:
                found[str(file.relative_to(folder))] = data.decode()
            except UnicodeDecodeError:
                found[str(file.relative_to(folder))] = {"b64": base64.b64encode(data).decode()}
    return found


def ask(port, vector):
    """Send a recorded request as it was, byte for byte; status, headers and body of the answer."""
    headers = dict(vector["headers"])
    if vector["auth"]:
        headers.setdefault("Authorization", f"Bearer {KEY}")
    body = vector["body"].encode() if vector["body"] is not None else None
    if "body_b64" in vector:
        body = base64.b64decode(vector["body_b64"])
    if body is not None:
        headers["Content-Length"] = str(len(body))
    lines = [f"{vector['method']} {vector['path']} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        with HTTPResponse(connection, method=vector["method"]) as response:
            response.begin()
            return response.status, response.headers, response.read()


def same(value, pattern):
    """Whether JSON is as recorded, `<int>` standing for any whole number."""
    if pattern == "<int>":
        return type(value) is int
    if isinstance(pattern, dict):
        return value.keys() == pattern.keys() and all(same(value[k], pattern[k]) for k in pattern)
    return value == pattern


@pytest.mark.parametrize(("vector", "version"), REPLAYED)
def test_a_recorded_exchange_goes_as_it_was_recorded(tmp_path, vector, version):
    fill(tmp_path, vector["files_before"])
    expected = {**vector, **vector["differs_in"].get(version, {})}

    with StandIn(tmp_path, KEY, version) as stand_in:
        status, headers, body = ask(stand_in.port, vector)

    assert status == expected["status"]
    assert contents(tmp_path) == expected["files_after"]
    if "errorCode" in expected and status >= 400:
        assert json.loads(body)["errorCode"] == expected["errorCode"]
    if version == "5.1.0":
        assert same_answer(headers, body, expected)


def same_answer(headers, body, expected):
    """Whether everything else that was recorded came back too."""
    recorded = expected.get("response_headers", {})
    if {name: headers[name] for name in recorded} != recorded:
        return False
    if "message" in expected:
        return json.loads(body)["message"] == expected["message"]
    if "response_text" in expected:
        return body.decode() == expected["response_text"]
    if "response_json" not in expected:
        return body == b""
    said = json.loads(body)
    if expected["path"] == "/":
        said = {name: said[name] for name in expected["response_json"]}
    return same(said, expected["response_json"])


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector["name"] in LEFT_OUT], ids=lambda v: v["name"]
)
def test_what_is_left_out_is_not_answered_in_the_plugins_name(tmp_path, vector):
    fill(tmp_path, vector["files_before"])

    with StandIn(tmp_path, KEY) as stand_in:
        status, _, _ = ask(stand_in.port, vector)

    assert status == 501
    assert contents(tmp_path) == vector["files_before"]


def test_most_of_what_was_recorded_is_replayed():
    assert len(VECTORS) == 106
    assert len(LEFT_OUT) == 46
