"""Days that a question names, as seen from Monday 30 November 2026."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory.retrieval.dates import Calendar, Span, is_named, spans

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
    ("question", "said"),
    [
        ("Ben last week", "last week"),
        ("Ben last Monday", "last"),
        ("Ben on 5 October", "5"),
        ("Ben in September 2024", ""),
    ],
)
def test_words_that_only_point_to_a_day_are_told_apart(question, said):
    (span,) = spans(question, TODAY)

    assert question[slice(*span.said)] == said


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


def test_a_calendar_knows_who_is_of_a_day_until_it_is_dropped():
    calendar = Calendar()
    calendar.put("a", ["2026-11-24", "2026-01-01"])
    calendar.put("b", ["2026-11-24"])
    calendar.drop("a", ["2026-11-24"])

    assert calendar.within([Span("2026-11-23", "2026-11-29")]) == {"b"}
    assert calendar.within([Span("2026-01-01", "2026-12-31")]) == {"a", "b"}
    assert calendar.within([]) == set()


def test_both_ends_of_a_span_belong_to_it():
    week = [Span("2026-11-23", "2026-11-29")]

    days = ["2026-11-22", "2026-11-23", "2026-11-29", "2026-11-30"]

    assert [is_named(day, week) for day in days] == [False, True, True, False]
