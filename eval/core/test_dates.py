"""Days that a question names, as seen from Monday 30 November 2026."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory.retrieval.calendar import Calendar
from echo_memory.retrieval.dates import Span, is_named, spans

TODAY = date(2026, 11, 30)
PHRASES = (
    *("last", "next", "this", "3", "5th", "of", "March", "may", "2024", "-", "."),
    *("week", "days", "ago", "since", "friday"),
)


def named(question, today=TODAY):
    return [(span.first, span.last) for span in spans(question, today)]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what happened on 2024-03-05?", "2024-03-05", "2024-03-05"),
        ("call on 5.3.2024", "2024-03-05", "2024-03-05"),
        ("budget of 2024-03", "2024-03-01", "2024-03-31"),
        ("in March 2024", "2024-03-01", "2024-03-31"),
        ("in Feb. 2024", "2024-02-01", "2024-02-29"),
        ("on 5th of March, 2024", "2024-03-05", "2024-03-05"),
        ("on March 5, 2024", "2024-03-05", "2024-03-05"),
        ("on 5 october", "2026-10-05", "2026-10-05"),
        ("in September", "2026-09-01", "2026-09-30"),
        ("last November", "2025-11-01", "2025-11-30"),
        ("next March", "2027-03-01", "2027-03-31"),
        ("this November", "2026-11-01", "2026-11-30"),
        ("the 2024 budget", "2024-01-01", "2024-12-31"),
        ("today", "2026-11-30", "2026-11-30"),
        ("yesterday", "2026-11-29", "2026-11-29"),
        ("the day before yesterday", "2026-11-28", "2026-11-28"),
        ("tomorrow", "2026-12-01", "2026-12-01"),
        ("last week", "2026-11-23", "2026-11-29"),
        ("this week", "2026-11-30", "2026-12-06"),
        ("next month", "2026-12-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("the past week", "2026-11-23", "2026-11-30"),
        ("in the last 3 days", "2026-11-27", "2026-11-30"),
        ("two weeks ago", "2026-11-16", "2026-11-22"),
        ("a month ago", "2026-10-01", "2026-10-31"),
        ("2 days ago", "2026-11-28", "2026-11-28"),
        ("ten days ago", "2026-11-19", "2026-11-21"),
        ("last weekend", "2026-11-28", "2026-11-29"),
        ("last Monday", "2026-11-23", "2026-11-23"),
        ("last friday", "2026-11-27", "2026-11-27"),
        ("next Friday", "2026-12-04", "2026-12-04"),
        ("this Friday", "2026-12-04", "2026-12-04"),
        ("since September", "2026-09-01", "2026-11-30"),
        ("since last week", "2026-11-23", "2026-11-30"),
    ],
)
def test_a_question_names_days(question, first, last):
    assert named(question) == [(first, last)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("on Tuesday", [("2026-11-24", "2026-11-24"), ("2026-12-01", "2026-12-01")]),
        ("on 5 December", [("2025-12-05", "2025-12-05"), ("2026-12-05", "2026-12-05")]),
        ("June and July", [("2026-06-01", "2026-06-30"), ("2026-07-01", "2026-07-31")]),
    ],
)
def test_a_question_may_name_more_than_one_time(question, expected):
    assert named(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "who wrote the first program",
        "May I come in",
        "how do we march on",
        "sat in the sun",
        "version 2024.1",
        "room 2024a",
        "31 Foo",
        "10.0.0.1",
        "2024-13-45",
        "",
    ],
)
def test_a_question_may_name_no_day(question):
    assert named(question) == []


def test_a_month_that_is_a_verb_needs_a_cue():
    assert named("in may") == named("what was decided in May") != []


@pytest.mark.parametrize(
    ("question", "said", "literal"),
    [
        ("Ben last week", "last week", False),
        ("Ben last Monday", "last Monday", False),
        ("Ben on 5 October", "5 October", True),
        ("Ben in September 2024", "September 2024", True),
        ("Ben on 2024-09-01", "2024-09-01", True),
        ("the 2024 budget", "", False),
    ],
)
def test_the_words_that_name_a_day_are_told_apart(question, said, literal):
    (span,) = spans(question, TODAY)

    assert (question[slice(*span.said)], span.literal) == (said, literal)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Was war gestern?", "2026-11-29", "2026-11-29"),
        ("am 24. November", "2026-11-24", "2026-11-24"),
        ("am 24.11. beim Arzt", "2026-11-24", "2026-11-24"),
        ("letzte Woche", "2026-11-23", "2026-11-29"),
        ("nächsten Montag", "2026-12-07", "2026-12-07"),
        ("vor zwei Wochen", "2026-11-16", "2026-11-22"),
        ("im März 2025", "2025-03-01", "2025-03-31"),
        ("que s’est-il passé hier", "2026-11-29", "2026-11-29"),
        ("le 18 novembre", "2026-11-18", "2026-11-18"),
        ("la semaine prochaine", "2026-12-07", "2026-12-13"),
        ("¿qué pasó ayer?", "2026-11-29", "2026-11-29"),
        ("el 21 de noviembre de 2025", "2025-11-21", "2025-11-21"),
        ("el mes pasado", "2026-10-01", "2026-10-31"),
        ("что было вчера", "2026-11-29", "2026-11-29"),
        ("26 ноября 2025", "2025-11-26", "2025-11-26"),
        ("на прошлой неделе", "2026-11-23", "2026-11-29"),
        ("昨天发生了什么", "2026-11-29", "2026-11-29"),
        ("11月24日", "2026-11-24", "2026-11-24"),
        ("2025年3月の会議", "2025-03-01", "2025-03-31"),
        ("昨日は何を", "2026-11-29", "2026-11-29"),
        ("先週", "2026-11-23", "2026-11-29"),
        ("下个月", "2026-12-01", "2026-12-31"),
        ("3天前", "2026-11-27", "2026-11-27"),
    ],
)
def test_days_are_named_in_other_languages_too(question, first, last):
    assert named(question) == [(first, last)]


@pytest.mark.parametrize("question", ["was ist hier los", "der Mai", "mars has two moons", "моя"])
def test_a_word_of_one_language_is_no_day_of_another(question):
    assert named(question) == []


@pytest.mark.parametrize("today", [date.min, date.max])
@pytest.mark.parametrize(
    "question", ["yesterday, next week", "999 years ago", "in March", "next day"]
)
def test_the_ends_of_the_calendar_are_no_error(question, today):
    assert all(span.first <= span.last for span in spans(question, today))


@given(
    st.lists(st.sampled_from(PHRASES)).map(" ".join),
    st.dates(),
)
def test_any_mix_of_such_words_gives_whole_spans(question, today):
    for span in spans(question, today):
        start, end = span.said
        assert span.first <= span.last
        assert 0 <= start <= end <= len(question)


def test_a_calendar_knows_who_is_of_a_day_and_how_much_until_it_is_dropped():
    calendar = Calendar()
    calendar.put("a", [("2026-11-24", 1.0), ("2026-01-01", 0.5)])
    calendar.put("b", [("2026-11-24", 0.3), ("2026-11-25", 0.6)])
    calendar.drop("a", [("2026-11-24", 1.0)])

    assert calendar.within([Span("2026-11-23", "2026-11-29")]) == {"b": 0.6}
    assert calendar.within([Span("2026-01-01", "2026-12-31")]) == {"a": 0.5, "b": 0.6}
    assert calendar.within([]) == {}


def test_both_ends_of_a_span_belong_to_it():
    week = [Span("2026-11-23", "2026-11-29")]

    days = ["2026-11-22", "2026-11-23", "2026-11-29", "2026-11-30"]

    assert [is_named(day, week) for day in days] == [False, True, True, False]
