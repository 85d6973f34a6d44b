"""Recall: the notes that answer, their passages, and an answer that never exceeds its budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo_memory import hits, report
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.recall import MAX_BUDGET, MAX_LIMIT, MAX_QUERY, MIN_BUDGET, recall_op
from folders import put, snapshot

KEYS = {"path", "title", "score", "type", "updated", "status", "excerpt", "truncated"}


def paths(found: list[dict[str, Any]]) -> list[str]:
    return [hit["path"] for hit in found]


def note(folder: Path, path: str, text: str, **keys: str) -> str:
    head = "".join(f"{key}: {value}\n" for key, value in keys.items())
    put(folder / path, f"---\n{head}---\n\n{text}\n" if head else f"{text}\n")
    return path


def test_a_hit_says_what_it_is_and_shows_the_passage_that_answers(
    memory: Memory, vault_folder: Path
) -> None:
    path = note(
        vault_folder,
        "resources/people/ada.md",
        "# Ada Lovelace\n\nWrote the first program.",
        status="active",
        updated="2026-03-01",
    )

    answer = recall_op(memory, "who wrote the first program?")

    assert answer.keys() == {"ok", "op", "primary", "linked", "omitted"}
    (hit,) = answer["primary"]
    assert hit["score"] > 0
    assert {**hit, "score": 0} == {
        "path": path,
        "title": "Ada Lovelace",
        "score": 0,
        "type": "person",
        "updated": "2026-03-01",
        "status": "active",
        "excerpt": "Wrote the first program.",
        "truncated": False,
    }
    assert (answer["linked"], answer["omitted"]) == ([], 0)


def test_the_very_next_recall_finds_a_capture_an_addition_and_an_edit_by_a_person(
    memory: Memory, vault_folder: Path
) -> None:
    def finds(query: str) -> list[str]:
        return paths(recall_op(memory, query)["primary"])

    assert finds("zeppelin") == []
    path = capture_op(memory, "Airship", kind="concept", body="A zeppelin.")["path"]
    assert finds("zeppelin") == [path]
    capture_op(memory, "Airship", kind="concept", body="Filled with helium.")
    assert finds("helium") == [path]
    put(vault_folder / path, "# Airship\n\nNow a blimp.\n")
    assert (finds("blimp"), finds("zeppelin")) == ([path], [])
    (vault_folder / path).unlink()
    assert finds("blimp") == []


def test_the_excerpt_is_the_passage_that_answers_and_not_the_head_of_the_note(
    memory: Memory, vault_folder: Path
) -> None:
    filler = "\n\n".join(f"Paragraph {n} is about weather and tea." for n in range(200))
    note(
        vault_folder,
        "projects/active/engine.md",
        f"# Engine\n\n{filler}\n\n## Money\n\nThe foundry wants 400 pounds.\n\n{filler}",
    )

    (hit,) = recall_op(memory, "how much does the foundry want", budget_chars=800)["primary"]

    assert "The foundry wants 400 pounds." in hit["excerpt"]
    assert hit["truncated"] is True


def test_an_excerpt_ends_where_a_sentence_or_a_line_ends(
    memory: Memory, vault_folder: Path
) -> None:
    text = " ".join(f"Sentence number {n} tells of brass." for n in range(400))
    note(vault_folder, "projects/active/engine.md", f"# Engine\n\n{text}")

    (hit,) = recall_op(memory, "brass", budget_chars=700)["primary"]

    assert hit["excerpt"].startswith("Sentence number ")
    assert hit["excerpt"].endswith(" tells of brass.")
    assert len(hit["excerpt"]) > 400


def test_the_title_is_not_repeated_in_the_excerpt(memory: Memory, vault_folder: Path) -> None:
    note(vault_folder, "resources/concepts/tide.md", "# Tide\n\nThe sea rises.\r\nIt falls.")

    (hit,) = recall_op(memory, "tide")["primary"]

    assert hit["excerpt"] == "The sea rises.\nIt falls."


def test_a_note_of_nothing_but_its_title_is_found_and_not_marked_as_cut(
    memory: Memory, vault_folder: Path
) -> None:
    note(vault_folder, "resources/concepts/tide.md", "# Tide")

    (hit,) = recall_op(memory, "tide")["primary"]

    assert (hit["excerpt"], hit["truncated"]) == ("", False)


def test_archived_notes_come_after_others_that_say_the_same(
    memory: Memory, vault_folder: Path
) -> None:
    body = "Gears of brass."
    note(vault_folder, "projects/archive/aaa.md", f"# Aaa\n\n{body}")
    note(vault_folder, "projects/active/bbb.md", f"# Bbb\n\n{body}", status="archived")
    note(vault_folder, "projects/active/ccc.md", f"# Ccc\n\n{body}")

    found = paths(recall_op(memory, "gears of brass")["primary"])

    assert found[0] == "projects/active/ccc.md"
    assert len(found) == 3


def test_what_recall_does_not_look_into_is_not_found(memory: Memory, vault_folder: Path) -> None:
    capture_op(memory, "Zeppelin inbox")
    capture_op(memory, "Airship", kind="concept")
    note(vault_folder, "inbox/processing-log/2026-03-14.md", "# Log\n\n- zeppelin")
    note(vault_folder, "_agent/health/vault-health.md", "# Health\n\nzeppelin")
    note(vault_folder, "_agent/heartbeat/last-session.md", "# Last\n\nzeppelin")
    note(vault_folder, ".obsidian/zeppelin.md", "# Zeppelin\n\nzeppelin")

    assert recall_op(memory, "zeppelin")["primary"] == []
    assert recall_op(memory, "captured")["primary"] == []


def test_a_session_log_and_a_note_outside_the_routed_folders_are_found(
    memory: Memory, vault_folder: Path
) -> None:
    session = note(vault_folder, "_agent/sessions/2026-03-01-x.md", "# X\n\nzeppelin")
    diary = note(vault_folder, "Diary/May.md", "# May\n\nzeppelin")

    assert set(paths(recall_op(memory, "zeppelin")["primary"])) == {session, diary}


# Linked notes


@pytest.fixture
def linked(memory: Memory, vault_folder: Path) -> Memory:
    """One note that answers; others that it links to, or that link to it."""
    note(
        vault_folder,
        "projects/active/engine.md",
        "# Engine\n\nSteam: [[ada]], [[ada]], [Babbage](../../resources/people/babbage.md).",
    )
    note(vault_folder, "resources/people/ada.md", "# Ada\n\nA countess.")
    note(vault_folder, "resources/people/babbage.md", "# Babbage\n\nA mathematician.")
    note(vault_folder, "decisions/by-date/2026-01-02-brass.md", "# Brass\n\nFor [[Engine]].")
    note(vault_folder, "resources/concepts/tea.md", "# Tea\n\nUnrelated.")
    return memory


def test_linked_are_the_notes_at_the_other_end_of_a_hits_links_the_strongest_tie_first(
    linked: Memory,
) -> None:
    answer = recall_op(linked, "steam")

    assert paths(answer["primary"]) == ["projects/active/engine.md"]
    assert paths(answer["linked"]) == [
        "resources/people/ada.md",
        "decisions/by-date/2026-01-02-brass.md",
        "resources/people/babbage.md",
    ]
    assert [hit.keys() for hit in answer["linked"]] == [KEYS] * 3


def test_linked_notes_are_never_more_than_the_limit_and_never_in_primary(linked: Memory) -> None:
    assert [len(recall_op(linked, "steam", limit=n)["linked"]) for n in (1, 2, 3, 4)] == [
        1,
        2,
        3,
        3,
    ]
    for limit in (1, 2, 3, 20):
        answer = recall_op(linked, "steam countess mathematician", limit=limit)

        assert len(answer["primary"]) <= limit
        assert not set(paths(answer["primary"])) & set(paths(answer["linked"]))


def test_linked_notes_can_be_left_out(linked: Memory) -> None:
    assert recall_op(linked, "steam", include_linked=False)["linked"] == []


def test_notes_that_recall_does_not_find_are_not_linked_either(
    linked: Memory, vault_folder: Path
) -> None:
    note(vault_folder, "inbox/captures/inbox.md", "# Inbox\n\n- [[engine]]")
    note(vault_folder, "_agent/context/current-context.md", "# Context\n\n[[engine]]")

    assert len(recall_op(linked, "steam")["linked"]) == 3


def test_a_link_that_was_added_or_removed_counts_at_once(
    linked: Memory, vault_folder: Path
) -> None:
    recall_op(linked, "steam")
    note(vault_folder, "resources/concepts/tea.md", "# Tea\n\nDrunk near the [[engine]].")
    note(vault_folder, "decisions/by-date/2026-01-02-brass.md", "# Brass\n\nFor nothing.")

    assert paths(recall_op(linked, "steam")["linked"]) == [
        "resources/people/ada.md",
        "resources/concepts/tea.md",
        "resources/people/babbage.md",
    ]


# Nothing found


def test_a_query_without_hits_is_answered_with_the_nearest_names(memory: Memory) -> None:
    path = capture_op(memory, "Machine Learning Operations", kind="concept")["path"]

    answer = recall_op(memory, "mlo")

    assert (answer["primary"], answer["linked"], answer["omitted"]) == ([], [], 0)
    (near,) = answer["nearest"]
    assert (near["slug"], near["path"]) == ("machine-learning-operations", path)
    assert report.text_of(answer).splitlines() == [
        "Nothing found. Nearest names:",
        f"- {near['slug']}: {near['title']} (concept, initials, {near['score']:.2f}) · {path}",
        "Read one of them with get, or ask in other words.",
    ]


def test_a_query_without_hits_and_names_says_so_and_what_to_do_next(memory: Memory) -> None:
    answer = recall_op(memory, "zzz")

    assert (answer["nearest"], answer["inbox"]) == ([], 0)
    first, last = report.text_of(answer).splitlines()
    assert first == "Nothing found."
    assert "triage" in last


def test_a_query_without_hits_tells_how_many_inbox_items_have_the_words(memory: Memory) -> None:
    capture_op(memory, "Buy brass fittings")
    capture_op(memory, "Sell the brasses")
    capture_op(memory, "Call the foundry")

    answer = recall_op(memory, "brass")

    assert (answer["primary"], answer["inbox"]) == ([], 2)
    assert "inbox has 2 items" in hits.nothing_found(answer["nearest"], answer["inbox"])
    assert "inbox has 1 item " in hits.nothing_found([], 1)


def test_what_waits_in_the_inbox_is_told_of_only_when_nothing_was_found(memory: Memory) -> None:
    capture_op(memory, "Buy brass fittings")
    capture_op(memory, "Brass", kind="concept", body="An alloy.")

    assert "inbox" not in recall_op(memory, "brass")


@pytest.mark.parametrize("query", ["?!", "the and of", "   x   ", "\u200b.", "a\nb"])
def test_a_query_of_signs_or_stop_words_is_no_error(memory: Memory, query: str) -> None:
    assert recall_op(memory, query)["ok"] is True


# The budget


def test_hits_that_do_not_fit_are_counted_and_linked_ones_go_first(
    memory: Memory, vault_folder: Path
) -> None:
    for number in range(8):
        other = (number + 1) % 8
        note(
            vault_folder,
            f"resources/references/{'long-name-' * 8}{number}.md",
            f"# {'Long title ' * 8}{number}\n\nSteam. [[{'long-name-' * 8}{other}]]",
        )

    whole = recall_op(memory, "steam", limit=4, budget_chars=MAX_BUDGET)
    answer = recall_op(memory, "steam", limit=4, budget_chars=MIN_BUDGET)

    assert (len(whole["primary"]), len(whole["linked"]), whole["omitted"]) == (4, 2, 0)
    assert (len(answer["primary"]), len(answer["linked"]), answer["omitted"]) == (1, 0, 5)
    assert answer["primary"][0]["excerpt"].startswith("Steam.")
    assert report.text_of(answer).endswith("(5 more did not fit the budget)")


def test_a_small_budget_shows_a_passage_of_the_best_hit_before_it_names_others(
    memory: Memory, vault_folder: Path
) -> None:
    text = "They make strings and felt, and deliver on Mondays. " * 4
    for number in range(6):
        note(vault_folder, f"resources/companies/brightleaf-{number}.md", f"# Brightleaf\n\n{text}")

    answer = recall_op(memory, "brightleaf", budget_chars=MIN_BUDGET)

    assert len(answer["primary"][0]["excerpt"]) > 100
    assert len(answer["primary"]) > 1
    assert len(report.text_of(answer)) <= MIN_BUDGET


def test_a_hit_that_alone_is_over_the_budget_is_counted(memory: Memory, vault_folder: Path) -> None:
    folder = "/".join(["deep" * 40] * 4)
    note(vault_folder, f"{folder}/steam.md", "# Steam")

    answer = recall_op(memory, "steam", budget_chars=MIN_BUDGET)

    assert (answer["primary"], answer["omitted"]) == ([], 1)
    assert report.text_of(answer) == "(1 more did not fit the budget)"


def test_a_title_of_any_length_is_shown_on_one_line(memory: Memory, vault_folder: Path) -> None:
    title = '"steam ' + "long " * 1_000 + '\\n- fake · path.md"'
    note(vault_folder, "resources/concepts/a.md", "Steam.", title=title, status="x" * 500)

    answer = recall_op(memory, "steam", budget_chars=MIN_BUDGET)

    (hit,) = answer["primary"]
    assert hit["title"].endswith("…")
    assert len(report.text_of(answer)) <= MIN_BUDGET
    assert report.text_of(answer).count("\n- ") == 0


def test_a_larger_budget_shows_more_of_the_best_hit(memory: Memory, vault_folder: Path) -> None:
    text = " ".join(f"Sentence number {n} tells of brass." for n in range(400))
    note(vault_folder, "projects/active/engine.md", f"# Engine\n\n{text}")

    lengths = [
        len(recall_op(memory, "brass", budget_chars=budget)["primary"][0]["excerpt"])
        for budget in (500, 2_000, 8_000)
    ]

    assert lengths == sorted(set(lengths))
    assert 1_000 < lengths[1] <= 1_200
    assert 2_000 < lengths[2] <= 2_400


def test_a_vault_without_its_marker_is_read_and_the_warning_is_within_the_budget(
    memory: Memory, vault_folder: Path
) -> None:
    text = " ".join(f"Sentence number {n} tells of brass." for n in range(400))
    note(vault_folder, "projects/active/engine.md", f"# Engine\n\n{text}")
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)

    answer = recall_op(memory, "brass", budget_chars=MIN_BUDGET)

    assert answer["primary"]
    assert "bootstrap" in answer["warnings"][0]
    assert len(report.text_of(answer)) <= MIN_BUDGET
    assert snapshot(vault_folder) == before


WORDS = st.sampled_from(["steam", "brass", "gear", "[[n1]]", "[[n2|shown]]", "Dr.", "ö", "日本語"])
PIECES = st.one_of(
    WORDS,
    st.sampled_from(["\n", "\n\n", "\n## Part\n", "\n- ", ". ", "```\n", "\r\n", "| a |", "> "]),
    st.text(max_size=20).filter(lambda text: "\x00" not in text),
)
BODIES = st.one_of(
    st.lists(PIECES, max_size=40).map(" ".join),
    st.tuples(WORDS, st.integers(1, 4_000)).map(lambda made: (made[0] + " ") * made[1]),
    st.integers(1, 9_000).map(lambda length: "steam" + "x" * length),
)
NOTES = st.lists(st.tuples(st.text("ab /\n\"'", max_size=300), BODIES), min_size=1, max_size=5)


@given(
    notes=NOTES,
    query=st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
    limit=st.integers(1, MAX_LIMIT),
    budget=st.one_of(st.integers(MIN_BUDGET, 900), st.integers(MIN_BUDGET, MAX_BUDGET)),
    include_linked=st.booleans(),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_answer_in_words_is_never_longer_than_its_budget(
    memory: Memory,
    vault_folder: Path,
    notes: list[tuple[str, str]],
    query: str,
    limit: int,
    budget: int,
    include_linked: bool,
) -> None:
    for old in (vault_folder / "resources").glob("**/*.md"):
        old.unlink()
    for at, (title, body) in enumerate(notes):
        text = f"# {title}\n\n{body}".encode("utf-8", "surrogateescape")
        put(vault_folder / f"resources/concepts/n{at}.md", text)

    answer = recall_op(
        memory, query, limit=limit, include_linked=include_linked, budget_chars=budget
    )

    text = report.text_of(answer)
    assert len(text) <= budget
    assert len(answer["primary"]) <= limit
    assert len(answer["linked"]) <= (limit if include_linked else 0)
    for hit in answer["primary"] + answer["linked"]:
        assert hit["path"] in text
        assert hit["truncated"] == hits.hit(hit).endswith(" […]")
        body = (vault_folder / hit["path"]).read_bytes().decode().replace("\r\n", "\n")
        assert all(line.strip() in body for line in hit["excerpt"].splitlines())


# Arguments


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " \n "}, "query"),
        ({"query": "x" * (MAX_QUERY + 1)}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"query": "\udcff"}, "query"),
        ({"query": None}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": MAX_LIMIT + 1}, "limit"),
        ({"limit": "6"}, "limit"),
        ({"budget_chars": MIN_BUDGET - 1}, "budget_chars"),
        ({"budget_chars": MAX_BUDGET + 1}, "budget_chars"),
        ({"include_linked": "yes"}, "include_linked"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(
    memory: Memory, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRequest) as raised:
        recall_op(memory, **{"query": "x", **changes})

    assert raised.value.details["field"] == field


def test_recall_writes_nothing(linked: Memory, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    recall_op(linked, "steam")

    assert snapshot(vault_folder) == before


def test_a_memory_that_was_opened_anew_recalls_the_same(linked: Memory) -> None:
    answer = recall_op(linked, "steam countess")
    other = open_memory(linked.config, clock=linked.clock, notify=linked.notify)

    assert recall_op(other, "steam countess") == answer
