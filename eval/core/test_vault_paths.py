"""Which paths a vault takes: a path either stays inside, however it is read, or is refused."""

import json
import os
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echo_memory.errors import BadRequest
from echo_memory.vault_paths import is_safe, safe_path

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = [
    path
    for paths in json.loads((FIXTURES / "hostile_paths.json").read_text("utf-8")).values()
    for path in paths
]
TOO_LONG = ["a" * 253 + ".md", "é" * 128 + "/a.md", "a/" * 511 + "a.md", "a" * 1_000_000]

ORDINARY = [
    "resources/people/ada-lovelace.md",
    "a.md",
    "NOTES.MD",
    "_agent/echo-vault.md",
    "_agent/index/entities.json",
    "100%.md",
    "100% sure.md",
    "50%de réduction.md",
    "a%20b.md",
    "100%25.md",
    "AC%2FDC.md",
    "%ff.md",
    "C#.md",
    "what?.md",
    "a+b&c=d.md",
    "a b  c.md",
    " leading space.md",
    "v1.2..3.md",
    "dots...inside.md",
    "Dr. No/Mr. Yes.md",
    "~/a.md",
    "~.md",
    "-rf.md",
    "Meeting: kick-off.md",
    "C：a wide colon.md",
    "what “he” said… twice.md",
    "…and then.md",
    "½ marathon.md",
    "日本語/ノート。.md",
    "café.md",
    unicodedata.normalize("NFD", "café.md"),
    "👩‍👩‍👧 family.md",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿.md",
    "aux.md",
    "con/nul.md",
    "a" * 252 + ".md",
    "a/" * 510 + "a.md",
]


@pytest.mark.parametrize("path", HOSTILE + TOO_LONG, ids=lambda path: ascii(path[:40]))
def test_a_path_that_could_leave_the_vault_is_refused(path):
    with pytest.raises(BadRequest) as refusal:
        safe_path(path, field="source")

    assert refusal.value.details == {"field": "source"}
    assert len(refusal.value.message) < 200


@pytest.mark.parametrize("path", ORDINARY, ids=lambda path: ascii(path[:40]))
def test_an_ordinary_path_is_taken_as_it_is(path):
    assert safe_path(path) == path


def test_a_refusal_says_what_is_wrong():
    with pytest.raises(BadRequest, match="hidden name"):
        safe_path("a/.obsidian/app.json")


PIECES = st.sampled_from(
    [
        *"./\\%25eEfFcC0aAd: ~\0\u200b\u3000．‥…／∕％é２",
        *("..", "%2e", "%2F", "%25", "%5c", "md", "/../", "e\u0301", "\ud800"),
    ]
)
PATHS = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=20))


def readings(path):
    """The path as other programs may read it: decoded, normalised, both, in every order."""
    for first in (str, unquote, lambda text: unicodedata.normalize("NFKC", text)):
        for second in (str, unquote, lambda text: unicodedata.normalize("NFKC", text)):
            yield second(first(unquote(path)))
            yield second(first(path))


@given(path=PATHS)
@settings(max_examples=800, deadline=None)
@example(path="%2e\u0301%2e/x.md")
@example(path="%25%32%65./x.md")
def test_any_path_is_refused_or_stays_visible_inside_the_vault(path):
    if not is_safe(path):
        with pytest.raises(BadRequest):
            safe_path(path)
        return

    for reading in readings(safe_path(path)):
        joined = os.path.normpath(f"/vault/{reading}")
        names = reading.split("/")

        assert joined == f"/vault/{reading}"
        # Three dots may be a title's ellipsis, normalised; written as dots they are refused.
        assert not any(name.startswith(".") and not name.startswith("...") for name in names)
        assert not any(name in ("", ".", "..") or name[-1:] == " " for name in names)
        assert "\\" not in reading and "\0" not in reading


@pytest.mark.parametrize("path", ["%" + "25" * 500 + "2e", "é" * 100 + "%" + "25" * 400 + "2e"])
def test_a_path_that_is_decoded_hundreds_of_times_is_refused(path):
    assert not is_safe(path)
