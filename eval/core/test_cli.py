"""The command line: every command, and what goes to stdout and what to stderr."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from command_line import Echo
from echo_memory import __version__, cli
from echo_memory.commands.table import BY_NAME, COMMANDS
from folders import put, snapshot

PROPOSALS = json.dumps([{"title": "Prefers tea", "kind": "semantic", "body": "Green."}])
BUNDLE = {"slug": "kickoff", "log_body": "Ordered gears.", "agent_log_line": "Kickoff done"}

# Every command

DAY: dict[str, tuple[list[str], str, dict[str, Any], str]] = {
    "load": ([], "load", {"offline": False}, "Vault"),
    "recall": (["first program"], "recall", {"omitted": 0}, "Wrote the first program."),
    "resolve": (["ADA LOVELACE"], "resolve", {}, "resources/people/ada-lovelace.md"),
    "get": (["ada-lovelace"], "get", {"total_chars": 40}, "Wrote the first program."),
    "scope": (["set", "Engine work"], "scope", {"action": "updated"}, "Engine work"),
    "history": (["engine"], "history", {"exists": True}, "-1 +1 lines"),
    "rollup": (["week"], "rollup", {"from": "2026-03-09"}, "Engine · projects/active/engine.md"),
    "doctor": ([], "doctor", {"healthy": True}, "Everything is in order."),
    "lint": ([], "lint", {"violations": []}, "Nothing is odd"),
    "capture": (["Tea", "--kind", "concept"], "capture", {"action": "created"}, "concepts/tea.md"),
    "link": (["Ada Lovelace", "engine"], "link", {"a_changed": True}, "ada-lovelace.md: linked"),
    "append": (["engine", "- [ ] call"], "append", {"action": "updated"}, "active/engine.md"),
    "patch": (
        ["engine", "append", "heading", "Status", "Gears."],
        "patch",
        {"action": "updated"},
        "active/engine.md",
    ),
    "restore": (["engine", "VERSION"], "restore", {"removed": 1, "added": 1}, "-Rebuilt anew."),
    "triage": ([], "triage", {}, "2026-03-14 Buy brass"),
    "reflect": (["--proposals", PROPOSALS], "reflect", {"action": "preview"}, "Prefers tea"),
    "session-end": (
        ["--bundle", json.dumps(BUNDLE)],
        "session-end",
        {"action": "preview"},
        "_agent/sessions/2026-03-14-kickoff.md",
    ),
    "bootstrap": ([], "bootstrap", {"created": []}, "nothing was written"),
    "reindex": ([], "reindex", {"entities": 2}, "entities: 2"),
    "sweep": (["--fast"], "sweep", {"new": 0}, "0 findings"),
    "decay": ([], "decay", {"proposals": []}, "Nothing has aged."),
    "migrate": ([], "migrate", {"action": "current"}, "current: schema 1 to 1"),
    "put": (["resources/references/x", "# X"], "put", {"action": "created"}, "references/x.md"),
    "delete": (["engine"], "delete", {"trashed_to": ".trash/engine.md"}, ".trash/engine.md"),
    "outbox": ([], "outbox", {"action": "list", "entries": []}, "The outbox is empty."),
    "lock": ([], "lock", {"action": "locked", "expires_in_s": 900}, "2026-03-14T09:41:53"),
    "unlock": ([], "unlock", {"action": "unchanged"}, "the vault's lock is free"),
}


@pytest.fixture
def lived(echo: Echo) -> tuple[Echo, str]:
    """The same, with an earlier text of a note, and that one's version."""
    echo("patch", "engine", "replace", "heading", "Engine", "Rebuilt anew.")
    (version,) = echo("history", "engine", "--json").envelope["versions"]
    return echo, version["id"]


def test_every_command_is_tried_here() -> None:
    assert list(DAY) == [command.name for command in COMMANDS]


@pytest.mark.parametrize("name", DAY)
def test_a_command_answers_with_one_envelope_and_nothing_else(
    lived: tuple[Echo, str], name: str
) -> None:
    echo, version = lived
    words, op, fields, _ = DAY[name]

    said = echo(name, *(version if word == "VERSION" else word for word in words), "--json")

    assert (said.status, said.err) == (0, "")
    answer = said.envelope
    assert (answer["ok"], answer["op"]) == (True, op)
    assert fields.items() <= answer.items()


@pytest.mark.parametrize("name", DAY)
def test_without_json_it_answers_in_words(lived: tuple[Echo, str], name: str) -> None:
    echo, version = lived
    words, _, _, shown = DAY[name]

    said = echo(name, *(version if word == "VERSION" else word for word in words))

    assert (said.status, said.err) == (0, "")
    assert shown in said.out
    assert not said.out.startswith("{")


@pytest.mark.parametrize("name", BY_NAME)
def test_a_command_has_help_with_examples_that_parse(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main([name, "--help"])

    shown = capsys.readouterr().out
    assert (left.value.code, shown.isascii()) == (0, True)
    examples = shown.partition("For example:\n")[2].strip().splitlines()
    assert examples
    for example in examples:
        words = shlex.split(example.partition("echo-memory ")[2].partition(" <")[0])
        assert cli.parser().parse_args(words).command == name


def test_help_lists_every_command_and_version_is_the_packages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--help"])
    shown = capsys.readouterr().out
    assert (left.value.code, shown.isascii()) == (0, True)
    assert all(f"  {name} " in shown for name in BY_NAME)

    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"echo-memory {__version__}\n"


def test_options_for_all_commands_stand_before_or_after_the_command(
    echo: Echo, vault_folder: Path, tmp_path: Path
) -> None:
    after = echo("scope", "--vault", "vault", "--state-dir", "state", "--json", vault="")
    before = echo("--json", "scope")

    assert after.envelope == before.envelope


def test_the_clock_and_the_arguments_reach_the_operation(echo: Echo, vault_folder: Path) -> None:
    said = echo(
        "capture",
        "Kickoff",
        *["--kind", "meeting", "--date", "2026-02-01", "--status", "done"],
        *["--tag", "a", "--tag", "#b", "--alias", "Start", "--source", "mail", "--json"],
    )

    assert said.envelope["path"] == "resources/meetings/2026-02-01-kickoff.md"
    text = (vault_folder / said.envelope["path"]).read_text()
    assert "aliases:\n  - Start\ntags:\n  - a\n  - b\nstatus: done\ncreated: 2026-03-14\n" in text
    assert "sources:\n  - mail\n" in text


def test_a_dry_run_and_a_preview_write_nothing(echo: Echo, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    echo("capture", "Tea", "--kind", "concept", "--dry-run")
    echo("reflect", "--proposals", PROPOSALS)
    echo("session-end", "--bundle", json.dumps(BUNDLE))

    assert snapshot(vault_folder) == before


def test_a_session_can_be_given_as_a_bundle_or_by_options_which_win(
    echo: Echo, vault_folder: Path
) -> None:
    bundle = json.dumps({**BUNDLE, "scope": "Old", "reflect": None})
    said = echo(
        "session-end",
        *["--bundle", bundle, "--slug", "other", "--scope", "New"],
        *["--reflect", PROPOSALS, "--apply", "--json"],
    )

    assert said.status == 0
    assert said.envelope["path"] == "_agent/sessions/2026-03-14-other.md"
    assert [step["step"] for step in said.envelope["steps"]] == [
        *("session-log", "agent-log", "scope", "reflect", "heartbeat")
    ]
    assert "New" in echo("scope").out


def test_an_inbox_line_is_filed_from_the_command_line(echo: Echo, vault_folder: Path) -> None:
    (item,) = echo("triage", "--json").envelope["items"]
    proposals = json.dumps([{"line": item["id"], "title": "Brass", "kind": "concept"}])

    said = echo("triage", "--proposals", proposals, "--apply", "--json")

    assert (said.envelope["action"], said.envelope["remaining"]) == ("applied", 0)
    assert (vault_folder / "resources/concepts/brass.md").exists()


# Streams


def test_chatter_goes_to_stderr_and_never_into_the_envelope(echo: Echo, vault_folder: Path) -> None:
    index = vault_folder / "_agent/index/entities.json"
    index.unlink()
    index.mkdir()

    said = echo("capture", "Tea", "--kind", "concept", "--json")

    assert said.status == 0
    assert said.envelope["warnings"]
    assert "the shared index was not written" in said.err


def test_bytes_of_a_note_that_are_not_utf_8_are_shown_as_question_marks(
    echo: Echo, vault_folder: Path
) -> None:
    put(vault_folder / "resources/concepts/latin.md", b"# Caf\xe9\n\nna\xefve brass\n")

    for words in (["get", "latin"], ["recall", "brass"], ["load"], ["lint"]):
        said, in_words = echo(*words, "--json"), echo(*words)
        assert (said.status, in_words.status) == (0, 0)
        said.out.encode()
        assert said.envelope["ok"] is True
    assert "na?ve brass" in echo("get", "latin").out
    assert echo("get", "latin", "--json").envelope["content"] == "# Caf?\n\nna?ve brass"


def test_other_scripts_are_written_as_they_are(echo: Echo) -> None:
    said = echo("capture", "日本語 😀", "--kind", "concept", "--body", "Zoë", "--json")

    assert said.status == 0
    assert "日本語 😀" in echo("get", said.envelope["slug"], "--json").out


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        (["recall", "the", "first", "program"], ["recall", "the first program"]),
        (["resolve", "Ada", "Lovelace"], ["resolve", "Ada Lovelace"]),
        (["capture", "Green", "tea", "--dry-run"], ["capture", "Green tea", "--dry-run"]),
    ],
)
def test_words_without_quotes_are_one_argument(
    echo: Echo, words: list[str], joined: list[str]
) -> None:
    assert echo(*words, "--json") == echo(*joined, "--json")


def test_a_scope_of_several_words_needs_no_quotes(echo: Echo) -> None:
    echo("scope", "set", "Rebuild", "the", "engine")

    assert echo("scope").out.startswith("Rebuild the engine (set ")


def test_a_deletion_is_told_in_words(echo: Echo, vault_folder: Path) -> None:
    put(vault_folder / "a.md", "[[engine]]")

    assert echo("delete", "engine").out == (
        "moved to .trash/engine.md: projects/active/engine.md\n"
        "Broken links: 2 notes link to it: a.md; journal/daily/2026-03-14.md\n"
    )


def test_bootstrap_leaves_the_place_of_a_known_vault_that_is_away_free(
    echo: Echo, vault_folder: Path
) -> None:
    echo("load")
    away = vault_folder.rename(vault_folder.with_name("away"))
    refused = echo("bootstrap", "--json").envelope
    left = vault_folder.exists()
    away.rename(vault_folder)

    assert (refused["error"]["code"], left) == ("vault-unreachable", False)
    assert not echo("load", "--json").envelope["offline"]


def test_bootstrap_makes_the_folder_of_a_vault_that_is_begun_anew(
    echo: Echo, vault_folder: Path
) -> None:
    echo("load")
    vault_folder.rename(vault_folder.with_name("given up"))
    begun = echo("bootstrap", "--anew", "--json").envelope

    assert "_agent/echo-vault.md" in begun["created"]
    assert echo("load", "--json").envelope["offline"] is False


def test_one_item_of_the_inbox_is_told_as_one(echo: Echo, vault_folder: Path) -> None:
    (vault_folder / "inbox/captures/inbox.md").unlink()
    none = echo("load").out
    echo("capture", "Buy brass")

    assert "Inbox: 0 items\n" in none
    assert "Inbox: 1 item\n" in echo("load").out
