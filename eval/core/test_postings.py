"""Postings: keys and the notes that have them, and words that look like a given one."""

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from echo_memory.naming.postings import WORD, Postings

LETTERS = st.sampled_from("abco")


def indexed(*words):
    postings = Postings()
    for word in words:
        postings.add(f"{word}.md", [WORD + word])
    return postings


def test_a_key_finds_the_paths_that_have_it():
    postings = Postings()
    postings.add("a.md", ["=ada", "=countess"])
    postings.add("b.md", ["=ada"])

    assert sorted(postings.of("=ada")) == ["a.md", "b.md"]
    assert postings.count("=ada") == 2
    assert postings.of("=nobody") == []
    assert postings.count("=nobody") == 0


def test_a_removed_path_is_forgotten_and_so_is_its_word():
    postings = indexed("lovelace", "babbage")

    postings.remove("lovelace.md", [WORD + "lovelace", WORD + "unknown"])

    assert postings.of(WORD + "lovelace") == []
    assert postings.similar("lovelase") == []
    assert postings.similar("babbace") == ["babbage"]


def test_a_word_that_another_note_has_stays():
    postings = indexed("lovelace")
    postings.add("b.md", [WORD + "lovelace"])

    postings.remove("lovelace.md", [WORD + "lovelace"])

    assert postings.similar("lovelase") == ["lovelace"]


@settings(max_examples=300)
@given(st.text("abco", min_size=5, max_size=12), st.integers(0, 11), LETTERS)
@example("abcoabc", 0, "c")
@example("abcoabco", 7, "a")
def test_a_word_is_found_by_any_one_slip(word, place, letter):
    slips = {
        word[:place] + letter + word[place:],
        word[:place] + word[place + 1 :],
        word[:place] + letter + word[place + 1 :],
        word[:place] + word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :],
    } - {word}
    assume(all(len(slip) >= 5 for slip in slips))

    assert all(indexed(word).similar(slip) == [word] for slip in slips)


def test_a_word_is_not_similar_to_itself_nor_to_any_other():
    postings = indexed("lovelace", "babbage", "ada", "q12345", "12345")

    assert postings.similar("lovelace") == []
    assert postings.similar("hopper") == []
    assert postings.similar("adas") == []
    assert postings.similar("q12346") == []
