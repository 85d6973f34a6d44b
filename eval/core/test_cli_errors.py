"""Bad command lines, and the exit status of every outcome."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from command_line import Echo, Run
from echo_memory.envelope import GATED, LOCKED, exit_status
from echo_memory.errors import EchoError
from folders import put

BUNDLE = {"slug": "kickoff", "log_body": "Ordered gears.", "agent_log_line": "Kickoff done"}


@pytest.mark.parametrize(
    ("words", "op", "field"),
    [
        ([], "echo-memory", "command"),
        (["bogus"], "echo-memory", "command"),
        (["bogus", "--help"], "echo-memory", "command"),
        (["get"], "get", "path"),
        (["link", "a"], "link", "b"),
        (["patch", "a", "append"], "patch", "target_type"),
        (["recall"], "recall", "query"),
        (["recall", "x", "--limit", "six"], "recall", "limit"),
        (["recall", "x", "--limit"], "recall", "limit"),
        (["recall", "x", "--limit", "0"], "recall", "limit"),
        (["recall", "x", "--budget-chars", "1"], "recall", "budget_chars"),
        (["recall", "x", "--budget", "900"], "recall", "budget"),
        (["recall", "x", "--limt", "4"], "recall", "limt"),
        (["recall", "x", "--no-linked=1"], "recall", "no_linked"),
        (["recall", ""], "recall", "query"),
        (["load", "--budget-chars", "1.5"], "load", "budget_chars"),
        (["patch", "engine", "insert", "heading", "Status", "x"], "patch", "operation"),
        (["patch", "engine", "append", "line", "Status", "x"], "patch", "target_type"),
        (["scope", "delete"], "scope", "action"),
        (["scope", "set"], "scope", "scope"),
        (["scope", "show", "Engine"], "scope", "scope"),
        (["capture", "x", "--kind", "alien"], "capture", "kind"),
        (["capture", "x", "--date", "tomorrow", "--kind", "meeting"], "capture", "date"),
        (["capture", "x", "--body", "-tight"], "capture", "body"),
        (["capture", "x", "--merge-into", "../y"], "capture", "merge_into"),
        (["append", "engine", "a\nb"], "append", "line"),
        (["get", "../x"], "get", "path"),
        (["get", "a\x00b"], "get", "path"),
        (["get", "\udcff"], "get", "path"),
        (["capture", "caf\udce9"], "capture", "title"),
        (["recall", "caf\udce9"], "recall", "query"),
        (["bogus\udcff\n"], "echo-memory", "command"),
        (["--js", "scope"], "scope", "js"),
    ],
)
def test_a_bad_command_line_is_a_bad_request_that_names_the_argument(
    echo: Echo, words: list[str], op: str, field: str
) -> None:
    said = echo(*words, "--json")
    in_words = echo(*words)

    assert (said.status, said.err, said.envelope["op"]) == (64, "", op)
    assert (said.envelope["error"]["code"], said.envelope["error"]["field"]) == (
        "bad-request",
        field,
    )
    assert (in_words.status, in_words.out) == (64, "")
    assert in_words.err.startswith(f"bad-request ({field}): ")


def test_what_follows_two_dashes_is_no_option(echo: Echo, vault_folder: Path) -> None:
    said = echo("append", "engine", "--", "--json")

    assert said.status == 0
    assert said.out.startswith("updated: ")
    assert "\n--json\n" in (vault_folder / "projects/active/engine.md").read_text()


def test_a_value_that_begins_with_a_dash_and_holds_a_space_is_a_value(
    echo: Echo, vault_folder: Path
) -> None:
    echo("append", "engine", "- [ ] call the foundry")
    echo("capture", "Tide", "--kind", "concept", "--body=-tight")

    assert "- [ ] call the foundry\n" in (vault_folder / "projects/active/engine.md").read_text()
    assert "-tight\n" in (vault_folder / "resources/concepts/tide.md").read_text()


def test_a_folder_named_like_a_command_is_not_taken_for_it(echo: Echo) -> None:
    said = echo("--vault", "load", "get", "x", "--json")

    assert (said.status, said.envelope["op"]) == (69, "get")


# Exit status


def test_a_near_duplicate_is_no_error_and_ends_with_76(echo: Echo) -> None:
    words = ["capture", "Ada Lovelase", "--kind", "person"]

    said, in_words = echo(*words, "--json"), echo(*words)

    assert (said.status, said.envelope["action"]) == (76, "duplicate-gate")
    assert (in_words.status, in_words.err) == (76, "")
    assert "merge_into" in in_words.out


def test_the_gate_is_answered_by_merging_or_by_force(echo: Echo) -> None:
    words = ["capture", "Ada Lovelase", "--kind", "person", "--json"]

    merged = echo(*words, "--merge-into", "ada-lovelace")
    forced = echo("capture", "Ada Lovelacy", "--kind", "person", "--json", "--force")

    assert (merged.status, merged.envelope["action"]) == (0, "updated")
    assert (forced.status, forced.envelope["action"]) == (0, "created")


def test_no_such_note_ends_with_66_and_the_nearest_names(echo: Echo) -> None:
    said, in_words = echo("get", "ada-lovelase", "--json"), echo("get", "ada-lovelase")

    assert (said.status, in_words.status, in_words.out) == (66, 66, "")
    assert said.envelope["error"]["did_you_mean"] == ["resources/people/ada-lovelace.md"]
    assert "ada-lovelace.md" in in_words.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["get", "engine", "--section", "Nowhere"], "invalid-target"),
        (["patch", "engine", "append", "heading", "Nowhere", "x"], "invalid-target"),
        (["patch", "broken", "replace", "frontmatter", "title", "x"], "unparseable"),
    ],
)
def test_a_place_that_is_not_there_or_not_readable_ends_with_65(
    echo: Echo, vault_folder: Path, words: list[str], code: str
) -> None:
    put(vault_folder / "resources/concepts/broken.md", "---\ntitle: [open\n---\n# Broken\n")

    said = echo(*words, "--json")

    assert (said.status, said.envelope["error"]["code"]) == (65, code)


def test_a_session_whose_step_fails_ends_with_that_errors_status_and_shows_every_step(
    echo: Echo, vault_folder: Path
) -> None:
    put(vault_folder / "_agent/context/current-context.md", "---\nscope: [open\n---\n")
    words = ["session-end", "--bundle", json.dumps({**BUNDLE, "scope": "New"}), "--apply"]

    said, in_words = echo(*words, "--json"), echo(*words)

    assert (said.status, said.envelope["error"]["code"]) == (65, "unparseable")
    assert [step["ok"] for step in said.envelope["steps"]] == [True, True, False]
    assert (in_words.status, in_words.out) == (65, "")
    assert in_words.err.startswith("unparseable (_agent/context/current-context.md): ")
    assert "- session-log: " in in_words.err


def test_a_folder_that_is_not_there_ends_with_69_and_names_it(bare: Echo, tmp_path: Path) -> None:
    said = bare("recall", "x", "--json", vault="nowhere")

    assert (said.status, said.envelope["error"]["code"]) == (69, "vault-unreachable")
    assert str(tmp_path / "nowhere") in said.envelope["error"]["message"]
    assert "bootstrap" in said.envelope["error"]["message"]
    assert not (tmp_path / "nowhere").exists()


def test_doctor_answers_even_where_there_is_no_vault(bare: Echo) -> None:
    said = bare("doctor", "--json", vault="nowhere")

    assert (said.status, said.envelope["healthy"]) == (0, False)


def test_bootstrap_makes_the_folder_and_all_folders_above_it(bare: Echo, tmp_path: Path) -> None:
    said = bare("bootstrap", vault="new/notes")

    assert said.status == 0
    assert (tmp_path / "new/notes/_agent/echo-vault.md").exists()


@pytest.mark.parametrize(
    "words", [["capture", "Tide", "--kind", "concept"], ["put", "resources/concepts/x", "x"]]
)
def test_a_vault_that_cannot_store_ends_with_74(
    bare: Echo, vault_folder: Path, words: list[str]
) -> None:
    put(vault_folder / "resources", "a file where a folder belongs")
    bare("bootstrap")

    said = bare(*words, "--json")

    assert (said.status, said.envelope["error"]["code"]) == (74, "vault-io")


def test_a_folder_that_cannot_be_made_ends_with_74(bare: Echo, tmp_path: Path) -> None:
    put(tmp_path / "file", "x")

    said = bare("bootstrap", "--json", vault="file/notes")

    assert (said.status, said.envelope["error"]["code"]) == (74, "vault-io")


def test_what_nobody_foresaw_ends_with_70_and_its_traceback_is_on_stderr(echo: Echo) -> None:
    def broken() -> datetime:
        raise RuntimeError("no clock")

    said = echo("capture", "x", "--json", clock=broken)

    assert (said.status, said.envelope["error"]["code"]) == (70, "internal")
    assert "no clock" not in said.out
    assert "RuntimeError: no clock" in said.err


def test_no_vault_at_all_ends_with_78_and_says_what_to_set(bare: Echo) -> None:
    said = bare("load", "--json", vault="")

    assert (said.status, said.envelope["error"]["code"]) == (78, "misconfigured")
    assert "ECHO_BASE" in said.envelope["error"]["faults"][0]
    assert "--vault" in said.envelope["error"]["message"]


def test_a_write_to_a_folder_that_is_no_vault_yet_ends_with_78(
    bare: Echo, vault_folder: Path
) -> None:
    said = bare("capture", "x", "--json")

    assert (said.status, said.envelope["error"]["code"]) == (78, "not-bootstrapped")
    assert list(vault_folder.iterdir()) == []
    assert bare("recall", "x").status == 0


def test_every_error_has_the_status_that_its_class_says() -> None:
    for kind in (EchoError, *EchoError.__subclasses__()):
        answer = {"ok": False, "op": "x", "error": {"code": kind.code, "message": ""}}
        assert exit_status(answer) == kind.exit_status
    assert exit_status({"ok": False, "op": "x", "action": GATED}) == 76
    assert exit_status({"ok": False, "op": "x", "action": LOCKED}) == 75
    assert exit_status({"ok": True, "op": "x", "queued": True}) == 0


def test_an_interrupt_ends_with_130_and_says_nothing(echo: Echo) -> None:
    def interrupted() -> datetime:
        raise KeyboardInterrupt

    assert echo("capture", "x", "--json", clock=interrupted) == Run(130, "", "")


def test_a_word_that_begins_with_a_dash_is_told_how_to_be_given(echo: Echo) -> None:
    refused = echo("append", "engine", "---")
    taken = echo("append", "--", "engine", "---")

    assert refused.status == 64
    assert "put -- before" in refused.err
    assert "put -- before" not in echo("append", "engine").err
    assert taken.status == 0


def test_an_unknown_key_of_a_bundle_is_answered_with_the_keys(echo: Echo) -> None:
    said = echo("session-end", "--bundle", '{"body": "x"}')

    assert "body is not a key of a bundle. The keys are: slug, log_body, " in said.err


def test_hints_name_the_program_as_it_was_started(
    bare: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for started_as, program in (("/opt/x/echo.py", "python3 echo.py"), ("/bin/x", "echo-memory")):
        monkeypatch.setattr("sys.argv", [started_as])
        gone, bad = bare("load", vault="gone"), bare("recall", "x", "--limt", "4")

        assert f"`{program} --vault " in gone.err
        assert bad.err.endswith(f"--limt 4. See `{program} --help`.\n")
