"""A question: the words to look for, and the days and kinds of notes that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from echo_memory.retrieval.dates import Span, spans
from echo_memory.retrieval.kinds import kind_words
from echo_memory.retrieval.words import query_words, telling_words, words

# Beside a day or a kind these only ask for what there is; alone they may be what is looked for.
_ASKING = frozenset(
    word
    for text in (
        "happen happened happening occurred going list show give find every each open current",
        "since until during before after between new recent latest newest exist know got get",
        "everything anything something thing things",
        "alle alles zeige zeig liste passiert geschehen los tous toutes passé todas todos pasó",
        "все всё произошло случилось покажи",
    )
    for word in words(text)
)
_ASKING_UNSPACED = re.compile(
    "发生了什么|有什么|什么|哪些|哪里|去了|所有|列出|的|何|すべて|ありましたか|をしましたか"
    "|しましたか|ですか|の|は|を|が"
)
# By these one asks for what is no longer so.
_PAST = re.compile(
    r"\b(?:old|older|former|formerly|earlier|previous|previously|before|until|originally|used to"
    r"|alte[nrsm]?|früher\w*|vorher\w*|vorig\w*|ehemalig\w*|bisherig\w*"
    r"|ancien\w*|avant|auparavant|précédent\w*|antes|antigu[oa]s?|anterior(?:es)?"
    r"|раньше|прежн\w+|бывш\w+|стар(?:ый|ая|ое|ые|ого|ой))\b|以前|之前|原来|从前|前の|旧",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Question:
    """A question taken apart.

    Attributes:
        words: what to look for.
        spans: the days that it names.
        kinds: the kinds of notes that it asks for.
        date_words: words that name the days, and that a note may say, too.
        kind_words: words that name the kinds.
        said: every word of it.
        is_of_past: whether it asks for what is no longer so.
    """

    words: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    kinds: frozenset[str] = frozenset()
    date_words: tuple[str, ...] = ()
    kind_words: tuple[str, ...] = ()
    said: frozenset[str] = frozenset()
    is_of_past: bool = False


@lru_cache(maxsize=64)
def ask(query: str, today: date, *, dates: bool = True, kinds: bool = True) -> Question:
    """Take a question apart.

    What names a day or a kind is not among the words to look for, and neither are, beside it, words
    that only ask what there is. Of a question of nothing but stop words these are looked for.

    Args:
        query: the question.
        today: what "last week" is counted from.
        dates: whether to read the days that it names.
        kinds: whether to read the kinds that it names.
    """
    named = spans(query, today) if dates else []
    rest = _without(query, (span.said for span in named))
    asked_kinds = kind_words(rest) if kinds else []
    found = [(word.start, word.end) for word in asked_kinds]
    kind_stems = [stem for start, end in found for stem in words(rest[start:end])]
    rest = _without(rest, found)
    if named or asked_kinds:
        rest = _ASKING_UNSPACED.sub(lambda match: " " * len(match[0]), rest)
        asked = [word for word in telling_words(rest) if word not in _ASKING]
    else:
        asked = query_words(query)
    literal = {span.said for span in named if span.literal}
    return Question(
        words=tuple(asked),
        spans=tuple(named),
        kinds=frozenset(word.kind for word in asked_kinds),
        date_words=tuple(_date_words(query[start:end] for start, end in sorted(literal))),
        kind_words=tuple(kind_stems),
        said=frozenset(words(query)),
        is_of_past=_PAST.search(query) is not None,
    )


def _without(query: str, ranges: Iterable[tuple[int, int]]) -> str:
    for start, end in set(ranges):
        query = query[:start] + " " * (end - start) + query[end:]
    return query


def _date_words(said: Iterable[str]) -> list[str]:
    """Of "2026-11-17" the whole, for its month and year say less; of "17 November" both words."""
    return [word for text in said for token in text.split() for word in words(token)[:1]]
