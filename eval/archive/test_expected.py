"""Every export of the fixtures is read as a person who wrote it would read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from echo_archive.importers.table import read
from echo_archive.links import links_of
from echo_archive.recognise import recognise
from echo_archive.records import Attachment, Message, Options, Person, Reaction, Skipped

FIXTURES = Path(__file__).parents[1] / "fixtures" / "exports"
EXPECTED = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))["fixtures"]
SINGLE = [name for name in EXPECTED if not name.startswith("reimport/")]
compare = run_path(str(FIXTURES / "check_expected.py"))["compare"]


@pytest.mark.parametrize("name", SINGLE)
def test_a_fixture_is_read_as_it_should_be(name: str) -> None:
    spec = json.loads((FIXTURES / name / "fixture.json").read_text(encoding="utf-8"))
    problems: list[str] = []

    wrong = compare(name, EXPECTED[name], _read(FIXTURES / name, spec), problems)

    assert wrong == 0, "\n".join(problems)


@pytest.mark.parametrize("name", SINGLE)
def test_a_fixture_is_recognised_as_what_it_is(name: str) -> None:
    spec = json.loads((FIXTURES / name / "fixture.json").read_text(encoding="utf-8"))

    exports = recognise(FIXTURES / name / spec["entry"])

    assert {(one.source, one.format) for one in exports} == {(spec["source"], spec["format"])}


def test_the_secrets_that_signal_writes_into_its_export_are_in_nothing_that_is_read() -> None:
    folder = FIXTURES / "signal_plaintext/basic"
    spec = json.loads((folder / "fixture.json").read_text(encoding="utf-8"))
    secrets = ("bW1tbW1tbW1t", "YWFhYWFhYWFh", "Z2dnZ2dnZ2dn", "a2tra2tra2tr")

    said = repr([row for export in recognise(folder) for row in read(export, _options(spec))])

    assert not [secret for secret in secrets if secret in said]


def _options(spec: dict[str, Any]) -> Options:
    return Options(spec["timezone"], tuple(spec["owner"]), spec["date_order"])


def _read(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    messages, warnings = [], []
    for export in recognise(folder / spec["entry"]):
        start = export.path.relative_to(folder).as_posix().removeprefix(".")
        for row in read(export, _options(spec)):
            if isinstance(row, Skipped):
                warnings.append(row.why)
            else:
                messages.append((row.instant_ms, _plain(row, f"{start}/" if start else "")))
    messages.sort(key=lambda one: one[0])
    return {"messages": [message for _, message in messages], "warnings": warnings}


def _plain(message: Message, start: str) -> dict[str, Any]:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=message.instant_ms)
    about = message.conversation
    plain = {name: getattr(message, name) for name in ("body", "deleted", "edited", "system")}
    plain |= {name: getattr(message, name) for name in ("reply_to", "reply_quote", "native_id")}
    return plain | {
        "conversation": {"name": about.name, "id": about.native_id, "kind": about.kind},
        "id": message.native_id,
        "sender": _name(message.sender),
        "is_me": bool(message.sender and message.sender.is_me),
        "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "attachments": [_attachment(one, start) for one in message.attachments],
        "links": list(_links(message)),
        "reactions": [_reaction(one) for one in message.reactions],
        "forwarded_from": message.forwarded_from,
        "revisions": list(message.revisions) or None,
    }


def _links(message: Message) -> Iterator[str]:
    """Those of the body, then the source's own; these alone where they hold the others too."""
    body = links_of(message.body)
    own = [link for one in message.links for link in links_of(one)]
    yield from own if set(body) <= set(own) else dict.fromkeys([*body, *own])


def _name(person: Person | None) -> str | None:
    return person.name if person else None


def _attachment(one: Attachment, start: str) -> dict[str, Any]:
    path = start + one.path if one.path else None
    return {"kind": one.kind, "name": one.name, "path": path, "missing": one.missing}


def _reaction(one: Reaction) -> dict[str, Any]:
    return {"emoji": one.emoji, "actor": _name(one.actor), "count": one.count}
