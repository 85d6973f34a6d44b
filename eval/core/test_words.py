"""Words and their stems: a question gets the same words as the text that answers it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.retrieval.stems import stem
from echo_memory.retrieval.words import MAX_WORD, query_words, telling_words, words


@pytest.mark.parametrize(
    "forms",
    [
        "study studies studied studying",
        "write writes wrote written writing",
        "buy buys bought buying",
        "run runs ran running",
        "use uses used using",
        "note notes noted noting",
        "make makes made making",
        "plan plans planned planning",
        "family families",
        "movie movies",
        "try tries tried trying",
        "die dies died dying",
        "reply replies replied",
        "agree agrees agreed agreeing",
        "house houses",
        "box boxes",
        "bus buses",
        "class classes",
        "quiz quizzes",
        "week weeks weekly",
        "final finally",
        "child children",
        "programme programs programmed programming program",
        "travel travelled traveled travelling",
        "organise organizes organised organizing",
        "neighbour neighbors",
        "lens lenses",
        "exceed exceeded",
    ],
)
def test_the_forms_of_an_english_word_have_one_stem(forms):
    stems = {stem(form) for form in forms.split()}

    assert len(stems) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("note", "not"),
        ("plane", "plan"),
        ("site", "sit"),
        ("care", "car"),
        ("theme", "them"),
        ("wine", "win"),
        ("news", "new"),
        ("string", "str"),
        ("speed", "spe"),
        ("found", "founded"),
        ("this", "thi"),
        ("status", "statu"),
        ("july", "ju"),
        ("evening", "even"),
    ],
)
def test_words_that_only_look_alike_keep_their_own_stems(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snake_case", ["snake_case", "snake", "case"]),
        ("camelCase", ["camelcas", "camel", "case"]),
        ("PostgreSQL", ["postgresql", "postgr", "sql"]),
        ("v2.1", ["v2.1", "2.1", "v2", "1"]),
        ("e-mail", ["email", "e", "mail"]),
        ("C++ and C# and C", ["c++", "c", "and", "c#", "c", "and", "c"]),
        ("C++17", ["c", "17"]),
        ("COVID-19", ["covid19", "covid", "19"]),
        ("aBcDeFgHiJkLmNoPqRs", ["abcdefghijklmnopqr"]),
        ("room12", ["room12", "room", "12"]),
        ("PDFs", ["pdf"]),
        ("U.S.A.", ["usa"]),
        ("192.168.1.10", ["192.168.1.10", "192", "168", "1", "10"]),
        ("1,000", ["1000", "1", "000"]),
        ("10:30", ["10:30", "10", "30"]),
        ("2024-03-05", ["2024-03-05", "2024-03", "2024"]),
        ("555-1234", ["5551234", "555", "1234"]),
        ("O'Brien", ["obrien", "o", "brien"]),
        ("Anna's", ["anna"]),
        ("Anna’s", ["anna"]),
        ("don't", ["do"]),
        ("__init__", ["init"]),
        ("[[ada-lovelace|Ada]]", ["adalovelac", "ada", "lovelac", "ada"]),
    ],
)
def test_an_identifier_is_a_word_and_gives_its_parts(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ærø Łódź naïve STRASSE Straße", ["aero", "lodz", "naiv", "stras", "stras"]),
        ("e\u0301cole", ["ecol"]),
        ("Ёлка елка", ["елк", "елк"]),
        ("हिन्दी", ["हिन्दी"]),
        ("مُحَمَّد", ["محمد"]),
        ("Ａ１", ["a1"]),
        ("п'ять п’ять", ["пят", "п", "ять", "пят", "п", "ять"]),
    ],
)
def test_words_are_folded_as_names_are(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("北京大学", ["北京", "京大", "大学", "北", "京", "大", "学"]),
        ("人", ["人"]),
        ("iPhone手机", ["iphon", "手机", "手", "机"]),
        ("ｶﾞｷﾞ", ["ガギ", "ガ", "ギ"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", ["한국", "한", "국"]),
    ],
)
def test_scripts_without_spaces_give_pairs_and_single_characters(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🎉🎉", ["🎉", "🎉"]),
        ("👍🏽", ["👍"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("❤️", ["❤"]),
        ("👩‍👧", ["👩", "👧"]),
        ("done✅", ["done", "✅"]),
    ],
)
def test_an_emoji_is_a_word(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("who wrote the first program", ["write", "first", "program"]),
        ("What's Anna's birthday?", ["anna", "birthdai"]),
        ("who is it", ["who", "is", "it"]),
        ("When did Will call the US office?", ["wil", "cal", "us", "offic"]),
        ("state-of-the-art", ["state", "art"]),
        ("什么是北京", ["什么", "么是", "是北", "北京"]),
        ("人", ["人"]),
        ("?!", []),
        ("", []),
    ],
)
def test_a_question_is_without_stop_words_unless_it_has_no_others(query, expected):
    assert query_words(query) == expected


@pytest.mark.parametrize("query", ["le", "am", "el de la", "que s’est-il"])
def test_what_is_left_of_a_question_after_its_day_may_be_stop_words_alone(query):
    assert set(telling_words(query)) <= {"sestil"}


def test_a_question_of_stop_words_tells_nothing():
    assert telling_words("what did I do?") == []


def test_one_character_finds_the_text_that_holds_it():
    assert set(query_words("宫")) <= set(words("参观了长城和故宫"))


@given(st.text(max_size=60))
@settings(max_examples=300)
def test_a_text_is_found_by_any_question_that_repeats_it(text):
    assert set(query_words(text)) <= set(words(text))


@given(st.text(max_size=300))
@settings(max_examples=200)
def test_a_word_is_never_empty_or_long(text):
    assert all(0 < len(word) <= MAX_WORD for word in words(text))


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("a" * 200_000, 1),
        ("aB" * 100_000, 1),
        ("a_" * 100_000, 100_000),
        ("a." * 100_000, 1),
        ("a" + "_" * 200_000 + "b", 3),
        ("a" + "+" * 200_000, 2),
        ("a" + "\u0301\u0323" * 100_000, 1),
        ("-" * 200_000, 0),
        ("人" * 100_000, 200_000),
    ],
)
def test_a_monstrous_text_gives_bounded_words(text, most):
    found = words(text)

    assert len(found) <= most
    assert all(len(word) <= MAX_WORD for word in found)


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_a_text_of_plain_letters_has_the_same_words_read_as_one_with_others(text):
    *plain, _ = words(f"{text} \u00e9")

    assert plain == words(text)
