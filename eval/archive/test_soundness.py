"""What reaches the archive holds what a record promises, whatever an export holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo_archive.errors import ArchiveError
from echo_archive.importers.soundness import is_sound
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
