"""Lint: what is reported, what is not, and how much of it at once."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from echo_memory import linting
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import list_op, route_op

PERSON = "---\ntype: person\n---\n\n# {}\n"
ADA = PERSON.format("Ada Lovelace")


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def found(memory: Memory) -> list[tuple[str, str]]:
    return [(each["check"], each["path"]) for each in lint_op(memory)["violations"]]


def test_a_fresh_vault_is_clean(memory: Memory) -> None:
    assert lint_op(memory) == {"ok": True, "op": "lint", "violations": [], "counts": {}}


def test_a_vault_after_an_ordinary_day_is_clean(memory: Memory) -> None:
    capture_op(
        memory, "Ada Lovelace", kind="person", aliases=["Countess"], body="Wrote [a](b.pdf)."
    )
    capture_op(memory, "Analytical Engine", kind="project", body="With Ada Lovelace.")
    capture_op(memory, "Kickoff", kind="meeting", body="# Kickoff\n\n## Who\n\nAda Lovelace\n")
    capture_op(memory, "Ada Lovelace", kind="person", body="Met the Countess.\n\n```\n[[no]]\n```")
    capture_op(memory, "Gardens", kind="area", domain="personal")
    capture_op(memory, "Buy brass", body="soon")
    scope_set_op(memory, "Rebuild [the engine]")
    link_op(memory, "Ada Lovelace", "analytical-engine")
    line = list_op(memory)["items"][0]["id"]
    route_op(memory, [{"title": "Brass", "kind": "reference", "line": line}], apply=True)
    session_end_op(
        memory, slug="first-day", log_body="Done.", agent_log_line="First day done", apply=True
    )

    assert lint_op(memory)["violations"] == []


@pytest.mark.parametrize(
    ("files", "check", "path", "detail"),
    [
        ({"a.md": "[[Nobody|x]]"}, "broken-link", "a.md", "[[Nobody|x]] leads"),
        ({"a.md": "![[Nobody]]"}, "broken-link", "a.md", "![[Nobody]]"),
        ({"a.md": "[x](no%20body.md)"}, "broken-link", "a.md", "no%20body"),
        ({"a.md": "[x](../../b.md)", "b.md": ""}, "broken-link", "a.md", "../../b.md"),
        ({"a.md": "---\nup: '[[Nobody]]'\n---\n"}, "broken-link", "a.md", "[[Nobody]]"),
        ({"a.md": "[[x/b]]", "y/b.md": ""}, "broken-link", "a.md", "[[x/b]]"),
        ({"a.md": "[[a#Missing]]\n\n# There"}, "missing-anchor", "a.md", "no heading Missing"),
        ({"a.md": "[[#Missing]]"}, "missing-anchor", "a.md", "a.md has no heading Missing"),
        ({"a.md": "[[b^id]]", "b.md": "Text ^idea\n"}, "missing-anchor", "a.md", "block ^id"),
        ({"a.md": "[x](b.md#Nope)", "b.md": "# Yes"}, "missing-anchor", "a.md", "heading Nope"),
        ({"a.md": "---\na: [b\n---\n"}, "unparseable-frontmatter", "a.md", "line 3"),
        (
            {"decisions/by-date/2026-03-01-x.md": "---\ntype: decision\ndate:\n---\n"},
            "missing-key",
            "decisions/by-date/2026-03-01-x.md",
            "`date`",
        ),
        (
            {"projects/active/x.md": "# X\n\n### Status\n"},
            "missing-section",
            "projects/active/x.md",
            "`## Status`",
        ),
        (
            {"projects/active/ada.md": f"{ADA}\n## Status\n"},
            "kind-and-folder",
            "projects/active/ada.md",
            "in the folder of the kind project",
        ),
        (
            {"resources/people/ada.md": "---\ntype: contact\n---\n"},
            "kind-and-folder",
            "resources/people/ada.md",
            "contact",
        ),
        (
            {"journal/daily/2026-03-13.md": ADA},
            "kind-and-folder",
            "journal/daily/2026-03-13.md",
            "person",
        ),
        (
            {
                "resources/people/ada.md": ADA,
                "resources/concepts/lady.md": "---\naliases: ada  LOVELACE\n---\n# Lady\n",
            },
            "duplicate-name",
            "resources/concepts/lady.md",
            "resources/people/ada.md",
        ),
        ({"x/b.md": "", "y/B.md": ""}, "same-file-name", "x/b.md", "y/B.md"),
        (
            {"resources/people/ada.md": "---\ncreated: 2026-02-11\n---\n# Ada\n\n[[ada]]\n"},
            "orphan-entity",
            "resources/people/ada.md",
            "2026-02-11",
        ),
        (
            {"inbox/captures/inbox.md": "- 2026-03-06 brass\n- gears\n- 2026-03-07 steam\n"},
            "aging-inbox",
            "inbox/captures/inbox.md",
            "1 item waits for more than 7 days, the oldest for 8",
        ),
        ({"a.md": "é" * 50_001}, "large-note", "a.md", "100 kB"),
        ({"a.md": "---\nupdated: 2026-03-15\n---\n"}, "future-date", "a.md", "`updated`"),
        ({"a.md": "---\ndate: 2027-01-01T10:00\n---\n"}, "future-date", "a.md", "2027-01-01"),
        ({"a.md": "# A\n\n## B\n\n## B\n"}, "unaddressable-heading", "a.md", "path A::B"),
        ({"a.md": "# A\n\n##\n"}, "unaddressable-heading", "a.md", "no text"),
        ({"a (Ada's conflicted copy 2026-03-01).md": ""}, "conflict-copy", None, "copy"),
        ({"a.sync-conflict-20260301-120000-ABCDEFG.md": ""}, "conflict-copy", None, "copy"),
        ({"a (Conflict 2026-03-01).md": ""}, "conflict-copy", None, "copy"),
        ({"x/a (conflict mac).md": "", "x/A.md": ""}, "conflict-copy", None, "copy of x/a.md"),
        ({"a 2.md": "", "a.md": ""}, "conflict-copy", "a 2.md", "copy of a.md"),
        ({"x/a (1).md": "", "x/a.md": ""}, "conflict-copy", "x/a (1).md", "copy of x/a.md"),
    ],
)
def test_one_fault_is_one_violation(
    memory: Memory,
    vault_folder: Path,
    files: dict[str, str],
    check: str,
    path: str | None,
    detail: str,
) -> None:
    write(vault_folder, files)

    (violation,) = lint_op(memory)["violations"]

    assert violation["check"] == check
    assert violation["path"] == (path or next(iter(files)))
    assert detail in violation["detail"]
    assert violation["fix"]


@pytest.mark.parametrize(
    "files",
    [
        {"a.md": "[[B]] [[x/b|shown]] [[y/x/b.md]] ![[b]] [m](y/x/b.md) [n](b.md)", "y/x/b.md": ""},
        {"y/a.md": "[[../b]] [m](../b.md) [n](/b.md) [o](./c.md)", "b.md": "", "y/c.md": ""},
        {"a.md": "[[b]]", "b.md": "", "x/c/b/d.md": ""},
        {"a.md": "![[photo.png]] ![x](photo.png) [[deck.pdf]] [y](https://z.org/q.md) [[]]"},
        {"a.md": "`[[no]]` %%[[no]]%% $[[no]]$\n\n```\n[[no]]\n```\n\\[[no]]"},
        {
            "a.md": "[[b#One#Two]] [[b#two]] [[b#See you, then]]",
            "b.md": "# One\n## Two\n## See: [[a|you]], then",
        },
        {"a.md": "[[b^id]] [[b#^ID]] [[#^mine]]\n\nText ^mine", "b.md": "- item ^id\r\n"},
        {"Note.v2.md": "[[Note.v2]] [[note.V2.md]]"},
        {"projects/archive/x.md": "---\ntype: project\n---\n\n# X\n\n## status\n"},
        {"notes/ada.md": ADA},
        {"resources/meetings/2026-04-01-review.md": "---\ntype: meeting\ndate: 2026-04-01\n---\n"},
        {"recipes/soup.md": "---\ntype: recipe\ndate: soon\n---\n"},
        {"inbox/processing-log/2026-03-13.md": "", "journal/daily/2026-03-13.md": "[[2026-03-13]]"},
        {"resources/people/ada.md": "---\ncreated: 2026-02-12\n---\n# Ada\n"},
        {"resources/people/ada.md": "---\ncreated: 2020-01-01\n---\n# Ada\n", "a.md": "[[ada]]"},
        {"resources/people/ada.md": "# Ada Lovelace\n"},
        {"inbox/captures/inbox.md": "- 2026-03-07 brass\n- no date\n"},
        {"a.md": "é" * 50_000, "b.md": "---\nupdated: 2026-03-14\n---\n"},
        {"a.md": "# A\n\n## B\n\n### C\n\n## D\n\n### C\n\n```\n#\n```\n"},
        {"a-2.md": "", "a.md": "", "Chapter 2.md": "", "b (1).md": "", "On conflict.md": ""},
        {".trash/a.md": "[[no]]", ".obsidian/b.md": "[[no]]"},
    ],
)
def test_what_is_in_order_is_not_reported(
    memory: Memory, vault_folder: Path, files: dict[str, str]
) -> None:
    write(vault_folder, files)

    assert lint_op(memory)["violations"] == []


@pytest.mark.parametrize(
    ("link", "likely"),
    [
        ("[[Anna Schmidt]]", "resources/people/anna-schmidt.md"),
        ("[[Annie]]", "resources/people/anna-schmidt.md"),
        ("[[old/folder/anna-schmidt]]", "resources/people/anna-schmidt.md"),
        ("[[anna-schmidtt]]", "resources/people/anna-schmidt.md"),
        ("[m](old/anna-schmidt.md)", "resources/people/anna-schmidt.md"),
        ("[[engine]]", "projects/active/analytical-engine.md"),
        ("[[tom]]", ""),
        ("[[anna-maria-miller-jones]]", ""),
        ("[[" + "anna " * 5_000 + "]]", ""),
    ],
)
def test_a_broken_link_names_the_note_that_it_may_mean(
    memory: Memory, vault_folder: Path, link: str, likely: str
) -> None:
    anna = "---\ntype: person\ntitle: Anna Schmidt\naliases: [Annie]\n---\n"
    engine = "---\ntype: project\n---\n# Analytical Engine\n\n## Status\n"
    write(
        vault_folder,
        {
            "a.md": link,
            "resources/people/anna-schmidt.md": anna,
            "projects/active/analytical-engine.md": engine,
        },
    )

    (violation,) = lint_op(memory)["violations"]

    assert violation["check"] == "broken-link"
    assert violation["detail"].endswith(
        f"perhaps {likely} is meant." if likely else "leads to no note."
    )


def test_two_notes_that_a_broken_link_may_mean_are_no_guess(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder, {"a.md": "[[x y]]", "x-y-z.md": "", "x-y-w.md": ""})

    (violation,) = lint_op(memory)["violations"]

    assert "perhaps" not in violation["detail"]


def test_a_name_that_several_notes_have_is_ambiguous(memory: Memory, vault_folder: Path) -> None:
    write(vault_folder, {"a.md": "[[b]] [[x/b]]", "x/b.md": "", "y/b.md": ""})

    assert found(memory) == [("ambiguous-link", "a.md"), ("same-file-name", "x/b.md")]


def test_an_index_entry_is_stale_when_its_note_moved_or_is_gone(
    memory: Memory, vault_folder: Path
) -> None:
    capture_op(memory, "Ada Lovelace", kind="person")
    capture_op(memory, "Brass", kind="concept")
    (vault_folder / "resources/people/ada-lovelace.md").rename(
        vault_folder / "resources/people/ada.md"
    )
    (vault_folder / "resources/concepts/brass.md").unlink()
    (vault_folder / "journal/daily/2026-03-14.md").unlink()

    violations = lint_op(memory)["violations"]

    assert [(each["check"], each["path"]) for each in violations] == [
        ("stale-index", "_agent/index/entities.json")
    ] * 2
    assert [each["detail"].split(":")[0] for each in violations] == ["ada-lovelace", "brass"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"a": 1}', '{"a": {"path": ["x"]}}', "[" * 100_000]
)
def test_an_index_that_is_none_is_stale(memory: Memory, vault_folder: Path, text: str) -> None:
    write(vault_folder, {"_agent/index/entities.json": text})

    assert found(memory) == [("stale-index", "_agent/index/entities.json")]


def test_a_missing_index_is_no_fault(memory: Memory, vault_folder: Path) -> None:
    (vault_folder / "_agent/index/entities.json").unlink()

    assert found(memory) == []


def test_a_note_too_large_to_be_read_is_reported_and_still_a_target(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder, {"a.md": "[[huge]]", "huge.md": "x" * 10_000_001})

    assert found(memory) == [("unreadable-note", "huge.md")]


def test_entities_become_orphans_after_thirty_days_without_a_link(
    memory: Memory, vault_folder: Path
) -> None:
    capture_op(memory, "Ada Lovelace", kind="person")
    later = memory.clock() + timedelta(days=31)
    memory.clock = lambda: later
    assert found(memory) == []

    (vault_folder / "journal/daily/2026-03-14.md").unlink()

    assert found(memory) == [("orphan-entity", "resources/people/ada-lovelace.md")]


def test_violations_come_in_the_order_of_checks_and_paths(
    memory: Memory, vault_folder: Path
) -> None:
    write(
        vault_folder,
        {
            "b.md": "[[no]] [[no]] [[also no]]",
            "a.md": "---\ncreated: 2030-01-01\n---\n[[no]]\n##\n",
            "c.md": "---\n{\n---\n",
        },
    )

    answers = [lint_op(memory) for _ in range(2)]

    assert answers[0] == answers[1]
    assert [(each["check"], each["path"]) for each in answers[0]["violations"]] == [
        ("unparseable-frontmatter", "c.md"),
        ("broken-link", "a.md"),
        ("broken-link", "b.md"),
        ("broken-link", "b.md"),
        ("future-date", "a.md"),
        ("unaddressable-heading", "a.md"),
    ]
    assert answers[0]["counts"] == {
        "unparseable-frontmatter": 1,
        "broken-link": 3,
        "future-date": 1,
        "unaddressable-heading": 1,
    }


def test_a_long_list_is_cut_with_some_of_every_check_left(
    memory: Memory, vault_folder: Path
) -> None:
    links = "\n".join(f"[[missing note number {number} {'x' * 300}]]" for number in range(500))
    write(vault_folder, {"a.md": links, "b.md": "# B\n\n##\n"})

    answer = lint_op(memory)

    assert answer["truncated"] is True
    assert answer["counts"] == {"broken-link": 500, "large-note": 1, "unaddressable-heading": 1}
    assert {each["check"] for each in answer["violations"]} == set(answer["counts"])
    assert len(json.dumps(answer["violations"])) < 8_000
    assert max(len(each["detail"]) for each in answer["violations"]) <= linting.MAX_DETAIL


def test_every_check_has_a_name_of_its_own_and_says_what_to_do() -> None:
    names = [check.name for check in linting.checks()]

    assert len(set(names)) == len(names)
    assert all(check.fix.endswith(".") for check in linting.checks())


def test_a_folder_that_is_no_vault_yet_is_linted_with_a_warning(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()

    answer = lint_op(memory)

    assert answer["violations"] == []
    assert "bootstrap" in answer["warnings"][0]


def test_lint_changes_nothing(memory: Memory, vault_folder: Path) -> None:
    write(vault_folder, {"a.md": "[[no]]\r\n##"})
    before = {path: path.read_bytes() for path in vault_folder.rglob("*") if path.is_file()}

    lint_op(memory)

    assert {path: path.read_bytes() for path in vault_folder.rglob("*") if path.is_file()} == before
