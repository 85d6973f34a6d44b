"""The report: an answer in words carries all that the envelope holds, and keeps within its cap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from echo_memory import report, vault_lock
from echo_memory.envelope import failure
from echo_memory.errors import BadRequest, EchoError, InvalidTarget, NotFound, Unparseable
from echo_memory.memory import Memory
from echo_memory.ops.bootstrap import bootstrap_op, reindex_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.health import doctor_op, health_op
from echo_memory.ops.link import link_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.load import load_op
from echo_memory.ops.lock import lock_op, unlock_op
from echo_memory.ops.note import append_op, delete_op, get_note_op, patch_op, put_op
from echo_memory.ops.recall import recall_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.resolve import resolve_op
from echo_memory.ops.scope import scope_set_op, scope_show_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op
from folders import put

Envelope = dict[str, Any]

TEA = {
    "title": "Prefers tea",
    "kind": "semantic",
    "body": "Green, says Ada Lovelace.",
    "date": "2026-01-01",
}
NEAR = {"title": "Ada Lovelase", "kind": "person", "body": "x"}
GONE = {"title": "Gone", "kind": "person", "merge_into": "nobody"}
BUNDLE: dict[str, Any] = {
    "slug": "kickoff",
    "log_body": "Ordered gears with Ada Lovelace.",
    "agent_log_line": "Kickoff done",
    "scope": "Engine work",
    "reflect": [TEA, NEAR, GONE],
}

# What words need not repeat: how well a hit ranks (their order says it), what a path says already,
# that nothing was found or left out, and how long a text is that is there whole.
UNSAID = {"ok", "op", "score", "omitted", "slug", "domain", "links_added", "truncated", "offline"}


@pytest.fixture
def day(memory: Memory, vault_folder: Path) -> Memory:
    capture_op(memory, "Ada Lovelace", kind="person", aliases=["Countess"], body="Wrote programs.")
    capture_op(memory, "Engine", kind="project", body="By Ada Lovelace, of brass.")
    capture_op(memory, "Call with Babbage", body="about gears\n\nand money")
    put(vault_folder / "resources/concepts/long.md", f"# Long\n\n## Part\n\n{'word ' * 99}\n")
    put(vault_folder / "resources/concepts/broken.md", "---\ntitle: [a\n---\n# Broken [[gone]]\n")
    return memory


def patched(echo: Memory) -> Envelope:
    return patch_op(
        echo, "engine", operation="append", target_type="heading", target="Status", content="x"
    )


def filed(echo: Memory, *, apply: bool) -> Envelope:
    (item,) = triage_op(echo)["items"]
    proposals = [{**proposal, "line": item["id"]} for proposal in (TEA, NEAR, GONE)]
    return triage_op(echo, proposals=[*proposals, {**TEA, "line": "no such"}], apply=apply)


def told(echo: Memory, op: Callable[[Memory], Envelope]) -> Envelope:
    """What an operation answers while somebody else has the vault's lock."""
    vault_lock.acquire(echo, holder="Charles@desk", nonce="theirs", seconds=30)
    answer = op(echo)
    vault_lock.clear(echo)
    return answer


ANSWERS: dict[str, Callable[[Memory], Envelope]] = {
    "load": load_op,
    "load whole": lambda echo: load_op(echo, brief=False),
    "recall": lambda echo: recall_op(echo, "brass"),
    "recall several": lambda echo: recall_op(echo, "Ada Lovelace gears program", limit=2),
    "recall nothing": lambda echo: recall_op(echo, "Lovelase"),
    "resolve": lambda echo: resolve_op(echo, "countess"),
    "resolve near": lambda echo: resolve_op(echo, "Ada"),
    "get": lambda echo: get_note_op(echo, "ada-lovelace"),
    "get cut": lambda echo: get_note_op(echo, "long", max_chars=200),
    "get broken": lambda echo: get_note_op(echo, "broken"),
    "scope": scope_show_op,
    "scope set": lambda echo: scope_set_op(echo, "Engine work"),
    "capture": lambda echo: capture_op(echo, "Tea", kind="concept", body="Ada Lovelace's."),
    "capture more": lambda echo: capture_op(echo, "Engine", kind="project", body="Of steel."),
    "capture again": lambda echo: capture_op(echo, "Engine", kind="project"),
    "capture line": lambda echo: capture_op(echo, "Tea", tags=["left-out"]),
    "capture gate": lambda echo: capture_op(echo, **NEAR),  # type: ignore[arg-type]
    "capture forced": lambda echo: capture_op(echo, **NEAR, force=True),  # type: ignore[arg-type]
    "capture plan": lambda echo: capture_op(echo, "Tea", kind="concept", body="x", dry_run=True),
    "capture warned": lambda echo: capture_op(echo, "Tea", kind="concept", date="2026-01-01"),
    "link": lambda echo: link_op(echo, "Ada Lovelace", "engine"),
    "append": lambda echo: append_op(echo, "engine", "x"),
    "patch": patched,
    "put": lambda echo: put_op(echo, "resources/concepts/put", "x"),
    "delete": lambda echo: delete_op(echo, "engine"),
    "triage": triage_op,
    "triage preview": lambda echo: filed(echo, apply=False),
    "triage applied": lambda echo: filed(echo, apply=True),
    "reflect preview": lambda echo: apply_op(echo, [TEA, NEAR, GONE]),
    "reflect applied": lambda echo: apply_op(echo, [TEA, NEAR, GONE], apply=True),
    "session preview": lambda echo: session_end_op(echo, **BUNDLE),
    "session applied": lambda echo: session_end_op(echo, **BUNDLE, apply=True),
    "bootstrap": bootstrap_op,
    "reindex": reindex_op,
    "lock": lock_op,
    "lock held": lambda echo: told(echo, lock_op),
    "unlock": unlock_op,
    "unlock held": lambda echo: told(echo, unlock_op),
    "doctor": doctor_op,
    "health": lambda echo: health_op(echo, deep=True),
    "lint": lint_op,
}


SAID_AS = {"applied": " filed."}  # of proposals, the number that was


def leaves(value: object, key: str = "") -> Iterator[str]:
    """Every text, number and action in an answer that words have to carry."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in UNSAID:
                yield from leaves(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, key)
    elif not isinstance(value, bool) and value not in (None, "", 0):
        yield str(value)


def squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


@pytest.mark.parametrize("name", ANSWERS)
def test_the_words_carry_every_value_of_the_answer(day: Memory, name: str) -> None:
    answer = ANSWERS[name](day)

    said = squeezed(report.text_of(answer))

    if "truncated" not in answer:
        answer = {**answer, "total_chars": 0}
    missing = [
        leaf
        for leaf in leaves(answer)
        if squeezed(leaf) not in said and SAID_AS.get(leaf, "\n") not in said
    ]
    assert missing == []


def test_a_capture_says_action_path_links_and_near_names(day: Memory) -> None:
    answer = capture_op(day, "Ada Lovelace Club", kind="concept", body="For Engine.", force=True)

    assert report.text_of(answer).splitlines()[:2] == [
        "created: resources/concepts/ada-lovelace-club.md",
        "Linked: Engine → engine",
    ]
    assert [near["slug"] for near in answer["near_duplicates"]] == ["ada-lovelace"]
    assert "Similar names:\n- ada-lovelace: Ada Lovelace (person, " in report.text_of(answer)


def test_a_gate_names_every_candidate_and_both_ways_out(day: Memory) -> None:
    text = report.text_of(capture_op(day, **NEAR))  # type: ignore[arg-type]

    assert text.startswith("duplicate-gate: nothing was written")
    assert "resources/people/ada-lovelace.md" in text
    assert "merge_into" in text
    assert "force" in text


def test_candidates_of_any_length_leave_room_for_the_ways_out(
    memory: Memory, vault_folder: Path
) -> None:
    for number in range(9):
        title = f"Ada Lovelace {'of somewhere ' * 200}"
        put(
            vault_folder / f"resources/people/{number}.md",
            f"---\ntype: person\naliases: [Ada Lovelace]\n---\n# {title}\n",
        )

    text = report.text_of(capture_op(memory, "Ada Lovelace", kind="concept"))

    assert len(text) < report.MAX_CHARS
    assert text.endswith("Do not retry unchanged.")


def test_a_session_whose_step_failed_begins_with_the_error(day: Memory, vault_folder: Path) -> None:
    put(vault_folder / "_agent/context/current-context.md", "---\nscope: [a\n---\n")

    lines = report.text_of(session_end_op(day, **BUNDLE, apply=True)).splitlines()

    assert lines[0].startswith("unparseable (_agent/context/current-context.md): ")
    assert lines[1:] == [
        "Applied: _agent/sessions/2026-03-14-kickoff.md",
        "- session-log: created",
        "  Linked: Ada Lovelace → ada-lovelace",
        f"- agent-log: added, {BUNDLE['agent_log_line']}",
        "- scope: failed",
    ]


def test_a_note_shows_its_frontmatter_a_key_a_line(memory: Memory, vault_folder: Path) -> None:
    put(
        vault_folder / "resources/concepts/x.md",
        "---\ntags: [a, b]\ndone: false\nempty:\nmap: {k: [1, true]}\ntext: |\n  one\n  two\n"
        "number: 0\n---\nBody.\n",
    )

    assert report.text_of(get_note_op(memory, "x")) == (
        "resources/concepts/x.md\ntags: a, b\ndone: false\n"
        'map: {"k": [1, true]}\ntext: "one\\ntwo\\n"\nnumber: 0\n\nBody.'
    )


def test_a_cut_note_names_its_size_and_headings(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "resources/concepts/x.md", f"# X\n\n## Part\n\n{'word ' * 99}\n")

    text = report.text_of(get_note_op(memory, "x", max_chars=200))

    assert text.endswith(
        "\n[… 509 characters in all; ask for a section (--section) or a larger max_chars"
        " (--max-chars)]\nHeadings: X; X::Part"
    )


def test_an_item_of_several_lines_stands_below_its_first(day: Memory) -> None:
    (item,) = triage_op(day)["items"]

    assert report.text_of(triage_op(day)) == (
        f"- [{item['id']}] 2026-03-14 Call with Babbage:\n"
        "  about gears\n\n  and money (0 days) → meeting?"
    )


def test_a_long_inbox_is_listed_as_far_as_an_answer_goes_and_the_rest_is_counted(
    memory: Memory, vault_folder: Path
) -> None:
    lines = [f"- {'long ' * 1_000}", *(f"- item {number} {'x' * 40}" for number in range(300))]
    put(vault_folder / "inbox/captures/inbox.md", "\n".join(["# Inbox", "", *lines]))

    answer = triage_op(memory)
    text = report.text_of(answer)

    assert len(answer["items"]) + answer["omitted"] == 301
    assert answer["items"][0]["line"].endswith("…")
    assert len(str(answer)) < 3 * report.MAX_CHARS
    assert text.endswith(f"… and {answer['omitted']} more; file these, and list the inbox again.")
    assert len(text) <= report.MAX_CHARS


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            BadRequest("limit is out of range. Give 1 to 20.", field="limit"),
            "bad-request (limit): limit is out of range. Give 1 to 20.",
        ),
        (
            NotFound("There is no such note. Look.", path="ada", did_you_mean=["a.md", "b.md"]),
            "not-found (ada): There is no such note. Look.\nDid you mean: a.md; b.md",
        ),
        (
            NotFound("There is no such note. Look.", path="ada", did_you_mean=[]),
            "not-found (ada): There is no such note. Look.",
        ),
        (
            InvalidTarget("No such heading. Name one.", headings=["A", "A::B"]),
            "invalid-target: No such heading. Name one.\nHeadings there are: A; A::B",
        ),
        (
            InvalidTarget("No such key. Name one.", keys=["a\nb"]),
            "invalid-target: No such key. Name one.\nKeys there are: a b",
        ),
        (
            BadRequest(
                "b is the name of several. Say which.",
                field="b",
                candidates=[{"slug": "x", "path": "c/x.md", "title": "X"}],
            ),
            "bad-request (b): b is the name of several. Say which.\nCandidates: x (c/x.md)",
        ),
        (
            BadRequest("key\nwith\r\nbreaks is unknown. No.", field="key\nwith"),
            "bad-request (key with): key with breaks is unknown. No.",
        ),
        (
            Unparseable("Line 3 is broken. Mend it.", line=3),
            "unparseable: Line 3 is broken. Mend it.",
        ),
        (EchoError("Something happened. Look."), "internal: Something happened. Look."),
    ],
)
def test_an_error_says_in_its_first_line_what_it_is_about_and_what_to_do(
    error: EchoError, text: str
) -> None:
    assert report.text_of(failure("get", error)) == text


def test_an_error_that_lists_too_much_is_cut_and_says_so(memory: Memory) -> None:
    error = InvalidTarget("No. Name one.", headings=[f"Heading {n}" for n in range(5_000)])

    text = report.text_of(failure("get", error))

    assert len(text) == report.MAX_CHARS
    assert "cut here" in text[-60:]


def test_an_answer_of_an_operation_without_words_of_its_own_is_its_fields() -> None:
    answer = {"ok": True, "op": "new", "count": 3, "names": ["a", "b"], "warnings": ["Odd."]}

    assert report.text_of(answer) == "count: 3\nnames: a, b\nWarning: Odd."
