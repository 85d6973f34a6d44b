"""Stop words: what a question says in every language, and no note is found by."""

from __future__ import annotations

from collections.abc import Iterable

from echo_memory.text import fold

_ENGLISH = """
a about all also am an and any are as at be been being but by can cant could couldnt did didnt do
does doesnt doing dont for from had has have having he her hers him his how hows i if im in into is
isnt it its ive just many me might mine more most much must my no not of on only or other our ours
own please same shall she should so some such tell than that thats the their theirs them then there
these they this those to too us very was wasnt we were what whats when where wheres which who whom
whos whose why will with wont would you your yours
"""
STOP_WORDS = frozenset(_ENGLISH.split())

_OTHERS = (
    """
    aber alle als am an auch auf aus bei beim bin bis da das dass dem den denn der des die dies dir
    du ein eine einem einen einer er es für gab gibt hat hatte hatten habe haben ich ihm ihn ihr im
    in ist ja kann mein meine mich mir mit nach nicht noch nur oder sein seine sich sie sind so über
    um und uns unser vom von vor war waren wann warum was welche welcher wem wen wer wie wir wird wo
    wurde wurden zu zum zur
    """,
    """
    à ai as au aux avec avons c ce ces cette comment d dans de des du elle en est et était eu il ils
    j je l la le les leur lui m ma mais me mes moi mon n ne nous on ou où par pas pour quand qu que
    quel quelle quels qui quoi s sa se ses son sont sur t ta te tu un une vous
    """,
    """
    al como con cuál cuándo de del dónde el ella en era es está fue ha hay he la las lo los me mi
    mis muy no nos o para pero por qué que quién se ser si sin son su sus te tu un una y ya yo
    """,
    """
    а без бы был была были было в вас вы где для до его ее её если есть ещё же за и из или им их
    к как какая какие какой когда кто куда ли мне меня мы на над не него нет но о об он она они от
    по почему при про с со так там то тот ты у что чтобы эта это этот я мой моя мои
    """,
)
_LANGUAGES = tuple(frozenset(map(fold, words.split())) for words in _OTHERS)
_IS_SURE = 2


def stop_words_of(words: Iterable[str]) -> frozenset[str]:
    """The stop words of the languages that a question may be in: English, and those it shows.

    Many stop words of one language are words of another ("die", "war", "son"), so that they are
    left out only beside others of the same language, or where nothing else is asked, as in "le 18
    novembre" once the day is read; Cyrillic ones are nothing else.
    """
    asked = set(words)
    found = STOP_WORDS
    for language in _LANGUAGES:
        said = asked & language
        is_sure = len(said) >= _IS_SURE or (said and said == asked)
        if is_sure or any("а" <= word[0] <= "я" for word in said):
            found |= language
    return found
