"""The tools that look back, over HTTP: both forms of each answer, and what may be done next."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW
from echo_memory.config import Config
from echo_memory.history import id_of
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.note import delete_op, put_op
from folders import put
from olrapi.standin import StandIn
from server.process import until
from tools import Call, serving

ENGINE = "projects/active/engine.md"
ONE, TWO = "# Engine\n\none\n", "# Engine\n\ntwo\n"


@pytest.fixture
def kept(memory: Memory, call: Call) -> Call:
    """A server over a note that said one and says two."""
    put_op(memory, ENGINE, ONE)
    put_op(memory, ENGINE, TWO)
    return call


def restore(call: Call, text: str, **said: Any) -> tuple[dict[str, Any], str, bool]:
    return call("echo_restore_note", path="engine", version_id=id_of(text), **said)


def test_a_change_is_undone_by_looking_showing_and_confirming(
    kept: Call, vault_folder: Path
) -> None:
    listed, listed_words, _ = kept("echo_note_history", path="engine")
    shown, shown_words, shown_fault = restore(kept, ONE)
    before = (vault_folder / ENGINE).read_text()
    done, done_words, _ = restore(kept, ONE, confirm=True)

    assert [it["id"] for it in listed["versions"]] == [id_of(ONE)]
    assert id_of(ONE) in listed_words
    assert (shown["action"], shown_fault, before) == ("preview", False, TWO)
    assert "-two\n+one" in shown_words
    assert "once the operator agrees" in shown_words
    assert (done["action"], done["undo"]) == ("restored", id_of(TWO))
    assert id_of(TWO) in done_words
    assert (vault_folder / ENGINE).read_text() == ONE


def test_a_note_that_was_edited_since_the_preview_is_an_error_that_says_what_to_do(
    kept: Call, vault_folder: Path
) -> None:
    restore(kept, ONE)
    put(vault_folder / ENGINE, "by hand")

    envelope, words, is_error = restore(kept, ONE, confirm=True)

    assert is_error
    assert envelope["error"]["code"] == "conflict"
    assert "Preview it again" in words.splitlines()[0]
    assert (vault_folder / ENGINE).read_text() == "by hand"


def test_a_version_that_is_none_is_an_error_with_those_that_are(kept: Call) -> None:
    envelope, words, is_error = kept("echo_restore_note", path="engine", version_id="0" * 12)

    assert is_error
    assert envelope["error"]["did_you_mean"] == [id_of(ONE)]
    assert id_of(ONE) in words


def test_a_deleted_note_is_looked_up_and_comes_back(
    kept: Call, memory: Memory, vault_folder: Path
) -> None:
    delete_op(memory, "engine")

    listed, words, _ = kept("echo_note_history", path="engine")
    done, _, _ = restore(kept, TWO, confirm=True)

    assert listed["exists"] is False
    assert "the note is no more" in words
    assert done["creates"] is True
    assert (vault_folder / ENGINE).read_text() == TWO


def test_a_rollup_tells_the_same_in_both_forms(kept: Call) -> None:
    envelope, words, is_error = kept("echo_rollup_data", period="week", date="2026-03-14")

    assert not is_error
    assert (envelope["from"], envelope["to"]) == ("2026-03-09", "2026-03-15")
    assert f"- Engine · {ENGINE}" in words


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("echo_rollup_data", {"period": "year"}, "period"),
        ("echo_rollup_data", {}, "period"),
        ("echo_rollup_data", {"period": "week", "date": "soon"}, "date"),
        ("echo_note_history", {"path": "x", "limit": 3}, "limit"),
        ("echo_note_history", {"path": "../x"}, "path"),
        ("echo_restore_note", {"path": "engine"}, "version_id"),
        ("echo_restore_note", {"path": "engine", "version_id": "0", "confirm": "yes"}, "confirm"),
    ],
)
def test_a_wrong_argument_is_named(
    call: Call, tool: str, arguments: dict[str, Any], field: str
) -> None:
    envelope, words, is_error = call(tool, **arguments)

    assert is_error
    assert envelope["error"]["code"] == "bad-request"
    assert field in words.splitlines()[0]


def test_of_many_restores_at_once_each_is_whole_and_none_is_lost(
    kept: Call, memory: Memory, vault_folder: Path
) -> None:
    texts = [f"# Engine\n\n{number}\n" for number in range(8)]
    for text in [*texts, TWO]:
        put_op(memory, ENGINE, text)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda text: restore(kept, text, confirm=True), texts))

    assert [envelope["action"] for envelope, _, _ in done] == ["restored"] * 8
    assert (vault_folder / ENGINE).read_text() in texts
    listed = {it["id"] for it in kept("echo_note_history", path="engine")[0]["versions"]}
    there = id_of((vault_folder / ENGINE).read_text())
    assert {id_of(text) for text in texts} <= {*listed, there}


def test_the_command_line_beside_the_server_has_the_same_history(
    kept: Call, memory: Memory, vault_folder: Path
) -> None:
    beside = open_memory(
        Config(vault_folder, memory.config.state_dir), clock=lambda: NOW, notify=lambda _: None
    )
    put_op(beside, ENGINE, "# Engine\n\nthree\n")
    beside.close()

    listed, _, _ = kept("echo_note_history", path="engine")
    restore(kept, TWO, confirm=True)

    assert [it["id"] for it in listed["versions"]] == [id_of(TWO), id_of(ONE)]
    assert (vault_folder / ENGINE).read_text() == TWO


def test_behind_the_plugin_a_look_back_asks_it_little(plugin: StandIn, tmp_path: Path) -> None:
    with serving(plugin, tmp_path / "state", ECHO_MCP_INDEX_TTL="3600") as call:
        until(lambda: call("/health")[0]["index_age_s"] is not None)
        call("echo_patch_note", path="analytical-engine", operation="replace",
             target_type="heading", target="Status", content="Anew.")  # fmt: skip
        counts = {}
        with plugin.counting() as seen:
            listed, _, _ = call("echo_note_history", path="analytical-engine")
            counts["history"] = len(seen)
            call("echo_rollup_data", period="month")
            counts["rollup"] = len(seen) - counts["history"]
        (version,) = listed["versions"]
        said = {"path": "analytical-engine", "version_id": version["id"]}
        for name, more in (("preview", {}), ("restore", {"confirm": True})):
            with plugin.counting() as seen:
                answer, _, _ = call("echo_restore_note", **said, **more)
            counts[name] = len([path for _, path in seen if path.endswith(".md")])
            assert answer["action"] in ("preview", "restored")

    assert (counts["history"], counts["rollup"]) == (0, 0)
    assert counts["preview"] <= 2
    assert counts["restore"] <= 3
