"""Names as text: folding for comparison, and slugs for file names."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echo_memory.text import MAX_SLUG, file_key, fold, slugify, unique_slug

NAMES = st.one_of(
    st.text(max_size=40),
    st.text(
        "aÀßſİıłæøđΣςάῼйёїがガーｶﾞ한글أإةى\u0301\u0327\u3099\u0345 -_'’.+#🚀👩‍💻🇩🇪①½٣C®™℠(",
        max_size=12,
    ),
)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Ada  Lovelace", "ada lovelace"),
        ("  ADA\tLOVELACE\n", "ada lovelace"),
        ("Ada-Lovelace", "ada lovelace"),
        ("snake_case.name", "snake case name"),
        ("O'Brien", "o brien"),
        ("O’Brien", "o brien"),
        ("Hawaiʻi", "hawai i"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("José García", "jose garcia"),
        ("Łódź", "lodz"),
        ("Ærøskøbing", "aeroskobing"),
        ("Đặng Thị Hà", "dang thi ha"),
        ("Þórður", "thordur"),
        ("Œuvre", "oeuvre"),
        ("Iğdır", "igdir"),
        ("İstanbul", "istanbul"),
        ("Ħamrun", "hamrun"),
        ("Ŋaa", "naa"),
        ("Ɓauchi", "bauchi"),
        ("Əliyev", "eliyev"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"),
        ("Ὀδυσσεύς", "οδυσσευσ"),
        ("Пётр", "петр"),
        ("Андрей", "андреи"),
        ("ﬁnance", "finance"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("ﾗﾌﾞﾚｽ", "ラブレス"),
        ("エイダ・ラブレス", "エイダ ラブレス"),
        ("ガラス", "ガラス"),
        ("أحمد", "احمد"),
        ("مُحَمَّد", "محمد"),
        ("فاطمة", "فاطمه"),
        ("محـــمد", "محمد"),
        ("شָלוֹם"[1:], "שלום"[1:]),
        ("कुमार", "कुमार"),
        ("٢٠٢٤", "2024"),
        ("Chapter ②", "chapter 2"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("LEGO® Duplo™", "lego duplo"),
        ("Ke$ha", "ke$ha"),
        ("🚀 Launch", "🚀 launch"),
        ("Launch🚀", "launch 🚀"),
        ("❤️", "❤"),
        ("1️⃣", "1"),
    ],
)
def test_names_are_compared_without_case_marks_and_punctuation(name, folded):
    assert fold(name) == folded


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("C", "c"),
        ("C++", "c++"),
        ("C++17", "c++17"),
        ("C#", "c#"),
        ("Ｃ＃", "c#"),
        ("F# code", "f# code"),
        ("Disney+", "disney+"),
        ("R+D", "r d"),
        ("R&D", "r d"),
        ("#tag", "tag"),
        ("Issue #12", "issue 12"),
        ("PR#12", "pr 12"),
        ("a + b", "a b"),
    ],
)
def test_a_plus_or_a_sharp_counts_at_the_end_of_a_word(name, folded):
    assert fold(name) == folded


def test_letters_that_only_look_marked_stay_apart():
    assert fold("ハハ") != fold("パパ")
    assert fold("か") != fold("が")
    assert fold("कमार") != fold("कुमार")
    assert fold("김") != fold("깁")


SIGNS = (
    "🚀", "🛸", "???", "...", "!", "+", "#", "—", "_", "★", "👍", "👍🏽",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # the flag of Scotland
)  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_a_name_of_signs_alone_keeps_itself(name):
    others = {fold(other) for other in SIGNS if other != name}

    assert fold(name)
    assert fold(name) not in others


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000"])
def test_only_a_blank_name_folds_to_nothing(name):
    assert fold(name) == ""


@settings(max_examples=400)
@given(NAMES)
@example("ʱ")
@example("𝅘𝅥𝅮")
@example("ŉ")
@example("\ud800")
@example(":℠")
@example("®℠")
@example("℠")
@example(" ™ ")
def test_folding_twice_changes_nothing(name):
    assert fold(fold(name)) == fold(name)


@settings(max_examples=400)
@given(NAMES)
@example("ᾳ")
@example("か\u3099")
def test_composed_and_decomposed_names_fold_alike(name):
    assert fold(unicodedata.normalize("NFC", name)) == fold(unicodedata.normalize("NFD", name))


@settings(max_examples=200)
@given(st.text(st.characters(codec="ascii"), max_size=30))
def test_case_makes_no_difference(name):
    assert fold(name.upper()) == fold(name.lower())


@pytest.mark.parametrize(
    "name",
    ["a" + "\u0316\u0301" * 50_000, "न" + "\u093c\u094d" * 50_000, "\u3099\u0327" * 50_000],
    ids=["latin", "devanagari", "no letter"],
)
def test_a_pile_of_marks_is_folded_and_slugged(name):
    assert fold(name)
    assert slugify(name)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Ada Lovelace", "ada-lovelace"),
        ("  Ada -- Lovelace!  ", "ada-lovelace"),
        ("Grace Hopper", "grace-hopper"),
        ("José García", "jose-garcia"),
        ("Jürgen Müller", "jurgen-muller"),
        ("Straße", "strasse"),
        ("Łukasz Żak", "lukasz-zak"),
        ("Ærø", "aero"),
        ("O'Brien", "obrien"),
        ("Don’t panic", "dont-panic"),
        ("Александр Пушкин", "aleksandr-pushkin"),
        ("Юлия Щукина", "yuliya-shchukina"),
        ("Фёдор Достоевский", "fyodor-dostoevskiy"),
        ("Володимир Їжак", "volodimir-yizhak"),
        ("Ђорђе Љубић", "djordje-ljubic"),
        ("Οδυσσέας Ελύτης", "odysseas-elytis"),
        ("Ὀδυσσεύς", "odysseus"),
        ("Γιώργος Παπαδόπουλος", "giorgos-papadopoulos"),
        ("C", "c"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("R&D budget", "r-d-budget"),
        ("Python 3.12", "python-3-12"),
        ("🚀 Launch", "launch"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("-dash", "dash"),
        ("٢٠٢٤", "2024"),
        ("con", "con-note"),
        ("PRN", "prn-note"),
        ("Aux", "aux-note"),
        ("nul", "nul-note"),
        ("com1", "com1-note"),
        ("LPT9", "lpt9-note"),
        ("console", "console"),
    ],
)
def test_a_title_becomes_ascii_words(title, slug):
    assert slugify(title) == slug


@pytest.mark.parametrize("title", ["张伟", "김철수", "محمد", "🚀", "???", "", " "])
def test_a_title_without_latin_letters_gets_a_short_stable_hash(title):
    slug = slugify(title)

    assert slug.startswith("n-")
    assert len(slug) == 10
    assert slug == slugify(unicodedata.normalize("NFD", title))


def test_the_hash_is_the_same_on_every_machine():
    assert slugify("张伟") == "n-a3a0bafd"


def test_titles_that_differ_in_lost_letters_get_different_slugs():
    tokyo, beijing = slugify("Project 东京"), slugify("Project 北京")

    assert tokyo.startswith("project-")
    assert beijing.startswith("project-")
    assert tokyo != beijing


def test_a_long_title_is_cut_at_a_word():
    assert slugify("lovely " * 20) == "-".join(["lovely"] * 11)
    assert slugify("x" * 200) == "x" * MAX_SLUG
    assert slugify("a" * 79 + " bc") == "a" * 79
    assert len(slugify("东京 " + "word " * 40)) <= MAX_SLUG


@settings(max_examples=400)
@given(NAMES)
@example("\ud800")
def test_a_slug_fits_every_file_system(title):
    slug = slugify(title)

    assert slug.isascii()
    assert slug == slug.lower()
    assert 0 < len(slug) <= MAX_SLUG
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert slug.strip("-") == slug
    assert slugify(slug) == slug


def test_a_free_slug_is_taken_as_it_is():
    assert unique_slug("ada", {"grace"}) == "ada"


def test_a_taken_slug_is_numbered_from_two():
    assert unique_slug("ada", {"ada"}) == "ada-2"
    assert unique_slug("ada", {"ada", "ada-2", "ada-3"}) == "ada-4"


def test_a_numbered_slug_stays_within_the_limit():
    long = "a" * 77 + "-bc"

    assert unique_slug(long, {long}) == "a" * 77 + "-2"


def test_file_names_of_any_case_and_normal_form_are_one():
    assert file_key("Zoë") == file_key("ZOE\u0308")
    assert file_key("Zoë") != file_key("Zoe")
