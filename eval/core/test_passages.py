"""Passages of a note, and the excerpt that answers a question."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.retrieval.documents import Document
from echo_memory.retrieval.excerpts import excerpt
from echo_memory.retrieval.passages import MAX_PASSAGE, MAX_READ, passages
from echo_memory.retrieval.reading import reading
from echo_memory.retrieval.words import query_words

NOTE = """# Ada Lovelace

English mathematician, born in London on the 10th. She was taught at home by her mother's friends.

## Work

In her notes on the Analytical Engine she wrote the first program, e.g. for Bernoulli numbers. \
Dr. Menabrea's article had none. She saw what the engine could do beyond numbers.

## Family

Her children:

- Byron, who went to sea

- Anne, who bred horses
  in the desert
- Ralph

## Code

```python
engine = Engine()

# not a heading
engine.run()
```

## Log

### 2024-03-05

Found her letters in the archive. The reading room opens at nine, and photographs are allowed.
"""
SENTENCE = "The engine weaves algebraic patterns just as the loom weaves flowers and leaves. "

blocks = st.sampled_from(
    (
        *("# T\n", "## H\n", "\n", "text. More", "- item\n", "| a | b |\n", "```\n", "  "),
        *("intro:\n", "\r\n", "x" * 600, "人。" * 300, SENTENCE * 8, "word " * 200),
        "- row\n" * 150,
    )
)
bodies = st.lists(blocks, max_size=12).map("".join)


def shown(body):
    return [body[passage.start : passage.end] for passage in passages(body)]


def test_a_heading_belongs_to_the_passage_below_it_and_names_the_next_ones():
    body = f"## Price\n\n{SENTENCE * 3}\n\n{SENTENCE * 3}\n"

    first, second = passages(body)

    assert body[first.start :].startswith("## Price\n\nThe engine")
    assert (first.heading, second.heading) == ("", "Price")


def test_every_piece_of_a_long_paragraph_stands_under_its_heading():
    found = passages(f"## Price\n\n{SENTENCE * 15}")

    assert [passage.heading for passage in found] == ["", "Price", "Price"]


def test_a_list_stays_together_with_its_introduction():
    assert (
        "## Family\n\nHer children:\n\n- Byron, who went to sea\n\n"
        "- Anne, who bred horses\n  in the desert\n- Ralph"
    ) in shown(NOTE)


def test_items_with_blank_lines_between_them_stay_together():
    items = "\n\n".join(f"{number}. {SENTENCE * 2}".strip() for number in range(1, 3))

    assert shown(f"{SENTENCE * 2}\n\n{items}\n\n{SENTENCE * 2}")[1] == items


def test_a_long_introduction_stays_with_what_it_introduces():
    introduction = f"{SENTENCE}{SENTENCE[:-2]}:"

    assert shown(f"{introduction}\n\n{SENTENCE}") == [f"{introduction}\n\n{SENTENCE.strip()}"]


def test_a_table_stays_together():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20

    assert shown(f"{SENTENCE * 2}\n\n{table}\n\n{SENTENCE * 2}")[1] == table.strip()


def test_a_comment_in_a_code_block_is_no_heading():
    assert [passage.heading for passage in passages(NOTE)].count("not a heading") == 0
    code = "```python\nengine = Engine()\n\n# not a heading\nengine.run()\n```"
    assert any(code in text for text in shown(NOTE))


def test_a_long_paragraph_is_cut_at_the_ends_of_sentences():
    texts = shown(SENTENCE * 20)

    assert len(texts) > 2
    assert all(text.startswith("The engine") and text.endswith("leaves.") for text in texts)


def test_a_long_list_is_cut_between_its_items():
    texts = shown("- one item. With two sentences\n" * 60)

    assert all(text.startswith("- one") and text.endswith("sentences") for text in texts)


@pytest.mark.parametrize("stop", ["Dr. Weiss", "e.g. this", "J. Smith", "vs. that", "end. lower"])
def test_an_abbreviation_ends_no_sentence(stop):
    text = f"{'A word or two ' * 20}with {stop} {'and so on ' * 25}"

    assert all(not part.endswith(stop.split()[0]) for part in shown(text))


def test_what_has_no_sentences_is_cut_between_words():
    texts = shown("seven " * 500)

    assert all(set(text.split()) == {"seven"} for text in texts)


def test_short_remarks_are_taken_together():
    assert len(passages("One.\n\nTwo.\n\nThree.\n")) == 1


@given(bodies)
@settings(max_examples=150, deadline=None)
def test_passages_hold_the_whole_text_in_order_and_are_short(body):
    found = passages(body)

    assert "".join("".join(shown(body)).split()) == "".join(body.split())
    assert all(0 < passage.end - passage.start <= MAX_PASSAGE for passage in found)
    assert all(one.end <= next_.start for one, next_ in pairwise(found))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who wrote the first program", "she wrote the first program"),
        ("which child bred horses", "- Anne, who bred horses"),
        ("when does the reading room open", "opens at nine"),
        ("how do I run the engine in code", "engine.run()"),
        ("who taught her", "taught at home"),
    ],
)
@pytest.mark.parametrize("max_chars", [130, 300])
def test_an_excerpt_answers_the_question(question, answer, max_chars):
    text = excerpt(NOTE, query_words(question), max_chars)

    assert answer in text


def test_a_passage_is_also_found_by_the_heading_that_it_stands_under():
    body = "\n\n".join(
        f"## {title}\n\n{SENTENCE * 3}\n\nThe rent is {rent}. {SENTENCE * 3}"
        for title, rent in (("Office", 900), ("Flat", 700), ("Garage", 80))
    )

    text = excerpt(body, query_words("rent of the flat"), 262)

    assert "The rent is 700." in text


def test_a_note_that_fits_is_shown_whole():
    assert excerpt("\n# T\n\nAll of it.\n", ["t"], 100) == "# T\n\nAll of it."


def test_a_question_without_an_answer_shows_the_beginning():
    text = excerpt(NOTE, query_words("submarine"), 120)

    assert text.startswith("# Ada Lovelace")


def test_an_excerpt_ends_at_the_end_of_a_sentence():
    text = excerpt(SENTENCE * 20, ["loom"], 200)

    assert text == (SENTENCE * 2).strip()


def test_an_excerpt_takes_its_neighbours_while_there_is_room():
    body = "\n\n".join(f"Part {number}. {SENTENCE * 3}" for number in range(9))

    text = excerpt(body, query_words("part 4"), 800)

    assert "Part 3." in text
    assert "Part 4." in text
    assert "Part 5." in text


@pytest.mark.parametrize("room", range(60, 200, 7))
def test_an_excerpt_does_not_end_in_a_heading_or_an_introduction(room):
    body = f"Needle.\n\n## Next\n\nThe following:\n\n- {'x' * 300}\n"

    text = excerpt(body, ["needl"], room)

    assert text == "Needle."


@given(bodies, st.integers(-1, 700))
@settings(max_examples=150, deadline=None)
def test_an_excerpt_keeps_its_budget_and_is_a_part_of_the_note(body, max_chars):
    text = excerpt(body, ["loom", "word"], max_chars)

    assert len(text) <= max(0, max_chars)
    assert text in body


@given(bodies, st.integers(50, 700))
@settings(max_examples=80, deadline=None)
def test_an_excerpt_is_the_same_when_what_its_passages_say_is_known(body, max_chars):
    known = reading(Document("The loom", body=body), body)

    text = excerpt(body, ["loom", "word"], max_chars, title="The loom", lines=known.lines)

    assert text == excerpt(body, ["loom", "word"], max_chars, title="The loom")


def test_what_stands_above_all_headings_stands_under_the_title():
    body = f"It is 900. {SENTENCE * 5}\n\n## Price\n\nIt is 900, and 900 it was. {SENTENCE * 5}"

    assert excerpt(body, ["jacquard", "900"], 300, title="Jacquard").startswith("It is 900. The")
    assert "900 it was" in excerpt(body, ["jacquard", "900"], 300)


@pytest.mark.parametrize(
    "body",
    [
        *("x" * 300_000, "." * 300_000, ".) " * 100_000, "- a\n" * 50_000, "x\n\n" * 50_000),
        *("```\n" * 50_000, "\n" * 300_000, "a:\n\n" * 50_000, "#" * 300_000),
        " " * 300_000 + "x",
    ],
)
def test_a_monstrous_note_has_passages(body):
    text = excerpt(body, ["x"], 100)

    assert len(text) <= 100
    assert "".join("".join(shown(body)).split()) == "".join(body.split())


def test_of_a_long_note_a_place_far_down_is_shown_if_its_beginning_has_none_of_the_words() -> None:
    filler = "It rains all day long.\n\n" * (MAX_READ // 20)
    body = f"{filler}The loom broke in May.\n\n{filler}"

    assert "The loom broke in May." in excerpt(body, ["loom"], 200)


def test_of_a_long_note_the_beginning_is_shown_if_it_has_any_of_the_words() -> None:
    filler = "It rains all day long.\n\n" * (MAX_READ // 20)
    body = f"The loom is new.\n\n{filler}The loom broke in May.\n\n{filler}"

    assert "The loom is new." in excerpt(body, ["loom", "broke"], 200)
