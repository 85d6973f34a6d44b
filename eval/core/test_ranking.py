"""The ranking: which notes answer a question best, and why."""

import threading
from dataclasses import fields, replace
from datetime import date
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.ranking import Document, Signals
from echo_memory.retrieval import bm25
from echo_memory.retrieval.documents import counts
from echo_memory.retrieval.inverted import DictScores
from echo_memory.retrieval.question import ask
from echo_memory.retrieval.signals import ALL, pool
from echo_memory.retrieval.words import query_words
from held_ranking import HeldRanking

TODAY = date(2026, 11, 30)
NONE = Signals(**{signal.name: False for signal in fields(Signals)})
FILLER = "Nothing to see here, only some filler about the weather and the harvest of last year. "


def ranking(documents):
    built = HeldRanking()
    for key, document in documents.items():
        built.put(key, document)
    return built


def found(documents, query, *, signals=ALL, limit=10, **options):
    hits = ranking(documents).search(query, today=TODAY, limit=limit, signals=signals, **options)
    return [hit.key for hit in hits]


def note(body="", title="Note", **rest):
    return Document(title=title, body=body, **{"updated": "2026-06-01", **rest})


MEMORY = {
    "ada": note("Wrote the first program, for the Analytical Engine.", "Ada Lovelace"),
    "babbage": note("Designed the Analytical Engine and never finished it.", "Charles Babbage"),
    "loyalty": note("The first purchase gives ten points. The program ends in June.", "Loyalty"),
    "tile": note("Bought a blue tile in Lisbon and lost the sunglasses.", "Trip to Lisbon"),
    "wifi": note("Router in the hallway.\n\n## Guests\n\nPassword: sunflower-22.", "Home network"),
    "anna": note("Sister. Nurse in Basel. Allergic to peanuts.", "Anna Keller", aliases=("Annie",)),
    "beijing": note("参观了长城和故宫。", "北京旅行"),
    "config": note("Set maxCacheSize to 50 GB in v2.1.", "Cache", tags=("server/backup",)),
    "party": note("A picnic for everybody 🎉", "Picnic"),
}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("who wrote the first program", "ada"),
        ("Who designed the Analytical Engine?", "babbage"),
        ("where did I buy the blue tile", "tile"),
        ("what did I lose in lisbon", "tile"),
        ("guest password", "wifi"),
        ("what are Annie's allergies? is she allergic to peanuts", "anna"),
        ("宫", "beijing"),
        ("长城", "beijing"),
        ("max cache size", "config"),
        ("v2.1", "config"),
        ("backups", "config"),
        ("🎉", "party"),
    ],
)
def test_a_natural_question_finds_its_note(query, key):
    assert found(MEMORY, query)[0] == key


def test_a_note_needs_only_some_of_the_words():
    assert found(MEMORY, "sunglasses submarine zeppelin") == ["tile"]


@pytest.mark.parametrize("query", ["submarine", "", "?!"])
def test_a_question_that_nothing_answers_has_no_hits(query):
    assert found(MEMORY, query) == []


def test_an_empty_ranking_has_no_hits():
    assert found({}, "anything last week") == []


def test_a_word_of_all_notes_still_finds_them():
    assert found({"a": note("engine"), "b": note("engine engine")}, "engine") == ["b", "a"]


def test_no_more_hits_than_asked_for():
    notes = {f"n{number:03}": note("engine") for number in range(80)}

    assert found(notes, "engine", limit=3) == ["n000", "n001", "n002"]
    assert len(found(notes, "engine", limit=60)) == 60


def test_fields_weigh_title_tag_heading_body_in_this_order():
    text = FILLER * 3
    notes = {
        "body": note(f"{text}\n\nengine", "Note one"),
        "heading": note(f"{text}\n\n## engine", "Note one", headings=("engine",)),
        "tag": note(text, "Note one", tags=("engine",)),
        "title": note(text, "Note engine"),
    }

    assert found(notes, "engine", signals=NONE) == ["title", "tag", "heading", "body"]
    assert [counts(notes[key])["engin"] for key in notes] == [1.0, 1.5, 2.0, 3.0]


def test_a_rare_word_weighs_more_and_one_of_all_notes_something():
    assert bm25.rarity(2, 5) == pytest.approx(log(3))
    assert bm25.rarity(1, 5) > bm25.rarity(5, 5) > 0


def test_a_word_that_is_asked_twice_weighs_twice():
    notes = {"engine": note("engine"), "loom": note("loom")}

    assert found(notes, "engine loom loom") == ["loom", "engine"]
    assert found(notes, "engine engine loom") == ["engine", "loom"]


def test_scores_are_those_of_the_formula():
    weights = {"a": 2.0, "b": 1.0}
    postings = {"a": {"x": 1.0, "y": 3.0}, "b": {"y": 1.0}}

    scores = bm25.scores(weights, postings, {"x": 10.0, "y": 20.0}, 10.0)

    assert scores == pytest.approx(
        {
            "x": 2 * (1 + 2.5 / (1 + 1.5)),
            "y": 2 * (1 + 3 * 2.5 / (3 + 1.5 * 1.75)) + (1 + 2.5 / (1 + 1.5 * 1.75)),
        }
    )


def test_of_equal_notes_the_newer_comes_first_and_then_the_key_decides():
    notes = {
        "c": note("engine", updated="2026-01-01"),
        "b": note("engine", updated="2026-01-01"),
        "a": note("engine", updated="2020-01-01"),
        "d": note("engine", updated="2026-02-01"),
    }

    assert found(notes, "engine", signals=NONE) == ["d", "b", "c", "a"]


@pytest.mark.parametrize("status", ["archived", "done", "superseded", "Archived"])
def test_what_is_over_comes_after_what_is_not(status):
    notes = {"a": note("engine", status=status), "b": note("engine", status="active")}

    assert found(notes, "engine") == ["b", "a"]
    assert found(notes, "engine", signals=replace(ALL, status=False)) == ["a", "b"]


def test_what_was_replaced_comes_after_what_replaced_it_though_its_title_says_more():
    notes = {
        "old": note("Ribs are glued with fish glue.", "Fish glue for ribs", status="superseded"),
        "new": note("Ribs are glued with hide glue again.", "Hide glue again"),
        "other": note(FILLER),
    }

    assert found(notes, "glue for ribs")[0] == "new"
    assert found(notes, "glue for ribs", signals=replace(ALL, status=False))[0] == "old"


@pytest.mark.parametrize(
    "query",
    [
        "the old glue",
        "which glue did we use previously",
        "früherer Leim: glue",
        "l'ancienne glue",
        "以前の glue",
    ],
)
def test_who_asks_for_what_was_before_gets_what_was_replaced(query):
    notes = {
        "a": note("Hide glue.", updated="2026-11-01"),
        "b": note("Fish glue.", updated="2024-11-01", status="superseded"),
    }

    assert found(notes, "glue")[0] == "a"
    assert found(notes, query)[0] == "b"


def test_an_archived_note_that_says_more_still_comes_first():
    notes = {"a": note("engine engine engine", status="archived"), "b": note("engine")}

    assert found(notes, "engine")[0] == "a"


@pytest.mark.parametrize(("kind", "newest_wins"), [("project", True), ("reference", False)])
def test_age_counts_mildly_and_not_for_references(kind, newest_wins):
    old = note("engine", kind=kind, updated="2010-01-01")
    new = note("engine", kind=kind, updated="2026-11-01")

    scores = dict(ranking({"old": old, "new": new}).search("engine", today=TODAY, limit=2))

    assert (scores["new"] > scores["old"]) is newest_wins
    assert scores["old"] > 0.95 * scores["new"]


def test_of_two_facts_the_newer_comes_first_though_the_older_says_a_little_more():
    notes = {
        "old": note(
            "Visitors are welcome on Mondays. Ring.", kind="semantic", updated="2024-02-01"
        ),
        "new": note(
            "Visitors are welcome on Fridays, from the yard. Ring.",
            kind="semantic",
            updated="2026-10-01",
        ),
    }

    assert found(notes, "when are visitors welcome") == ["new", "old"]
    assert found(notes, "when are visitors welcome", signals=replace(ALL, age=False))[0] == "old"


def test_a_mistyped_word_is_the_word_that_notes_have_and_only_so_many_are_looked_for():
    built = ranking({"a": note("The passport is here."), "b": note("Passports, planes.")})

    assert built.meant(["pasport", "plaen", "here"]) == ("passport", "plane", "here")
    unknown = [f"pasport{letter}" for letter in "abcdefghijkl"]
    assert sum(word == "passport" for word in built.meant([*unknown, "pasport"])) == 0
    assert found({"a": note("passport")}, "pasport", signals=replace(ALL, slips=False)) == []


def test_a_note_whose_title_is_the_question_comes_first():
    notes = {
        "visit": note("Some people came.", "Open house"),
        "after": note("Open house: thanked all. The open house was full.", "After the open house"),
    }

    assert found(notes, "open house")[0] == "visit"
    assert found(notes, "after the open house")[0] == "after"


@pytest.mark.parametrize("updated", ["", "yesterday", "2999-01-01", "2027-11-30"])
def test_a_strange_date_is_no_error(updated):
    assert found({"a": note("engine", updated=updated)}, "engine last week") == ["a"]


def test_a_named_note_comes_first_even_without_the_words():
    notes = {**MEMORY, "nickname": note(FILLER, "Somebody")}

    keys = found(notes, "first program", first=["nickname", "anna", "gone"])

    assert keys[:3] == ["nickname", "anna", "ada"]
    assert "nickname" not in found(
        notes, "first program", first=["nickname"], signals=replace(ALL, names=False)
    )


def test_scores_never_rise_down_the_list():
    hits = ranking(MEMORY).search("first program", today=TODAY, limit=9, first=["tile", "wifi"])

    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_one_passage_with_the_answer_beats_words_that_are_scattered():
    filler = "\n\n".join([FILLER * 3] * 3)
    notes = {
        "scattered": note(f"engine {FILLER}\n\n{filler}\n\nprogram {FILLER}\n\n{filler}\n\nbrass"),
        "together": note(f"{filler}\n\n{filler}\n\nbrass and program and engine\n\n{FILLER * 2}"),
    }
    query = "engine program brass"

    assert found(notes, query, signals=replace(NONE, passages=True))[0] == "together"
    assert found(notes, query, signals=NONE)[0] == "scattered"


def test_a_passage_counts_the_words_of_its_heading():
    notes = {
        "a": note(f"## Costs\n\nrent {FILLER * 6}\n\nflat {FILLER}"),
        "b": note(f"## Rent\n\ncosts {FILLER * 6}\n\nflat {FILLER}"),
    }

    assert found(notes, "rent flat", signals=replace(NONE, passages=True)) == ["b", "a"]


def test_words_that_are_neighbours_in_the_question_are_better_as_neighbours():
    notes = {
        "apart": note("garden of a friend and birthday party"),
        "pair": note("party of a friend in the garden birthday"),
    }

    assert found(notes, "party in the garden", signals=replace(NONE, pairs=True)) == [
        "apart",
        "pair",
    ]
    assert found(notes, "garden birthday", signals=replace(NONE, pairs=True)) == ["pair", "apart"]


def test_a_stop_word_does_not_part_neighbours():
    notes = {"b": note("first of the program"), "a": note("program of the first")}

    assert found(notes, "the first program", signals=replace(NONE, pairs=True)) == ["b", "a"]


DATED = {
    "spring": note("Call with Ben about the budget.", dates=("2024-03-11",)),
    "autumn": note("Call with Ben about the budget.", dates=("2025-09-12",)),
    "week": note("Took the bike to the shop.", dates=("2026-11-25",)),
    "log": note("## 2026-11-10\n\nFilled a tooth.", headings=("2026-11-10",)),
}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("what was the call with Ben in March 2024 about", "spring"),
        ("budget call in September 2025", "autumn"),
        ("call on 2024-03-11", "spring"),
        ("what did I do last week", "week"),
        ("what happened on Wednesday", "week"),
        ("what was on 10 November", "log"),
    ],
)
def test_a_date_in_the_question_finds_the_note_of_that_day(query, key):
    assert found(DATED, query)[0] == key


def test_dates_can_be_left_out():
    assert "week" not in found(DATED, "what did I do last week", signals=replace(ALL, dates=False))


def test_what_names_a_day_is_not_looked_for():
    assert ask("Ben last week", TODAY).words == ("ben",)
    assert ask("what did I do yesterday", TODAY).words == ()
    assert ask("what happened on 2024-03-11", TODAY).words == ()
    assert ask("weekly on Tuesday", TODAY).words == ("week",)


def test_words_that_name_a_day_are_looked_for_when_no_note_is_of_it():
    notes = {"a": note("The regatta is in May 2031."), "b": note("The last week of a regatta.")}

    assert found(notes, "May 2031") == ["a"]
    assert found(notes, "last week") == ["b"]


def test_a_note_of_the_day_comes_before_those_that_say_the_date_or_common_words():
    notes = {
        "says": note("Tuesdays are for cheese. What happens on 24 November 2026, happens."),
        "lunch": note("At the Thai place.", dates=("2026-11-24",)),
        "changed": note("Nothing.", updated="2026-11-24"),
        "made": note("Nothing.", created="2026-11-24"),
    }

    assert found(notes, "what happened on 2026-11-24")[:3] == ["lunch", "made", "changed"]
    assert found(notes, "what happened on 24 November 2026")[0] == "lunch"
    assert found(notes, "last Tuesday")[0] == "lunch"


def test_of_the_notes_of_a_day_those_with_the_words_come_first():
    notes = {
        "b": note("Took the bike to the shop.", dates=("2026-11-24",)),
        "a": note("Planned the holidays.", dates=("2026-11-24",)),
        "c": note("Planned holidays, all holidays.", dates=("2025-11-24",)),
    }

    assert found(notes, "holidays on 2026-11-24") == ["a", "c", "b"]


def test_a_day_also_counts_in_a_vault_that_has_notes_of_little_else():
    march = {f"n{day}": note("budget", dates=(f"2026-03-{day:02}",)) for day in range(1, 30)}
    notes = {**march, "plan": note("The budget, all of the budget.", "Plan")}

    assert found(notes, "budget")[0] == "plan"
    assert found(notes, "budget in March", limit=40)[-1] == "plan"


def test_what_only_asks_is_not_looked_for_beside_a_day():
    notes = {
        "day": note("长城。", dates=("2026-11-29",)),
        "says": note("什么时候发生了什么，谁也不知道。发生了很多。"),
    }

    assert found(notes, "昨天发生了什么") == ["day"]


KINDS = {
    "old": note("Blue it is, a decision.", "Paint", kind="decision", dates=("2026-02-01",)),
    "new": note("No plastic.", "Jacks", kind="decision", dates=("2026-11-01",)),
    "call": note("Paint, all paint.", "Paint call", kind="meeting"),
    "ben": note("Painter.", "Ben", kind="person"),
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("decisions", ["new", "old"]),
        ("list all the decisions", ["new", "old"]),
        ("alle Entscheidungen", ["new", "old"]),
        ("решения", ["new", "old"]),
        ("所有决定", ["new", "old"]),
        ("what did we decide in February 2026", ["old", "new"]),
    ],
)
def test_a_kind_word_brings_in_the_notes_of_that_kind_the_newest_first(query, expected):
    assert found(KINDS, query)[:2] == expected


def test_beside_other_words_a_kind_word_favours_its_kind_but_brings_in_no_others():
    assert found(KINDS, "what was decided about paint")[0] == "old"
    assert "new" not in found(KINDS, "what was decided about paint")
    assert found(KINDS, "what was decided about paint", signals=NONE)[0] == "call"


def test_a_kind_word_is_a_word_where_no_note_is_of_that_kind():
    notes = {"a": note("Talk of decisions."), "b": note("Nothing.")}

    assert found(notes, "decisions") == ["a"]


def test_open_tasks_are_asked_for_like_a_kind():
    notes = {
        "open": note("- [x] buy paint\n- [ ] paint the door"),
        "done": note("- [x] buy paint"),
        "talk": note("Tasks are never open for long."),
    }

    assert found(notes, "my open tasks")[0] == "open"
    assert "done" not in found(notes, "my open tasks")


def test_a_note_with_the_name_in_its_title_that_answers_far_better_comes_before_the_named_one():
    notes = {
        "company": note("Makes strings.", "Brightleaf", kind="company"),
        "portal": note("The budget is 4,200 euro.", "Brightleaf order portal", kind="project"),
        "anna": note("Works at Brightleaf.", "Anna", kind="person"),
        "other": note("The budget of the other project is 100.", "Other", kind="project"),
    }

    def keys(query):
        return found(notes, query, first=["company"])

    assert keys("how much is the budget for the Brightleaf project")[:2] == ["portal", "company"]
    assert keys("people at Brightleaf")[:2] == ["anna", "company"]
    assert keys("how much is the budget of Brightleaf")[:2] == ["portal", "company"]
    assert keys("what does Brightleaf make")[0] == "company"
    assert keys("Brightleaf order portal")[0] == "portal"
    assert keys("Brightleaf")[0] == "company"


def test_who_asks_by_an_alias_also_means_what_tells_of_the_title():
    notes = {
        "tomas": note("A buyer.", "Tomas Berg", kind="person", aliases=("Tom",)),
        "call": note("Tomas wants two stools.", "Call"),
        "other": note("Nothing of stools.", "Other"),
    }

    assert found(notes, "Tom", first=["tomas"]) == ["tomas", "call"]
    assert found(notes, "Berg", first=["tomas"]) == ["tomas"]


def test_a_note_of_the_named_day_with_the_name_in_it_comes_before_the_named_one():
    notes = {
        "hanna": note("Builds actions.", "Hanna", kind="person"),
        "lunch": note("Thai food with Hanna.", "Lunch", dates=("2026-11-18",)),
    }

    assert found(notes, "Hanna on 18 November", first=["hanna"]) == ["lunch", "hanna"]
    assert found(notes, "Hanna and food", first=["hanna"]) == ["hanna", "lunch"]


def test_what_is_far_below_the_best_and_shares_only_common_words_is_left_out():
    filler = {f"f{number}": note(f"{FILLER * 4} work {number}") for number in range(30)}
    notes = {
        **filler,
        "best": note(
            "The harpsichord varnish dries while we work, dark varnish, harpsichord work."
        ),
        "second": note(f"{FILLER * 4} varnish"),
    }

    keys = found(notes, "work harpsichord varnish dark dries", limit=10)

    assert keys == ["best", "second"]


def test_extra_scores_lift_a_note_and_can_bring_one_in():
    extra = {"tile": 1.0, "anna": 0.2}

    keys = found(MEMORY, "first program", extra=extra)

    assert keys.index("tile") < keys.index("anna")
    assert "tile" not in found(MEMORY, "first program")


def test_a_long_question_is_answered_by_its_rarest_words():
    common = [f"common{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(100)]
    notes = {f"n{number}": note(" ".join(common)) for number in range(3)}

    keys = found({**notes, "rare": note("zeppelin")}, " ".join([*common, "zeppelin"]))

    assert "rare" in keys


def test_the_pool_keeps_the_best_and_those_that_are_asked_for():
    scores = {"a": 1.0, "b": 3.0, "c": 2.0, "d": 2.0}

    assert pool(DictScores(scores, {}), ["z"], size=2) == {"b": 3.0, "c": 2.0, "z": 0.0}
    assert pool(DictScores({}, {}), size=2) == {}


def test_a_dropped_note_is_found_no_more():
    index = ranking(MEMORY)

    index.drop("ada")
    index.drop("never there")

    assert "ada" not in [hit.key for hit in index.search("first program", today=TODAY, limit=9)]
    assert "ada" not in index
    assert len(index) == len(MEMORY) - 1


def test_a_replaced_note_is_found_by_its_new_words_only():
    index = ranking(MEMORY)

    index.put("ada", note("Rides horses."))

    assert index.search("horse", today=TODAY, limit=1)[0].key == "ada"
    assert not index.first_stage(query_words("Lovelace")).get("ada")


terms = ("engine", "program", "brass", "gear", "the", "北京", "v2.1", "e-mail", "2024-03-05")
texts = st.lists(st.sampled_from(terms)).map(" ".join)
documents = st.builds(
    Document,
    title=texts,
    aliases=st.lists(texts, max_size=2).map(tuple),
    tags=st.lists(texts, max_size=2).map(tuple),
    headings=st.lists(texts, max_size=2).map(tuple),
    body=texts,
    status=st.sampled_from(["", "archived"]),
    updated=st.sampled_from(["", "2024-03-05", "2026-01-01"]),
)
steps = st.tuples(st.sampled_from("abcde"), st.none() | documents)


@given(st.lists(steps, max_size=12), texts)
@settings(max_examples=150, deadline=None)
def test_after_any_history_the_scores_are_those_of_an_index_built_anew(history, query):
    index, last = HeldRanking(), {}
    for key, document in history:
        if document is None:
            index.drop(key)
            last.pop(key, None)
        else:
            index.put(key, document)
            last[key] = document

    anew = ranking(dict(sorted(last.items())))

    words = query_words(query)
    found, expected = index.first_stage(words), anew.first_stage(words)
    assert found.best(9) == expected.best(9)
    assert [found.get(key) for key in last] == [expected.get(key) for key in last]
    assert index.search(query, today=TODAY, limit=5) == anew.search(query, today=TODAY, limit=5)


def test_a_posting_may_grow_while_it_is_read():
    postings = {"engine": {"a": 1.0, "b": 1.0}}

    class WriterBetweenTwoSteps(dict):
        def get(self, key, default=None):
            postings["engine"][f"new {key}"] = 1.0
            return super().get(key, default)

    scores = bm25.scores({"engine": 1.0}, postings, WriterBetweenTwoSteps(a=1.0, b=1.0), 1.0)

    assert scores.keys() == {"a", "b"}


def test_readers_are_not_disturbed_by_a_writer():
    index = ranking(MEMORY)
    errors = []

    def read():
        try:
            for _ in range(150):
                index.search("who wrote the first engine program in 2024", today=TODAY, limit=5)
        except RuntimeError as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    number = 0
    while any(reader.is_alive() for reader in readers):
        number += 1
        index.put(f"n{number % 50}", note(f"first program {number}", dates=("2024-03-05",)))
        index.drop(f"n{(number + 25) % 50}")

    assert errors == []
