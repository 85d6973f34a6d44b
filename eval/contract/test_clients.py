"""The clients that the server is tried with: pinned, and what they may fail explained."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

import yaml

CLIENTS = Path(__file__).parents[1] / "clients"
EXPECTED = (CLIENTS / "expected_failures.yml").read_text(encoding="utf-8")


def groups() -> list[list[str]]:
    """The paragraphs below `server:`, each as its lines."""
    below = EXPECTED.split("\nserver:\n")[1]
    return [part.splitlines() for part in below.split("\n\n")]


def test_each_expected_failure_stands_below_the_words_that_explain_it() -> None:
    for group in groups():
        why = list(takewhile(lambda line: line.startswith("  # "), group))
        entries = group[len(why) :]

        assert len(" ".join(why)) > 60, group
        assert entries, group
        assert all(re.fullmatch(r"  - [\w-]+:[\w-]+", entry) for entry in entries), group


def test_no_expected_failure_is_listed_twice() -> None:
    listed = yaml.safe_load(EXPECTED)["server"]

    assert len(listed) == len(set(listed)) == len(re.findall(r"(?m)^  - ", EXPECTED))


def test_every_client_is_pinned_and_locked_with_its_hash() -> None:
    wanted = json.loads((CLIENTS / "package.json").read_text(encoding="utf-8"))["dependencies"]
    locked = json.loads((CLIENTS / "package-lock.json").read_text(encoding="utf-8"))["packages"]

    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all(package.get("integrity") for path, package in locked.items() if path)
