"""Name parts: what of a name tells it from others, and what only dresses it."""

import pytest

from echo_memory.naming.nameparts import MAX_WORDS, acronym, parse, without_kind


@pytest.mark.parametrize(
    "name",
    [
        "Acme Inc", "Acme, Inc.", "Acme GmbH", "Acme GmbH & Co. KG", "Acme Ltd.", "Acme Co., Ltd.",
        "Acme S.A.", "Acme S.A. de C.V.", "Acme AG", "Acme LLC", "Acme B.V.", "Acme S.p.A.",
        "Acme s. r. o.", "Acme sp. z o.o.", "Acme d.o.o.", "Acme Oy", "Acme AB", "Acme Pty Ltd",
        "ООО Acme", "Acme, ПАО", "株式会社Acme", "Acme（株）", "Acme有限公司", "Acme 주식회사",
    ],
)  # fmt: skip
def test_legal_forms_are_dress(name):
    assert parse(name).company == ("acme",)


@pytest.mark.parametrize("name", ["Inc", "Ltd Co", "GmbH", "株式会社", "S.A."])
def test_a_name_of_legal_forms_alone_keeps_something(name):
    assert parse(name).company


@pytest.mark.parametrize(
    "name",
    ["Dr. Ada Lovelace", "Prof. Dr. Ada Lovelace", "Ms Ada Lovelace", "Ada Lovelace, Ph.D.",
     "Frau Ada Lovelace", "Sir Ada Lovelace MBA"],
)  # fmt: skip
def test_titles_and_degrees_are_dress(name):
    assert parse(name).personal == ("ada", "lovelace")


def test_a_title_attached_to_a_name_is_dress():
    assert parse("山田太郎さん").personal == ("山田太郎",)
    assert parse("김철수 씨").personal == ("김철수",)
    assert parse("先生").personal == ("先生",)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Sprint 12", ("12",)),
        ("Sprint 07", ("7",)),
        ("Python 3.12", ("3", "12")),
        ("Python 1.05", ("1", "05")),
        ("Q1 review", ("1",)),
        ("2026-11-30 kickoff", ("2026", "11", "30")),
        ("Henry VIII", ("viii",)),
        ("Malcolm X", ()),
        ("第三季度", ("三",)),
        ("٢٠٢٤", ("2024",)),
        ("Ada", ()),
    ],
)
def test_numbers_are_read_in_digits_and_letters(name, numbers):
    assert parse(name).numbers == numbers


def test_articles_and_ands_are_left_out():
    assert parse("The Analytical Engine").words == ("analytical", "engine")
    assert parse("Johnson and Johnson").words == ("johnson", "johnson")
    assert parse("The").words == ("the",)
    assert parse("and").words == ("and",)


def test_a_blank_name_has_no_words():
    assert parse(" ").words == ()
    assert parse(" ").company == ()
    assert parse(" ").personal == ()


def test_a_long_name_is_looked_at_only_so_far():
    assert len(parse("word " * 10_000).words) == MAX_WORDS
    assert parse("x" * 100_000).words == ("x" * 64,)


def test_a_kind_named_in_a_title_is_left_out_unless_little_else_is_there():
    assert without_kind(("project", "apollo"), "project") == ("apollo",)
    assert without_kind(("apollo", "project"), "project") == ("apollo",)
    assert without_kind(("project", "x"), "project") == ("project", "x")
    assert without_kind(("project", "2024"), "project") == ("project", "2024")
    assert without_kind(("project",), "project") == ("project",)
    assert without_kind(("apollo", "program"), "project") == ("apollo", "program")


def test_an_acronym_is_made_of_first_letters():
    assert acronym(("world", "health", "organization")) == "who"
    assert acronym(("one",)) == ""
    assert acronym(("a",) * 7) == ""
