"""Health: the checks of a vault and its surroundings; what fails is data, never an error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from echo_memory import vault_lock
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest, VaultIO
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import reindex_op
from echo_memory.ops.health import doctor_op, health_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.lock import unlock_op
from echo_memory.ops.note import put_op

MARKER = "_agent/echo-vault.md"
INDEX = "_agent/index/entities.json"
LOCK = "_agent/locks/vault.json"


def check(answer: Envelope, name: str) -> dict[str, Any]:
    (found,) = [each for each in answer["checks"] if each["check"] == name]
    return dict(found)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_fresh_vault_is_healthy(memory: Memory) -> None:
    answer = doctor_op(memory)

    assert answer["ok"] and answer["healthy"]
    assert [each["check"] for each in answer["checks"]] == [
        "vault",
        "access",
        "marker",
        "index",
        "lock",
        "outbox",
        "state",
        "disk",
        "history",
        "backup",
        "sweep",
        "decay",
        "version",
    ]
    assert all(each["ok"] and each["detail"] and not each["fix"] for each in answer["checks"])


def test_health_is_doctor_with_room_for_violations(memory: Memory) -> None:
    answer = health_op(memory)

    assert answer == {
        "ok": True,
        "op": "health",
        "healthy": True,
        "checks": doctor_op(memory)["checks"],
        "violations": [],
    }


def test_deep_health_has_lints_violations_and_stays_healthy(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder / "a.md", "[[Nobody]]")

    shallow, deep = health_op(memory), health_op(memory, deep=True)

    assert shallow["violations"] == []
    assert deep["healthy"] is True
    assert deep["violations"] == lint_op(memory)["violations"] != []
    assert deep["counts"] == {"broken-link": 1}


def test_deep_takes_true_or_false(memory: Memory) -> None:
    with pytest.raises(BadRequest) as raised:
        health_op(memory, deep="yes")

    assert raised.value.details["field"] == "deep"


@pytest.mark.parametrize("look", [doctor_op, lambda echo: health_op(echo, deep=True)])
def test_a_vault_that_vanished_is_data_with_a_fix(
    memory: Memory, vault_folder: Path, look: Callable[[Memory], Envelope]
) -> None:
    shutil.rmtree(vault_folder)

    answer = look(memory)

    assert answer["ok"] is True
    assert answer["healthy"] is False
    assert check(answer, "vault")["ok"] is False
    assert "ECHO_BASE" in check(answer, "vault")["fix"]
    assert {"state", "disk", "version"} <= {each["check"] for each in answer["checks"]}
    assert str(vault_folder) not in json.dumps(answer)


def test_a_folder_without_a_marker_says_how_to_bootstrap(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / MARKER).unlink()

    answer = doctor_op(memory)

    assert answer["healthy"] is False
    assert check(answer, "marker")["ok"] is False
    assert "`bootstrap`" in check(answer, "marker")["fix"]


@pytest.mark.parametrize("version", ["2", "0", "", "one"])
def test_a_vault_of_another_schema_version_is_not_healthy(
    memory: Memory, vault_folder: Path, version: str
) -> None:
    write(vault_folder / MARKER, f"---\nschema_version: {version}\n---\n")

    assert check(doctor_op(memory), "marker")["ok"] is False


@pytest.mark.parametrize("text", ["{", "[" * 100_000], ids=["cut off", "nested too deep"])
def test_a_damaged_shared_index_is_reported_until_it_is_written_anew(
    memory: Memory, vault_folder: Path, text: str
) -> None:
    write(vault_folder / INDEX, text)
    damaged = check(doctor_op(memory), "index")

    reindex_op(memory)

    assert not damaged["ok"]
    assert "reindex" in damaged["fix"]
    assert "up to date" in check(doctor_op(memory), "index")["detail"]


def test_a_shared_index_that_lags_or_is_missing_is_no_fault(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder / "resources/people/ada.md", "# Ada\n")
    behind = check(doctor_op(memory), "index")
    (vault_folder / INDEX).unlink()
    missing = check(doctor_op(memory), "index")

    assert behind["ok"] and "1 entities" in behind["detail"] and "behind" in behind["detail"]
    assert missing["ok"] and "no shared index yet" in missing["detail"]


@pytest.mark.parametrize(
    ("minutes", "detail"),
    [(5, "held by laptop until 2026-03-14T09:31:53+01:00"), (-5, "free; laptop")],
)
def test_the_advisory_lock_is_told_with_its_holder(
    memory: Memory, vault_folder: Path, minutes: int, detail: str
) -> None:
    expires = (memory.clock() + timedelta(minutes=minutes)).isoformat()
    write(vault_folder / LOCK, json.dumps({"holder": "laptop", "nonce": "x", "expires": expires}))

    lock = check(doctor_op(memory), "lock")

    assert lock["ok"] and detail in lock["detail"]


def test_a_lock_that_was_given_back_is_free(memory: Memory) -> None:
    with vault_lock.hold(memory, seconds=30):
        pass

    assert check(doctor_op(memory), "lock") == {
        "check": "lock",
        "ok": True,
        "detail": "free",
        "fix": "",
    }


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"holder": "x", "expires": 5}', '{"holder": "x", "expires": "2026-03-14"}'],
)
def test_a_damaged_lock_is_reported(memory: Memory, vault_folder: Path, text: str) -> None:
    write(vault_folder / LOCK, text)

    lock = check(doctor_op(memory), "lock")

    assert not lock["ok"] and LOCK in lock["fix"]
    unlock_op(memory, force=True)
    assert check(doctor_op(memory), "lock")["detail"] == "free"


def test_a_state_folder_that_cannot_be_one_is_reported(memory: Memory, tmp_path: Path) -> None:
    write(tmp_path / "file", "")
    echo = open_memory(replace(memory.config, state_dir=tmp_path / "file" / "state"))

    state = check(doctor_op(echo), "state")

    assert not state["ok"] and "ECHO_STATE_DIR" in state["fix"]


def test_a_state_folder_that_is_not_there_yet_is_in_order(memory: Memory, tmp_path: Path) -> None:
    echo = open_memory(replace(memory.config, state_dir=tmp_path / "new" / "state"))

    assert check(doctor_op(echo), "state")["ok"]


def test_the_history_says_how_much_it_holds(memory: Memory) -> None:
    none = check(doctor_op(memory), "history")
    for text in ("# One\n", "# Two\n", "# Three\n"):
        put_op(memory, "areas/business/a.md", text)

    held = check(doctor_op(memory), "history")

    assert (none["ok"], none["detail"]) == (True, "0 earlier texts of 0 notes, 0.0 MB")
    assert held["ok"] is True
    assert held["detail"].startswith("2 earlier texts of 1 notes, ")


def test_a_text_that_could_not_be_kept_is_told_with_a_fix_until_one_can(
    memory: Memory, tmp_path: Path
) -> None:
    write(tmp_path / "state/history", "in the way")
    put_op(memory, "areas/business/a.md", "# One\n")
    with pytest.raises(VaultIO):
        put_op(memory, "areas/business/a.md", "# Two\n")

    failed = doctor_op(memory)
    (tmp_path / "state/history").unlink()
    put_op(memory, "areas/business/a.md", "# Two\n")

    assert failed["healthy"] is False
    assert check(failed, "history")["ok"] is False
    assert "ECHO_STATE_DIR" in check(failed, "history")["fix"]
    assert str(tmp_path) not in json.dumps(failed)
    assert check(doctor_op(memory), "history")["ok"] is True


def test_a_damaged_history_is_told_until_somebody_looked_at_it(
    memory: Memory, tmp_path: Path
) -> None:
    for text in ("# One\n", "# Two\n"):
        put_op(memory, "areas/business/a.md", text)
    memory.history.close()
    (path,) = (tmp_path / "state/history").glob("*.sqlite")
    path.write_bytes(b"no database" * 500)

    first, second = (check(doctor_op(memory), "history") for _ in range(2))
    (aside,) = (tmp_path / "state/history").glob("*.damaged")
    aside.unlink()

    assert (first["ok"], second["ok"]) == (False, False)
    assert "`.damaged`" in second["fix"]
    assert check(doctor_op(memory), "history")["ok"] is True
