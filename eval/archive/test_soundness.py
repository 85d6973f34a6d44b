"""What reaches the archive holds what a record promises, whatever an export holds."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo_archive.errors import ArchiveError
from echo_archive.importers.soundness import is_sound
from echo_archive.importing import import_paths
from echo_archive.records import Options
from exports import read_all, written

EXPORTS = Path(__file__).parents[1] / "fixtures" / "exports"
FILES = [
    path
    for path in sorted(EXPORTS.rglob("*"))
    if path.suffix in (".json", ".jsonl", ".txt", ".md")
    and path.name not in ("fixture.json", "expected.json", "README.md")
]


@pytest.mark.parametrize(
    "odd",
    [
        {"date_unixtime": "99999999999999999999"},
        {"text": [{"type": "link", "text": ["x"]}]},
        {"forwarded_from": {"a": 1}},
        {"file": "a.bin", "mime_type": 7},
        {"reactions": [{"type": "emoji", "emoji": "x", "count": 1.5}]},
        {"reactions": [{"type": "emoji", "emoji": "x", "count": 10**30}]},
    ],
)
def test_a_field_of_another_kind_is_told_and_costs_no_other(
    tmp_path: Path, odd: dict[str, Any]
) -> None:
    row = {"id": 1, "type": "message", "date": "", "date_unixtime": "5", "from": "A", "text": "a"}
    chat = {"name": "A", "type": "bot_chat", "id": 1, "messages": [row | odd, row | {"id": 2}]}

    reading = read_all(written(tmp_path, "result.json", json.dumps(chat)))

    assert [one.native_id for one in reading.messages] == ["2"]
    assert [one.line for one in reading.skipped] == [1]


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(FILES),
    st.integers(0, 10**6),
    st.binary(max_size=6) | st.sampled_from([b'"', b"null", b"{", b"]", b"\n\n", b"1e999", b"\\"]),
    st.integers(0, 30),
)
def test_a_damaged_export_is_told_of_and_never_a_crash(
    tmp_path: Path, path: Path, at: int, put: bytes, cut: int
) -> None:
    data = path.read_bytes()
    at %= len(data)
    damaged = tmp_path / path.name
    damaged.write_bytes(data[:at] + put + data[at + cut :])

    try:
        messages = read_all(damaged).messages
    except ArchiveError as refused:
        assert refused.message
    else:
        assert all(is_sound(message) for message in messages)


JSON = [path for path in FILES if path.suffix == ".json" and path.name != "data.json"]
ODD = ["\ud800x", "\0", 2**70, -(2**70), 1.5, True, None, [], {}, ["x"], {"a": 1}]


def _with(value: Any, odd: Any, choose: st.DataObject) -> Any:
    """The value with something in it replaced."""
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = choose.draw(st.sampled_from(places))
    inside = value[place]
    deeper = isinstance(inside, dict | list) and inside and choose.draw(st.integers(0, 9))
    changed = value.copy()
    changed[place] = _with(inside, odd, choose) if deeper else odd
    return changed


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(JSON), st.sampled_from(ODD), st.data())
def test_an_odd_value_anywhere_stops_no_export(
    tmp_path: Path, path: Path, odd: Any, choose: st.DataObject
) -> None:
    said = _with(json.loads(path.read_text(encoding="utf-8")), odd, choose)
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    export = written(folder, str(path.relative_to(EXPORTS)), json.dumps(said))

    report = import_paths(folder / "archive.db", [export], Options("UTC"), lambda *_: None)

    assert not [one for one in report.exports if one.outcome == "failed"]


@pytest.mark.parametrize("count", [-1, 2**63, 2**70])
def test_a_count_that_no_database_holds_is_told(tmp_path: Path, count: int) -> None:
    row = {"id": 1, "type": "message", "date": "", "date_unixtime": "5", "from": "A", "text": "a"}
    odd = {"reactions": [{"type": "emoji", "emoji": "x", "count": count}]}
    chat = {"name": "A", "type": "bot_chat", "id": 1, "messages": [row | odd, row | {"id": 2}]}

    report = import_paths(
        tmp_path / "archive.db",
        [written(tmp_path, "result.json", json.dumps(chat))],
        Options("UTC"),
        lambda *_: None,
    )

    assert report.exports[0].added + report.exports[0].skipped == 2
