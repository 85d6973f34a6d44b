"""Likeness: which names are asked about, which are told, and which have nothing to do with another.

Each table is read in both directions.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.naming.likeness import GATE, LISTED, NEAR, compare
from echo_memory.naming.nameparts import parse

ASKED_OF_PERSONS = [
    ("Ada Lovelase", "Ada Lovelace", "typing slip"),
    ("Ada Lovelcae", "Ada Lovelace", "typing slip"),
    ("Ada Lovlace", "Ada Lovelace", "typing slip"),
    ("Jhon Smith", "John Smith", "typing slip"),
    ("Alan Turimg", "Alan Turing", "typing slip"),
    ("Søren Kirkegaard", "Søren Kierkegaard", "typing slip"),
    ("Peter Hanson", "Peter Hansen", "typing slip"),
    ("Пётр Чайковскй", "Пётр Чайковский", "typing slip"),
    ("Νίκος Παπαδόπολος", "Νίκος Παπαδόπουλος", "typing slip"),
    ("Adda Lovelase", "Ada Lovelace", "another spelling, typing slip"),
    ("Jon Smith", "John Smith", "another spelling"),
    ("Sarah Connor", "Sara Connor", "another spelling"),
    ("Catherine Johnson", "Katherine Johnson", "another spelling"),
    ("Anna Mueller", "Anna Müller", "another spelling"),
    ("Anna Schmitt", "Anna Schmidt", "another spelling"),
    ("Anna Schmid", "Anna Schmidt", "another spelling"),
    ("Anna Schmied", "Anna Schmidt", "another spelling"),
    ("Anna Schmied", "Anna Schmitt", "another spelling"),
    ("Willy Brand", "Willy Brandt", "another spelling"),
    ("エイダ・ラブレース", "エイダ・ラブレス", "another spelling"),
    ("ヤマダ タロウ", "やまだ たろう", "another spelling"),
    ("Lovelace, Ada", "Ada Lovelace", "same words in another order"),
    ("Пушкин Александр Сергеевич", "Александр Сергеевич Пушкин", "same words in another order"),
    ("Παπαδόπουλος Νίκος", "Νίκος Παπαδόπουλος", "same words in another order"),
    ("Nguyễn Văn An", "Văn An Nguyen", "same words in another order"),
    ("AdaLovelace", "Ada Lovelace", "same letters, other spacing"),
    ("山田 太郎", "山田太郎", "same letters, other spacing"),
    ("김 철수", "김철수", "same letters, other spacing"),
    ("عبدالله", "عبد الله", "same letters, other spacing"),
    ("A. Lovelace", "Ada Lovelace", "initials"),
    ("Ada L.", "Ada Lovelace", "initials"),
    ("J.R.R. Tolkien", "John Ronald Reuel Tolkien", "initials"),
    ("JRR Tolkien", "John Ronald Reuel Tolkien", "initials"),
    ("А. С. Пушкин", "Александр Сергеевич Пушкин", "initials"),
    ("Пушкин А. С.", "Александр Сергеевич Пушкин", "initials, same words in another order"),
    ("Lovelace, A.", "Ada Lovelace", "initials, same words in another order"),
    ("Ada Lovelace", "Ada King Lovelace", "middle name dropped"),
    ("John Smith", "John A. Smith", "middle name dropped"),
    ("Jean Picard", "Jean-Luc Picard", "middle name dropped"),
    ("Ludwig Beethoven", "Ludwig van Beethoven", "middle name dropped"),
    ("Александр Пушкин", "Александр Сергеевич Пушкин", "middle name dropped"),
    ("محمد سلمان", "محمد بن سلمان", "middle name dropped"),
    ("A. Lovelace", "Ada King Lovelace", "initials, middle name dropped"),
    ("José García", "José García Márquez", "part of the name left out"),
    ("John Smith", "John Smith Jr.", "part of the name left out"),
    ("Dr. Ada Lovelace", "Ada Lovelace", "title or degree"),
    ("山田太郎さん", "山田太郎", "title or degree"),
    ("김철수 씨", "김철수", "title or degree"),
    ("Ada", "Ada Lovelace", "first name, only one bears it"),
    ("Александр", "Александр Пушкин", "first name, only one bears it"),
    ("Ms Lovelace", "Ada Lovelace", "last name, only one bears it, title or degree"),
]

ASKED_OF_COMPANIES = [
    ("Acme Inc", "Acme", "company suffix"),
    ("Acme GmbH", "Acme", "company suffix"),
    ("Acme Ltd", "Acme", "company suffix"),
    ("Acme S.A.", "Acme", "company suffix"),
    ("Acme AG", "Acme", "company suffix"),
    ("Acme LLC", "Acme", "company suffix"),
    ("Acme B.V.", "Acme", "company suffix"),
    ("Acme GmbH", "Acme Ltd", "company suffix"),
    ("ПАО Газпром", "Газпром", "company suffix"),
    ("株式会社ソニー", "ソニー", "company suffix"),
    ("华为技术有限公司", "华为技术", "company suffix"),
    ("삼성전자 주식회사", "삼성전자", "company suffix"),
    ("The Acme Company", "Acme", "company suffix, article"),
    ("Siemans AG", "Siemens", "typing slip, company suffix"),
    ("Johnson and Johnson", "Johnson & Johnson", "same words"),
    ("Open AI", "OpenAI", "same letters, other spacing"),
]

ASKED_OF_OTHERS = [
    ("Kubernets", "Kubernetes", "typing slip"),
    ("Analytcal Engine", "Analytical Engine", "typing slip"),
    ("The Analytical Engine", "Analytical Engine", "article"),
    ("Analytical Engine project", "Analytical Engine", "names its kind"),
    ("Design Patterns", "Design Pattern", "one or many"),
    ("Color theory", "Colour theory", "another spelling"),
    ("Sprint12", "Sprint 12", "same letters, other spacing"),
    ("Sprint 07", "Sprint 7", "same words"),
    ("Review design", "Design review", "same words in another order"),
]

TOLD_OF_PERSONS = [
    ("Jana Novak", "Jan Novak"),
    ("Joan Smith", "John Smith"),
    ("Hanna Schmidt", "Anna Schmidt"),
    ("Anne Lee", "Ann Lee"),
    ("Mario Rossi", "Marco Rossi"),
    ("Marina Rossi", "Maria Rossi"),
    ("Martina Rossi", "Marina Rossi"),
    ("John Barker", "John Baker"),
    ("Marvin Weber", "Martin Weber"),
    ("Christina Bauer", "Christian Bauer"),
    ("Сергей Иванова", "Сергей Иванов"),
    ("Wang Feng", "Wang Fang"),
    ("محمود علي", "محمد علي"),
    ("John Smith III", "John Smith"),
    ("Alen Turimg", "Alan Turing"),
    ("Anna Schmitz", "Anna Schmidt"),
    ("Priya Nayar", "Priya Nair"),
]

TOLD_OF_OTHERS = [
    ("Virgin Group", "Virgin"),
    ("React Native", "React"),
    ("Python 3", "Python"),
    ("Customer Offboarding", "Customer Onboarding"),
    ("WHO", "World Health Organization"),
    ("Stack", "Slack"),
    ("Maier building", "Meier building"),
    ("Analytcal Machnery report", "Analytical Machinery report"),
    ("Analytical Engin", "Analytical Engine"),
    ("Quarterly sales review", "Quarterly review"),
]

STRANGERS_OF_PERSONS = [
    ("Ann Leigh", "Ann Lee"),
    ("Ada Byron", "Ada Lovelace"),
    ("B. Lovelace", "Ada Lovelace"),
    ("John B. Smith", "John A. Smith"),
    ("John Smith Sr.", "John Smith Jr."),
    ("Henry V", "Henry IV"),
    ("Louis XV", "Louis XIV"),
    ("Li Ma", "Li Na"),
    ("Мария Петрова", "Марина Иванова"),
    ("张玮", "张伟"),
    ("张二", "张三"),
    ("王晓明", "王小明"),
    ("山田次郎", "山田太郎"),
    ("김철호", "김철수"),
    ("Bo", "Jo"),
]

STRANGERS_OF_OTHERS = [
    ("Project Beta", "Project Alpha"),
    ("Sprint 13", "Sprint 12"),
    ("Sprint 21", "Sprint 12"),
    ("Q2 review", "Q1 review"),
    ("Python 3", "Python 2"),
    ("Python 31", "Python 3.1"),
    ("Python 1.5", "Python 1.05"),
    ("Release v1.3", "Release v1.2"),
    ("Budget 2025", "Budget 2024"),
    ("Review 2026-01-03", "Review 2026-01-02"),
    ("iPhone 15 Pro", "iPhone 14 Pro"),
    ("World War II", "World War I"),
    ("第二季度报告", "第一季度报告"),
    ("July review", "June review"),
    ("Phase B", "Phase A"),
    ("Vitamin D", "Vitamin C"),
    ("Vitamin Complex", "Vitamin C"),
    ("C++", "C"),
    ("C#", "C++"),
    ("Java", "JavaScript"),
    ("Internet", "Intranet"),
    ("Machine Translation", "Machine Learning"),
    ("Deutsche Bahn", "Deutsche Bank"),
    ("Hund", "Hunt"),
    ("1:1 with Bob", "1:1 with Ada"),
    ("Website redesign", "Website design"),
    ("🛸", "🚀"),
]

WORDS = (
    "ada", "anna", "jana", "john", "j", "a", "lovelace", "smith", "smiht", "gmbh", "dr", "the",
    "12", "13", "ii", "张伟", "c++",
)  # fmt: skip
NAMES = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
KINDS = st.sampled_from(["person", "company", "project", ""])


def both_ways(one, two, kind):
    pair = parse(one), parse(two)
    return [compare(a, b, kind=kind, mention_kind=kind) for a, b in (pair, reversed(pair))]


@pytest.mark.parametrize(("mention", "name", "why"), ASKED_OF_PERSONS)
def test_a_person_of_nearly_that_name_is_asked_about(mention, name, why):
    for likeness in both_ways(mention, name, "person"):
        assert likeness is not None
        assert likeness.why == why
        assert likeness.score >= GATE


@pytest.mark.parametrize(("mention", "name", "why"), ASKED_OF_COMPANIES)
def test_a_company_of_nearly_that_name_is_asked_about(mention, name, why):
    for likeness in both_ways(mention, name, "company"):
        assert likeness is not None
        assert likeness.why == why
        assert likeness.score >= GATE


@pytest.mark.parametrize(("mention", "name", "why"), ASKED_OF_OTHERS)
def test_a_project_of_nearly_that_name_is_asked_about(mention, name, why):
    for likeness in both_ways(mention, name, "project"):
        assert likeness is not None
        assert likeness.why == why
        assert likeness.score >= GATE


@pytest.mark.parametrize(
    ("mention", "name", "kind"),
    [(*names, "person") for names in TOLD_OF_PERSONS]
    + [(*names, "concept") for names in TOLD_OF_OTHERS],
)
def test_a_name_that_another_may_well_bear_is_told_but_not_asked_about(mention, name, kind):
    for likeness in both_ways(mention, name, kind):
        assert likeness is not None
        assert NEAR <= likeness.score < GATE


@pytest.mark.parametrize(
    ("mention", "name", "kind"),
    [(*names, "person") for names in STRANGERS_OF_PERSONS]
    + [(*names, "concept") for names in STRANGERS_OF_OTHERS],
)
def test_a_name_that_is_plainly_another_is_not_even_told(mention, name, kind):
    for likeness in both_ways(mention, name, kind):
        assert likeness is None or likeness.score < NEAR


@pytest.mark.parametrize(
    ("mention", "name", "kind", "mention_kind"),
    [
        ("Phoenix", "Phoenix Jones", "person", "project"),
        ("Ada Lovelace Day", "Ada Lovelace", "person", "concept"),
        ("Ada Lovelace CV", "Ada Lovelace", "person", "reference"),
        ("A. Engine", "Analytical Engine", "project", "project"),
        ("Project B. Review", "Project Budget Review", "project", "project"),
        ("Quarterly Review", "Quarterly Sales Review", "project", "project"),
    ],
)
def test_what_is_true_of_persons_alone_asks_about_nothing_else(mention, name, kind, mention_kind):
    likeness = compare(parse(mention), parse(name), kind=kind, mention_kind=mention_kind)

    assert likeness is None or likeness.score < GATE


def test_a_company_suffix_counts_where_either_is_a_company():
    apple, company = parse("Apple"), parse("Apple Inc")

    assert compare(company, apple, kind="concept", mention_kind="company").score >= GATE
    assert compare(apple, company, kind="company", mention_kind="concept").score >= GATE
    assert compare(company, apple, kind="concept", mention_kind="concept").score < GATE
    assert compare(company, apple, kind="concept").score >= GATE


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("A. Lovelase", "Ada Lovelace"),
        ("Ada Lovelase", "Ada King Lovelace"),
        ("A. King", "Ada King Lovelace"),
        ("J. S.", "John Smith"),
        ("Al Smith", "Anna Lee Smith"),
    ],
)
def test_too_little_of_a_name_is_not_asked_about(mention, name):
    for likeness in both_ways(mention, name, "person"):
        assert likeness is None or likeness.score < GATE


def test_a_slip_and_a_lone_name_say_which_word_is_in_doubt():
    ada = parse("Ada Lovelace")

    slip = compare(parse("Ada Lovelase"), ada, kind="person")
    first = compare(parse("Ada"), ada, kind="person")

    assert (slip.doubt, slip.word) == ("typing slip", "lovelase")
    assert (first.doubt, first.word) == ("first name, only one bears it", "ada")


def test_a_name_inside_a_sentence_is_listed():
    likeness = compare(parse("what did Kubernets cost us last year"), parse("Kubernetes"))

    assert likeness is not None
    assert LISTED <= likeness.score < NEAR


def test_blank_names_are_like_nothing():
    assert compare(parse(""), parse("Ada")) is None
    assert compare(parse("Ada"), parse(" ")) is None


@settings(max_examples=400)
@given(NAMES, NAMES, KINDS)
def test_likeness_is_the_same_in_both_directions(one, two, kind):
    forth, back = both_ways(one, two, kind)

    assert (forth is None) == (back is None)
    if forth and back:
        assert (forth.score >= GATE, forth.score >= NEAR) == (
            back.score >= GATE,
            back.score >= NEAR,
        )
        assert 0 < forth.score < 1


@settings(max_examples=200)
@given(NAMES, NAMES, KINDS)
def test_different_numbers_never_come_near(one, two, kind):
    for likeness in both_ways(f"{one} 7", f"{two} 8", kind):
        assert likeness is None or likeness.score < NEAR


@settings(max_examples=200)
@given(NAMES.filter(str.strip), KINDS)
def test_a_name_is_itself(name, kind):
    likeness = compare(parse(name), parse(name.upper()), kind=kind, mention_kind=kind)

    assert likeness is not None
    assert likeness.score >= GATE
