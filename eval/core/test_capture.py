"""Capture: the default write, its gate, and what a second run of it does."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from echo_memory import draft, writing
from echo_memory.errors import BadRequest, NotBootstrapped, NotFound, Unparseable, VaultIO
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.planning import make_plan
from echo_memory.report import text_of
from folders import put, snapshot

PERSON = "resources/people/ada-lovelace.md"


def ada(memory: Memory, **changes: object) -> dict[str, object]:
    values = {
        "kind": "person",
        "aliases": ["Countess of Lovelace"],
        "tags": ["maths"],
        "body": "Wrote the first published program.",
    }
    return capture_op(memory, "Ada Lovelace", **{**values, **changes})  # type: ignore[arg-type]


def read(folder: Path, path: str) -> str:
    return (folder / path).read_bytes().decode()


def test_a_new_person_stands_where_routing_says_with_frontmatter_title_and_body(
    memory: Memory, vault_folder: Path
) -> None:
    answer = ada(memory, sources=["a letter"])

    assert (answer["action"], answer["path"], answer["slug"]) == ("created", PERSON, "ada-lovelace")
    head, _, rest = read(vault_folder, PERSON).removeprefix("---\n").partition("---\n")
    values = yaml.safe_load(head)
    assert {key: str(value) for key, value in values.items()} == {
        "type": "person",
        "title": "Ada Lovelace",
        "aliases": "['Countess of Lovelace']",
        "tags": "['maths']",
        "status": "active",
        "created": "2026-03-14",
        "updated": "2026-03-14",
        "sources": "['a letter']",
    }
    assert rest == "\n# Ada Lovelace\n\nWrote the first published program.\n"


@pytest.mark.parametrize(
    ("kind", "extra", "path"),
    [
        ("person", {}, "resources/people/the-thing.md"),
        ("company", {}, "resources/companies/the-thing.md"),
        ("concept", {}, "resources/concepts/the-thing.md"),
        ("reference", {}, "resources/references/the-thing.md"),
        ("meeting", {}, "resources/meetings/2026-03-14-the-thing.md"),
        ("meeting", {"date": "2026-02-01"}, "resources/meetings/2026-02-01-the-thing.md"),
        ("project", {}, "projects/active/the-thing.md"),
        ("area", {}, "areas/business/the-thing.md"),
        ("area", {"domain": "learning"}, "areas/learning/the-thing.md"),
        ("semantic", {}, "_agent/memory/semantic/the-thing.md"),
        ("episodic", {}, "_agent/memory/episodic/2026-03-14-the-thing.md"),
        ("working", {}, "_agent/memory/working/the-thing.md"),
        ("skill", {}, "_agent/skills/active/the-thing.md"),
        ("decision", {}, "decisions/by-date/2026-03-14-the-thing.md"),
    ],
)
def test_every_kind_has_its_place(
    memory: Memory, vault_folder: Path, kind: str, extra: dict[str, str], path: str
) -> None:
    answer = capture_op(memory, "The Thing", kind=kind, body="It.", **extra)  # type: ignore[arg-type]

    assert answer["path"] == path
    assert "\n# The Thing\n" in read(vault_folder, path)


def test_a_body_goes_above_the_sections_of_the_template(memory: Memory, vault_folder: Path) -> None:
    capture_op(memory, "Engine", kind="project", body="Rebuild it.")

    text = read(vault_folder, "projects/active/engine.md")
    assert text.endswith("# Engine\n\nRebuild it.\n\n## Status\n")


def test_a_body_that_brings_a_title_and_sections_of_its_own_keeps_one_h1_and_one_status(
    memory: Memory, vault_folder: Path
) -> None:
    body = "# Engine\n\nRebuild it.\n\n## Status\n\nOn paper."

    capture_op(memory, "Engine", kind="project", body=body)

    text = read(vault_folder, "projects/active/engine.md")
    assert text.endswith("# Engine\n\nRebuild it.\n\n## Status\n\nOn paper.\n")


def test_the_same_capture_again_changes_nothing(memory: Memory, vault_folder: Path) -> None:
    ada(memory)
    before = snapshot(vault_folder)

    answer = ada(memory)

    assert answer["action"] == "unchanged"
    assert snapshot(vault_folder) == before


def test_a_second_body_goes_into_the_log_of_its_day_once(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    noon = memory.clock() + timedelta(days=2)
    memory.clock = lambda: noon

    first = ada(memory, body="Met Babbage in London.")
    second = ada(memory, body="Translated Menabrea.", tags=["maths", "engines"])
    again = ada(memory, body="Met  Babbage\nin London.")

    assert [first["action"], second["action"], again["action"]] == ["updated"] * 2 + ["unchanged"]
    text = read(vault_folder, PERSON)
    assert text.endswith(
        "\n## Log\n\n### 2026-03-16\n\nMet Babbage in London.\n\nTranslated Menabrea.\n"
    )
    assert "updated: 2026-03-16\n" in text
    assert "created: 2026-03-14\n" in text
    assert yaml.safe_load(text.split("---")[1])["tags"] == ["maths", "engines"]


def test_headings_of_an_added_body_stand_below_the_day(memory: Memory, vault_folder: Path) -> None:
    ada(memory)

    ada(memory, body="# Letter\n\nDear Charles.\n\nP.S.\n----\n\nYours.")

    assert read(vault_folder, PERSON).endswith(
        "### 2026-03-14\n\n#### Letter\n\nDear Charles.\n\n##### P.S.\n\nYours.\n"
    )


def test_an_exact_alias_finds_its_note(memory: Memory) -> None:
    ada(memory)

    answer = capture_op(memory, "countess of LOVELACE", kind="person", body="Rode horses.")

    assert (answer["action"], answer["path"]) == ("updated", PERSON)


def test_a_near_name_is_gated_and_nothing_is_written(memory: Memory, vault_folder: Path) -> None:
    ada(memory)
    before = snapshot(vault_folder)

    answer = capture_op(memory, "Ada Lovelase", kind="person", body="Studied.")

    assert (answer["ok"], answer["action"]) == (False, "duplicate-gate")
    assert [candidate["slug"] for candidate in answer["candidates"]] == ["ada-lovelace"]
    assert answer["candidates"][0].keys() == {"slug", "path", "title", "kind", "score", "why"}
    assert answer["resolutions"] == ["merge_into", "force"]
    assert snapshot(vault_folder) == before


def test_the_name_of_an_entity_of_another_kind_is_gated(memory: Memory) -> None:
    capture_op(memory, "Mercury", kind="concept", body="A planet.")

    answer = capture_op(memory, "Mercury", kind="company", body="A bank.")

    assert answer["action"] == "duplicate-gate"
    assert answer["candidates"][0]["kind"] == "concept"


def test_force_makes_a_note_beside_the_near_one_and_again_changes_nothing(memory: Memory) -> None:
    capture_op(memory, "Mercury", kind="concept", body="A planet.")

    first = capture_op(memory, "Mercury", kind="company", body="A bank.", force=True)
    again = capture_op(memory, "Mercury", kind="company", body="A bank.", force=True)

    assert (first["action"], first["slug"]) == ("created", "mercury-2")
    assert (again["action"], again["path"]) == ("unchanged", first["path"])
    assert [near["slug"] for near in first["near_duplicates"]] == ["mercury"]


def test_merge_into_adds_to_the_named_note_and_keeps_the_title_as_an_alias(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)

    answer = capture_op(
        memory, "Ada Lovelase", kind="person", body="Studied.", merge_into="ada-lovelace"
    )
    again = capture_op(
        memory, "Ada Lovelase", kind="person", body="Studied.", merge_into="ada-lovelace"
    )

    assert (answer["action"], answer["path"]) == ("updated", PERSON)
    assert again["action"] == "unchanged"
    values = yaml.safe_load(read(vault_folder, PERSON).split("---")[1])
    assert values["aliases"] == ["Countess of Lovelace", "Ada Lovelase"]


def test_merge_into_adds_no_alias_that_folds_to_a_name_the_note_has(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)

    capture_op(memory, "ADA  LOVELACE", body="Studied.", merge_into="ada-lovelace")

    values = yaml.safe_load(read(vault_folder, PERSON).split("---")[1])
    assert values["aliases"] == ["Countess of Lovelace"]


def test_an_alias_that_a_merge_adds_is_told_before_and_after_and_not_again(memory: Memory) -> None:
    ada(memory)

    def merge(title: str, **more: object) -> dict[str, object]:
        return capture_op(memory, title, body="Met.", merge_into="ada-lovelace", **more)  # type: ignore[arg-type]

    before, after, again = (
        merge("The Countess", dry_run=True),
        merge("The Countess"),
        merge("The Countess"),
    )

    assert [answer.get("alias_added") for answer in (before, after, again)] == [
        "The Countess",
        "The Countess",
        None,
    ]
    assert "The Countess" in str(before["would_write"])
    assert 'Alias added: "The Countess"' in text_of(after)
    assert "alias_added" not in merge("ADA LOVELACE")
    assert "alias_added" not in ada(memory, body="More.")


PREFERENCE = "_agent/memory/semantic/prefers-tea.md"


@pytest.mark.parametrize(
    ("title", "body", "added"),
    [
        ("Likes oolong", "From Taiwan.", "**Likes oolong**\n\nFrom Taiwan.\n"),
        ("Likes oolong", "", "**Likes oolong**\n"),
        ("Prefers TEA", "From Taiwan.", "From Taiwan.\n"),
        ("Green", "From Taiwan.", "From Taiwan.\n"),
        ("Oolong", "Oolong, from Taiwan.", "Oolong, from Taiwan.\n"),
        ("Oolong", "# Oolong\n\nFrom Taiwan.", "**Oolong**\n\nFrom Taiwan.\n"),
        ("Ada's tea", "Hers.", "**Ada's tea**\n\nHers.\n"),
        ("# 1", "Best.", "**# 1**\n\nBest.\n"),
    ],
)
def test_a_title_merged_into_what_is_no_entity_stands_above_the_addition(
    memory: Memory, vault_folder: Path, title: str, body: str, added: str
) -> None:
    capture_op(memory, "Prefers tea", kind="semantic", body="Green.", aliases=["Green"])

    first = capture_op(memory, title, body=body, merge_into="prefers-tea")
    text = read(vault_folder, PREFERENCE)
    again = capture_op(memory, title, body=body, merge_into="prefers-tea")

    assert [first["action"], again["action"]] == ["updated", "unchanged"]
    assert "alias_added" not in first
    assert text.endswith(f"## Log\n\n### 2026-03-14\n\n{added}")
    assert read(vault_folder, PREFERENCE) == text
    assert yaml.safe_load(text.split("---")[1])["aliases"] == ["Green"]


def test_a_title_above_an_addition_is_linked_and_once_it_stands_there_not_repeated_alone(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    capture_op(memory, "Prefers tea", kind="semantic", body="Green.")

    answer = capture_op(
        memory, "Ada Lovelace likes it, too", body="Says she.", merge_into="prefers-tea"
    )
    other = capture_op(memory, "And so do I", body="Says she.", merge_into="prefers-tea")

    assert answer["links_added"] == [{"slug": "ada-lovelace", "text": "Ada Lovelace"}]
    assert other["action"] == "updated"
    assert read(vault_folder, PREFERENCE).endswith(
        "\n\n**[[ada-lovelace|Ada Lovelace]] likes it, too**\n\nSays she.\n\n**And so do I**\n"
    )


def test_near_names_of_facts_are_told_and_stop_nothing(memory: Memory) -> None:
    capture_op(memory, "Prefers metric units", kind="semantic")
    capture_op(memory, "Prefers metric units", kind="working")

    answer = capture_op(memory, "Prefers metric unit", kind="semantic")

    assert answer["action"] == "created"
    assert [near["path"] for near in answer["near_duplicates"]] == [
        "_agent/memory/semantic/prefers-metric-units.md"
    ]


def test_a_plain_note_of_the_same_name_is_told_and_stops_nothing(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "People/Clara Neumann.md", "Met in Jena.\n")
    put(vault_folder / "Clara Neuman.md", "x\n")

    plan = capture_op(memory, "clara neumann", kind="person", dry_run=True)
    answer = capture_op(memory, "clara neumann", kind="person")
    later = capture_op(memory, "clara neumann", kind="person", body="Called.")

    for told in (plan, answer):
        assert told["action"] == "created"
        assert {near["path"]: near["kind"] for near in told["near_duplicates"]} == {
            "People/Clara Neumann.md": "",
            "Clara Neuman.md": "",
        }
        (warning,) = told["warnings"]
        assert "People/Clara Neumann.md" in warning
        assert "type: person" in warning
        assert "merge_into" in warning
    assert "warnings" not in later
    assert "warnings" not in capture_op(memory, "Clara Neumann", kind="semantic")


@pytest.mark.parametrize(
    ("before", "head"),
    [
        ("Met in Jena.\n", ""),
        ("---\nrating: 5 # of 5\n---\nMet in Jena.\n", "---\nrating: 5 # of 5\n---\n"),
        ("---\nbroken: [\n---\nMet in Jena.\n", "---\nbroken: [\n---\n"),
        (
            "---\nupdated: 2020-01-01\n---\nMet in Jena.\n",
            "---\nupdated: 2026-03-14\n---\n",
        ),
    ],
)
def test_a_plain_note_takes_an_addition_and_keeps_all_else(
    memory: Memory, vault_folder: Path, before: str, head: str
) -> None:
    put(vault_folder / "People/Clara Neumann.md", before)

    answer = capture_op(
        memory, "Birthday", body="In May.", merge_into="Clara Neumann", date="2026-01-01"
    )
    whole = snapshot(vault_folder)
    (vault_folder / "journal/daily/2026-03-14.md").unlink()
    again = capture_op(memory, "Birthday", body="In May.", merge_into="Clara Neumann")

    assert (answer["action"], answer["path"]) == ("updated", "People/Clara Neumann.md")
    assert answer["warnings"] == ["date was left out: a plain note has none."]
    assert read(vault_folder, "People/Clara Neumann.md") == (
        f"{head}Met in Jena.\n\n## Log\n\n### 2026-03-14\n\n**Birthday**\n\nIn May.\n"
    )
    assert read(vault_folder, "journal/daily/2026-03-14.md").endswith(
        "- Captured [[Clara Neumann]] (note)\n"
    )
    assert (again["action"], snapshot(vault_folder)) == ("unchanged", whole)


def test_merge_into_a_note_that_is_not_there_says_which_are_near(memory: Memory) -> None:
    ada(memory)

    with pytest.raises(NotFound) as raised:
        capture_op(memory, "Ada", kind="person", merge_into="ada-lovelase")

    assert raised.value.details["did_you_mean"] == [PERSON]


def test_dated_kinds_gate_only_on_their_own_day(memory: Memory) -> None:
    capture_op(memory, "Steering committee", kind="meeting", body="One.")

    other_day = capture_op(
        memory, "Steering comittee", kind="meeting", body="Two.", date="2026-03-15"
    )
    same_day = capture_op(memory, "Steering comittee", kind="meeting", body="Three.")
    exact = capture_op(memory, "Steering committee", kind="meeting", body="Four.")

    assert other_day["action"] == "created"
    assert same_day["action"] == "duplicate-gate"
    assert (exact["action"], exact["slug"]) == ("updated", "2026-03-14-steering-committee")


def test_mentions_of_known_entities_become_links_and_the_note_never_links_itself(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)

    answer = capture_op(
        memory, "Engine", kind="project", body="The Engine of Ada Lovelace. Ask ada lovelace."
    )

    assert answer["links_added"] == [{"slug": "ada-lovelace", "text": "Ada Lovelace"}]
    text = read(vault_folder, "projects/active/engine.md")
    assert "The Engine of [[ada-lovelace|Ada Lovelace]]. Ask ada lovelace.\n" in text


def test_without_a_kind_it_is_an_inbox_line_with_its_body_indented(
    memory: Memory, vault_folder: Path
) -> None:
    one = capture_op(memory, "Buy brass", body="from the usual place")
    two = capture_op(memory, "Letter", body="Dear Ada,\n\nthank you.")
    again = capture_op(memory, "Buy brass", body="from the usual place")

    assert [one["action"], two["action"], again["action"]] == ["inbox", "inbox", "unchanged"]
    assert read(vault_folder, "inbox/captures/inbox.md").endswith(
        "# Inbox\n\n- 2026-03-14 Buy brass: from the usual place\n"
        "- 2026-03-14 Letter:\n  Dear Ada,\n\n  thank you.\n"
    )


def test_the_day_gets_one_log_line_for_each_note(memory: Memory, vault_folder: Path) -> None:
    ada(memory)
    ada(memory, body="More.")
    capture_op(memory, "Engine", kind="project")

    assert read(vault_folder, "journal/daily/2026-03-14.md").endswith(
        "# 2026-03-14\n\n## Agent Log\n\n"
        "- Captured [[ada-lovelace|Ada Lovelace]] (person)\n"
        "- Captured [[engine|Engine]] (project)\n"
    )


def test_a_capture_that_broke_off_after_its_note_is_finished_by_running_it_again(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    whole = snapshot(vault_folder)
    (vault_folder / "journal/daily/2026-03-14.md").unlink()
    (vault_folder / "_agent/index/entities.json").write_text("{}\n")

    answer = ada(memory)

    assert answer["action"] == "unchanged"
    assert snapshot(vault_folder) == whole


def test_an_unchanged_note_of_another_day_adds_no_log_line(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    later = memory.clock() + timedelta(days=3)
    memory.clock = lambda: later

    assert ada(memory)["action"] == "unchanged"
    assert not (vault_folder / "journal/daily/2026-03-17.md").exists()


def test_a_dry_run_tells_what_it_would_do_and_writes_nothing(
    memory: Memory, vault_folder: Path
) -> None:
    before = snapshot(vault_folder)

    answer = ada(memory, dry_run=True)

    assert (answer["action"], answer["path"], answer["dry_run"]) == ("created", PERSON, True)
    assert "Wrote the first published program." in str(answer["would_write"])
    assert snapshot(vault_folder) == before


def test_the_shared_index_holds_every_entity_and_no_other_note(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    capture_op(memory, "Prefers tea", kind="semantic", body="Always.")

    assert json.loads(read(vault_folder, "_agent/index/entities.json")) == {
        "ada-lovelace": {
            "path": PERSON,
            "kind": "person",
            "title": "Ada Lovelace",
            "aliases": ["Countess of Lovelace"],
        }
    }


def test_frontmatter_that_does_not_parse_is_left_and_the_capture_fails(
    memory: Memory, vault_folder: Path
) -> None:
    ada(memory)
    broken = "---\ntype: person\ntitle: [Ada\n---\n\n# Ada Lovelace\n"
    (vault_folder / PERSON).write_text(broken)

    for dry_run in (True, False):
        with pytest.raises(Unparseable) as raised:
            capture_op(
                memory, "Ada", kind="person", body="x", merge_into="ada-lovelace", dry_run=dry_run
            )
        assert raised.value.details == {"path": PERSON, "line": 4}
        assert raised.value.message.startswith(f"{PERSON}: ")

    assert read(vault_folder, PERSON) == broken


def test_a_folder_without_the_marker_is_not_written_to(vault_folder: Path, memory: Memory) -> None:
    other = open_memory(memory.config, clock=memory.clock, notify=memory.notify)
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)

    with pytest.raises(NotBootstrapped):
        ada(other)

    assert snapshot(vault_folder) == before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": '"'}, "title"),
        ({"title": "… --- !?"}, "title"),
        ({"title": "\u200b\u0301"}, "title"),
        ({"title": "a\x00b"}, "title"),
        ({"title": "\ud800"}, "title"),
        ({"title": 5}, "title"),
        ({"kind": "alien"}, "kind"),
        ({"body": "x" * 200_001}, "body"),
        ({"body": "a\x00b"}, "body"),
        ({"tags": "maths"}, "tags"),
        ({"tags": [str(n) for n in range(10_000)]}, "tags"),
        ({"tags": [1]}, "tags[0]"),
        ({"aliases": ["a\nb"]}, "aliases[0]"),
        ({"sources": {"a": 1}}, "sources"),
        ({"status": "a\nb"}, "status"),
        ({"date": "yesterday"}, "date"),
        ({"date": "2026-02-30"}, "date"),
        ({"domain": "space", "kind": "area"}, "domain"),
        ({"merge_into": "../outside"}, "merge_into"),
        ({"merge_into": "inbox"}, "merge_into"),
        ({"force": "yes"}, "force"),
        ({"dry_run": 1}, "dry_run"),
    ],
)
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    memory: Memory, vault_folder: Path, changes: dict[str, object], field: str
) -> None:
    before = snapshot(vault_folder)
    values = {"title": "Ada", "kind": "person", **changes}

    with pytest.raises(BadRequest) as raised:
        capture_op(memory, **values)  # type: ignore[arg-type]

    assert raised.value.details["field"] == field
    assert snapshot(vault_folder) == before


def test_two_writers_that_create_the_same_note_end_with_both_bodies_in_it(
    memory: Memory, vault_folder: Path
) -> None:
    other = open_memory(memory.config, clock=memory.clock, notify=memory.notify)
    other.mirror.refresh()
    plan = make_plan(other, draft.Proposal("Ada Lovelace", "person", "From the other."))

    ada(memory, body="From the first.")
    assert plan.action == "created"
    answer = writing.capture(other, draft.Proposal("Ada Lovelace", "person", "From the other."))

    assert answer["action"] == "updated"
    text = read(vault_folder, PERSON)
    assert "From the first." in text
    assert "From the other." in text


@pytest.mark.parametrize(
    ("note", "body", "said"),
    [
        ("One line.\n", "One line.", True),
        ("One  line.\n", "One\nline.", True),
        ("See [[ada|Ada]] now.\n", "See Ada now.", True),
        ("Yesterday was fine.\n", "Yes", False),
        ("It was fine, yes.\n", "fine, yes.", False),
        ("a\n\nb\n\nc\n", "b\n\nc", True),
        ("a\n\nb\n\nc\n", "a\n\nc", False),
        ("#### Letter\n\nx\n", "# Letter\n\nx", True),
        ("x\n", "", True),
    ],
)
def test_a_body_is_there_already_when_whole_lines_say_it(note: str, body: str, said: bool) -> None:
    assert draft.contains(note, body) is said


def test_the_gate_offers_force_only_where_it_helps(memory: Memory, vault_folder: Path) -> None:
    for slug in ("anna", "anna-2"):
        put(
            vault_folder / f"resources/people/{slug}.md",
            "---\ntitle: Anna Schmidt\n---\n\n# Anna\n",
        )

    answer = capture_op(memory, "Anna Schmidt", kind="person", body="x", force=True)

    assert (answer["action"], answer["resolutions"]) == ("duplicate-gate", ["merge_into"])
    assert "force" not in text_of(answer)


def test_force_for_a_name_that_a_note_has_says_that_it_was_left_out(memory: Memory) -> None:
    ada(memory)

    answer = capture_op(memory, "Countess of Lovelace", kind="person", body="y", force=True)

    assert answer["action"] == "updated"
    assert any("force" in warning for warning in answer["warnings"])


def test_a_preview_shows_every_line_that_would_be_added(memory: Memory) -> None:
    ada(memory, body="a")

    answer = ada(memory, body="c\n\na", dry_run=True)

    assert answer["would_write"].endswith("c\n\na")


def test_a_capture_whose_log_line_fails_names_the_note_that_was_written(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / "journal/daily/2026-03-14.md").mkdir(parents=True)

    with pytest.raises(VaultIO) as raised:
        ada(memory)

    assert raised.value.details["written"] == PERSON
    assert (vault_folder / PERSON).exists()


def test_an_inbox_line_says_what_of_the_capture_it_leaves_out(memory: Memory) -> None:
    answer = capture_op(memory, "Tax", status="open", domain="personal", date="2026-01-01")

    assert len(answer["warnings"]) == 3
