"""The evaluation of mcp_eval.xml: its answers are there, and only by way of several tools."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from quality.run_eval import Call, Outcome, Question, line, outcome, questions, run


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Outcome]:
    """What came of all questions, asked of a server."""
    return run(tmp_path_factory.mktemp("evaluation"))


def test_every_answer_is_reached_by_the_calls_beside_it_and_by_no_single_one(
    outcomes: Sequence[Outcome],
) -> None:
    said = {one.question.text: line(one) for one in outcomes}

    assert set(said.values()) == {"reached"}
    assert len(said) == 10


def test_ten_questions_have_one_answer_each_and_take_several_calls() -> None:
    asked = questions()

    assert len(asked) == 10
    assert all(one.text and all(one.answer) and len(one.calls) >= 2 for one in asked)
    assert len({call.tool for one in asked for call in one.calls}) >= 5


RECALL = Call("echo_recall", {"query": "glass"})
READ = Call("echo_get_note", {"path": "lamp"})
QUESTION = Question("Who has the lamp of glass?", ("Ada",), (RECALL, READ))
TOLD, ANSWER = {"ok": True, "found": "[[lamp]]"}, {"ok": True, "content": "It is Ada's."}


@pytest.mark.parametrize(
    ("returned", "fault"),
    [
        ([TOLD, {"ok": True, "content": "nobody"}], "not returned: Ada"),
        ([ANSWER, TOLD], "answers it alone: echo_recall {'query': 'glass'}"),
        ([TOLD, {**ANSWER, "ok": False}], "refused: echo_get_note {'path': 'lamp'}"),
        ([{"ok": True}, ANSWER], "no call before told the path: {'path': 'lamp'}"),
    ],
)
def test_what_does_not_lead_to_the_answer_is_said(
    returned: list[dict[str, object]], fault: str
) -> None:
    assert fault in line(outcome(QUESTION, returned))


def test_an_answer_that_had_to_be_looked_for_twice_is_reached() -> None:
    hidden = Question("Who has it?", ("Ada",), (RECALL, READ))

    assert line(outcome(hidden, [TOLD, ANSWER])) == "reached"
