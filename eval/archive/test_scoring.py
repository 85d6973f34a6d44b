"""What words weigh together, and the order of what holds them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echo_archive.scoring import by_score, weighed

_WEIGHTS = (0.5, 1.25, 2.0, 3.5)
_ROW_IDS = st.lists(st.integers(0, 30), unique=True)
_LISTS = st.fixed_dictionaries(
    {(number,): _ROW_IDS for number in range(4)}, optional={(0, 1): _ROW_IDS, (0, 1, 2): _ROW_IDS}
).map(lambda lists: dict(sorted(lists.items(), key=lambda one: len(one[0]))))


@given(_LISTS)
def test_a_message_weighs_its_words_but_at_least_what_it_holds_together(
    lists: dict[tuple[int, ...], list[int]],
) -> None:
    scores = weighed(lists, _WEIGHTS)

    alone = {
        row_id: sum(_WEIGHTS[number] for number in range(4) if row_id in lists[number,])
        for row_ids in lists.values()
        for row_id in row_ids
    }
    together = {
        row_id: max(
            [sum(_WEIGHTS[one] for one in group) for group in lists if row_id in lists[group]]
        )
        for row_id in alone
    }
    assert scores == {row_id: max(alone[row_id], together[row_id]) for row_id in alone}


@given(st.dictionaries(st.integers(), st.sampled_from(_WEIGHTS)))
def test_the_best_come_first_and_of_equal_ones_the_newest(scores: dict[int, float]) -> None:
    assert by_score(scores) == sorted(scores.items(), key=lambda hit: (-hit[1], -hit[0]))
