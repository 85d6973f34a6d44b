"""A vault behind the Local REST API: what it asks, how often, and what it makes of the answers.

What it has in common with every vault is in test_vault_contract.py.
"""

import json
import os
import threading
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from echo_memory.errors import BadRequest, Conflict, Misconfigured, NotFound, VaultIO
from echo_memory.rest.access import Access
from echo_memory.rest_vault import RestVault
from echo_memory.vault import Vault, edit
from folders import VERBS, put, snapshot
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY, rest

LISTED = [".obsidian/x.md", "a.md", "B.MD", "c.txt", "d/e/f.md", "d/é 100%.md"]
VISIBLE = {"a.md", "B.MD", "d/e/f.md", "d/é 100%.md"}


@pytest.fixture
def plugin(root):
    with StandIn(root, KEY) as plugin:
        yield plugin


@pytest.fixture
def vault(plugin):
    with rest(plugin) as vault:
        yield vault


def settle(root):
    for path in root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))


def test_it_is_a_vault(vault):
    as_one: Vault = vault

    assert as_one.probe() is None


# Round trips


def test_reading_a_note_takes_one_request(root, plugin, vault):
    put(root / "folder/a.md")

    vault.read("folder/a.md")

    assert plugin.calls == [("GET", "/vault/folder/a.md")]


def test_writing_a_note_takes_a_look_and_a_put(root, plugin, vault):
    put(root / "a.md", "one")

    vault.write("a.md", "two", expected="one")
    vault.write("new/b.md", "three", expected=None)

    assert plugin.calls == [
        ("GET", "/vault/a.md"),
        ("PUT", "/vault/a.md"),
        ("GET", "/vault/new/b.md"),
        ("PUT", "/vault/new/b.md"),
    ]


@pytest.mark.parametrize("count", [0, 1, 300])
def test_the_versions_of_all_notes_take_one_request(root, plugin, vault, count):
    for number in range(count):
        put(root / f"folder {number % 10}/{number}.md")

    stamps = vault.stamps()

    assert len(stamps) == count
    assert plugin.calls == [("POST", "/search/")]


def test_reading_many_notes_takes_one_request_each(root, plugin, vault):
    for name in "abc":
        put(root / f"{name}.md")

    vault.read_many(["a.md", "b.md", "c.md", "d.md", "a.md"])

    assert Counter(plugin.calls) == Counter(("GET", f"/vault/{name}.md") for name in "abcd")


def test_trashing_a_note_looks_before_it_deletes(root, plugin, vault):
    put(root / "a.md", "one")

    vault.trash("a.md", expected="one")

    assert plugin.calls == [
        ("GET", "/vault/a.md"),
        ("GET", "/vault/.trash/a.md"),
        ("PUT", "/vault/.trash/a.md"),
        ("GET", "/vault/.trash/a.md"),
        ("GET", "/vault/a.md"),
        ("DELETE", "/vault/a.md"),
    ]


def test_requests_one_after_the_other_share_a_connection(root, plugin, vault):
    put(root / "a.md", "one")

    vault.probe()
    vault.stamps()
    vault.write("a.md", "", expected=vault.read("a.md"))
    with pytest.raises(NotFound):
        vault.read("gone.md")
    vault.stamp("a.md")
    vault.trash("a.md", expected="")

    assert len(plugin.calls) > 10
    assert plugin.connections == 1


def test_many_notes_are_read_at_the_same_time(root, plugin):
    together = threading.Barrier(4)
    for number in range(8):
        put(root / f"{number}.md", str(number))
    plugin.fail(faults.meanwhile(lambda: together.wait(10)), times=None)

    with rest(plugin, workers=4) as vault:
        texts = vault.read_many(f"{number}.md" for number in range(8))

    assert texts == {f"{number}.md": str(number) for number in range(8)}
    assert plugin.connections == 4


# What is asked


def test_bytes_are_put_as_bytes_with_their_length_and_nothing_is_ever_patched(root, plugin, vault):
    put(root / "a.md", "one")

    vault.write("a.md", "é\r\n", expected="one")
    vault.write("b.json", '{ "a": 1.0 }', expected=None)
    vault.write("empty.md", "", expected=None)
    vault.trash("a.md", expected="é\r\n")

    puts = [seen.headers for seen in plugin.requests if seen.method == "PUT"]
    assert {seen["Content-Type"] for seen in puts} == {"application/octet-stream"}
    assert [seen["Content-Length"] for seen in puts] == ["4", "12", "0", "4"]
    assert (root / "b.json").read_bytes() == b'{ "a": 1.0 }'
    assert (root / "empty.md").read_bytes() == b""
    assert {method for method, _ in plugin.calls} == {"GET", "PUT", "DELETE"}


def test_the_key_goes_in_the_header_that_it_was_given(root):
    put(root / "a.md", "one")

    with StandIn(root, KEY, auth_header="X-Vault-Key") as plugin:
        with rest(plugin) as vault, pytest.raises(Misconfigured, match="ECHO_AUTH_HEADER"):
            vault.read("a.md")
        with rest(plugin, auth_header="X-Vault-Key") as vault:
            text = vault.read("a.md")

    assert text == "one"
    assert plugin.requests[-1].headers["X-Vault-Key"] == f"Bearer {KEY}"
    assert "Authorization" not in plugin.requests[-1].headers


def test_a_plugin_below_a_path_is_asked_there(plugin):
    below = RestVault(Access.of(f"{plugin.url}/obsidian/one/", KEY))

    with closing(below), pytest.raises(Misconfigured, match="is not Obsidian's Local REST API"):
        below.probe()

    assert plugin.calls == [("GET", "/obsidian/one/")]


# Conditions, where the plugin looks at them


@pytest.fixture
def newest(root):
    with StandIn(root, KEY, conditional=True) as plugin:
        yield plugin


@pytest.mark.parametrize("made", [True, False])
def test_a_plugin_that_looks_at_conditions_closes_the_last_gap(root, newest, made):
    if made:
        put(root / "a.md", "one")
    theirs = faults.meanwhile(lambda: put(root / "a.md", "theirs"))
    newest.fail(theirs, method="PUT")

    with rest(newest) as vault, pytest.raises(Conflict) as refusal:
        vault.write("a.md", "mine", expected="one" if made else None)

    assert refusal.value.details == {"path": "a.md"}
    assert (root / "a.md").read_text() == "theirs"


def test_a_note_that_changes_before_it_is_deleted_stays(root, newest):
    put(root / "a.md", "one")
    newest.fail(faults.meanwhile(lambda: put(root / "a.md", "theirs")), method="DELETE")

    with rest(newest) as vault, pytest.raises(Conflict):
        vault.trash("a.md", expected="one")

    assert (root / "a.md").read_text() == "theirs"


def test_an_edit_is_made_again_where_the_plugin_refused_it(root, newest):
    put(root / "a.md", "one\n")
    newest.fail(faults.meanwhile(lambda: put(root / "a.md", "theirs\n")), method="PUT")

    with rest(newest) as vault:
        edit(vault, "a.md", lambda text: f"{text}mine\n")

    assert (root / "a.md").read_text() == "theirs\nmine\n"


def test_a_tag_that_says_nothing_about_bytes_is_no_condition(root, newest):
    put(root / "a.md", "one")

    def weaken(exchange):
        response = exchange.handle()
        exchange.send(replace(response, headers={**response.headers, "ETag": 'W/"123456"'}))

    newest.fail(weaken, method="GET")

    with rest(newest) as vault:
        vault.write("a.md", "two", expected="one")

    assert (root / "a.md").read_text() == "two"


# Folders


@pytest.mark.parametrize("folder", ["folder", "folder.md"])
def test_a_folder_is_not_taken_for_a_note_that_says_what_is_in_it(root, plugin, vault, folder):
    put(root / folder / "a.md")
    listing = '{\n  "files": [\n    "a.md"\n  ]\n}'

    with pytest.raises(NotFound):
        vault.trash(folder, expected=listing)
    with pytest.raises(Conflict):
        vault.write(folder, "mine", expected=listing)
    with pytest.raises(VaultIO, match="not a note has this name"):
        vault.write(folder, "mine", expected=None)

    assert {method for method, _ in plugin.calls} == {"GET"}


def test_a_note_below_a_note_is_told_to_need_a_folder(root, vault):
    put(root / "a.md", "one")

    with pytest.raises(VaultIO, match="needs a folder"):
        vault.write("a.md/b.md", "two", expected=None)

    assert (root / "a.md").read_text() == "one"


# Names that the plugin takes for parts of notes


@pytest.mark.parametrize(
    "path", ["heading/a.md", "a/block/b.md", "frontmatter/b/c.md", "a.md/heading/b.md", "a/block"]
)
def test_a_new_note_below_a_reserved_name_is_refused_before_anything_is_asked(plugin, vault, path):
    with pytest.raises(BadRequest, match="heading, block or frontmatter") as refusal:
        vault.write(path, "one", expected=None)

    assert refusal.value.details == {"field": "path", "path": path}
    assert plugin.calls == []


def test_a_note_that_is_below_a_reserved_name_is_a_note_like_any_other(root, vault):
    put(root / "heading/a.md", "one")

    vault.write("heading/a.md", "two", expected="one")

    assert vault.read_many(vault.stamps()) == {"heading/a.md": "two"}
    assert vault.trash("heading/a.md", expected="two") == ".trash/a.md"


@pytest.mark.parametrize("verb", ["read", "stamp", "trash"])
def test_a_part_of_a_note_is_no_note(root, plugin, vault, verb):
    put(root / "a.md", "# H\n\nsecret\n")
    named = {"Content-Disposition": 'attachment; filename="a.md"', "Content-Type": "text/markdown"}
    plugin.fail(faults.answer(200, named, b"secret"), path="/vault/a.md/heading/H", times=None)

    with pytest.raises(NotFound):
        VERBS[verb](vault, "a.md/heading/H")
    with pytest.raises(Conflict):
        vault.write("a.md/heading/H", "mine", expected="secret")

    assert {method for method, _ in plugin.calls} == {"GET"}


# Versions of notes


def test_a_note_that_was_just_written_has_no_lasting_version(root, vault):
    put(root / "old.md")
    settle(root)
    put(root / "new.md")

    first, second = vault.stamps(), vault.stamps()

    assert first["old.md"] == second["old.md"]
    assert first["new.md"] != second["new.md"]


def test_what_is_new_is_judged_by_the_clock_of_the_vault(root, plugin, vault):
    put(root / "a.md")
    settle(root)
    stat = {"ctime": 1, "mtime": 1_000_000_000_000, "size": 6}
    rows = json.dumps([{"filename": "a.md", "result": stat}]).encode()
    for seconds in (2, 9):
        then = {"Date": f"Sun, 09 Sep 2001 01:46:4{seconds} GMT"}
        plugin.fail(faults.answer(200, then, rows), path="/search/", times=2)

    seen = [vault.stamps()["a.md"] for _ in range(4)]

    assert seen[0] != seen[1]
    assert seen[2] == seen[3] == "6-1000000000000-1"


def test_a_version_says_size_and_both_times(root, plugin, vault):
    stat = {"ctime": 1, "mtime": 2, "size": 3}
    for change in ({}, {"ctime": 9}, {"mtime": 9}, {"size": 9}, {}):
        rows = json.dumps([{"filename": "a.md", "result": {**stat, **change}}]).encode()
        plugin.fail(faults.answer(200, body=rows), path="/search/")

    seen = [vault.stamps()["a.md"] for _ in range(5)]

    assert len(set(seen)) == 4
    assert seen[0] == seen[4]


UNUSABLE = {
    "refused": faults.refuse(40070),
    "not there": faults.refuse(40400),
    "failed": faults.refuse(50000),
    "no JSON": faults.answer(200, body=b"[{"),
    "no list": faults.answer(200, body=b"{}"),
    "deep": faults.answer(200, body=b"[" * 200_000),
    "rows of something else": faults.answer(200, body=b"[1]"),
    "rows without a name": faults.answer(200, body=b'[{"result": {}}]'),
    "rows without times": faults.answer(200, body=b'[{"filename": "a.md", "result": 5}]'),
    "too large": faults.answer(200, {"Content-Length": "1000000000"}),
}


@pytest.mark.parametrize("fault", UNUSABLE.values(), ids=UNUSABLE)
def test_a_vault_that_cannot_be_searched_is_walked_and_not_asked_again(root, plugin, vault, fault):
    for path in LISTED:
        put(root / path)
    plugin.fail(fault, path="/search/", times=None)

    first = vault.stamps()
    second = vault.stamps()

    assert first.keys() == VISIBLE
    assert first == second
    assert vault.stamp("d/é 100%.md") == first["d/é 100%.md"]
    counted = Counter(method for method, _ in plugin.calls)
    assert counted == {"POST": 1, "GET": 2 * 3, "HEAD": 2 * len(VISIBLE) + 1}


def test_a_walk_tells_versions_apart_by_what_is_in_the_notes(root, plugin, vault):
    put(root / "a.md", "one")
    put(root / "b.md", "one")
    plugin.fail(faults.refuse(40070), path="/search/")
    first = vault.stamps()

    put(root / "a.md", "two")
    second = vault.stamps()

    assert first["a.md"] != second["a.md"]
    assert first["b.md"] == second["b.md"]
    with pytest.raises(NotFound):
        vault.stamp("gone.md")
    with pytest.raises(NotFound):
        vault.stamp("a.md/b.md")


def test_a_note_that_goes_or_cannot_be_read_during_a_walk_hides_no_other(root, plugin, vault):
    for name in "abcd":
        put(root / f"{name}.md")
    put(root / "gone/a.md")
    plugin.fail(faults.refuse(40070), path="/search/")
    plugin.fail(faults.refuse(40400), path="/vault/a.md")
    plugin.fail(faults.refuse(50000), path="/vault/b.md", times=None)
    plugin.fail(faults.refuse(40400), path="/vault/gone/")
    named = {"Content-Disposition": 'attachment; filename="c.md"'}
    plugin.fail(faults.answer(200, named), path="/vault/c.md", times=None)

    stamps = vault.stamps()

    assert stamps.keys() == {"b.md", "c.md", "d.md"}
    again = vault.stamps()
    assert stamps["b.md"] != again["b.md"], "what cannot be read may have changed"
    assert stamps["c.md"] != again["c.md"], "and so may what has no tag"


def test_names_that_no_vault_takes_are_not_listed(root, plugin, vault):
    named = ["../x.md", "a/../../x.md", "/etc/x.md", ".obsidian/x.md", "C:/x.md", "ok.md"]
    stat = {"ctime": 1, "mtime": 1, "size": 1}
    rows = [{"filename": path, "result": stat} for path in named]
    plugin.fail(faults.answer(200, body=json.dumps(rows).encode()), path="/search/")
    plugin.fail(faults.refuse(40070), path="/search/")
    put(root / "ok.md")
    listing = json.dumps({"files": [*named, "../", "..", ".git/", "\x00.md"]}).encode()
    plugin.fail(faults.answer(200, body=listing), path="/vault/")

    assert list(vault.stamps()) == ["ok.md"]
    assert list(vault.stamps()) == ["ok.md"]


@pytest.mark.parametrize("version", ["2.1.1", "3.6.2"])
def test_an_empty_vault_that_cannot_be_searched_is_empty(root, version):
    with StandIn(root, KEY, version) as plugin, rest(plugin) as vault:
        plugin.fail(faults.refuse(40070), path="/search/", times=None)

        assert vault.stamps() == {}


def test_a_note_of_any_content_has_a_version(root, vault):
    put(root / "binary.md", bytes(range(256)) * 1000)
    put(root / "data.json", '{"path": "other.md"}')
    settle(root)

    assert vault.stamp("binary.md") == vault.stamps()["binary.md"]
    assert vault.stamp("data.json")


@pytest.mark.parametrize("said", [b"{}", b"[]", b'{"stat": {"size": 1}}', b"# text"])
def test_a_note_that_nothing_is_known_of_has_a_version_by_what_is_in_it(root, plugin, vault, said):
    put(root / "a.md", "one")
    named = {"Content-Disposition": 'attachment; filename="a.md"'}
    plugin.fail(faults.answer(200, named, said), method="GET", times=2)

    first = vault.stamp("a.md")
    put(root / "a.md", "two")

    assert vault.stamp("a.md") != first


# Trash


def test_a_name_that_is_taken_in_the_very_moment_is_left_to_who_took_it(root, newest):
    put(root / "a.md", "one")
    other = faults.meanwhile(lambda: put(root / ".trash/a.md", "other"))
    newest.fail(other, method="PUT", path="/vault/.trash/a.md")

    with rest(newest) as vault:
        went = vault.trash("a.md", expected="one")

    assert went == ".trash/a 1.md"
    assert (root / went).read_text() == "one"
    assert (root / ".trash/a.md").read_text() == "other"


def test_a_note_is_not_deleted_without_a_copy_that_was_seen(root, plugin, vault):
    put(root / "a.md", "one")
    lost = faults.meanwhile(lambda: put(root / ".trash/a.md", "overwritten"))
    plugin.fail(lost, method="GET", path="/vault/.trash/a.md", nth=2)

    with pytest.raises(VaultIO, match="so the note stays"):
        vault.trash("a.md", expected="one")

    assert (root / "a.md").read_text() == "one"
    assert "DELETE" not in {method for method, _ in plugin.calls}


def test_a_note_that_changes_while_it_is_copied_is_not_deleted(root, plugin, vault):
    put(root / "a.md", "one")
    changed = faults.meanwhile(lambda: put(root / "a.md", "two"))
    plugin.fail(changed, method="PUT", path="/vault/.trash/a.md")

    with pytest.raises(Conflict):
        vault.trash("a.md", expected="one")

    assert (root / "a.md").read_text() == "two"
    assert "DELETE" not in {method for method, _ in plugin.calls}


def test_a_note_that_turns_into_a_folder_is_never_deleted_as_one(root, plugin, vault):
    put(root / "a.md", "one")

    def turn():
        (root / "a.md").unlink()
        put(root / "a.md/b.md", "precious")

    plugin.fail(faults.meanwhile(turn), method="PUT", path="/vault/.trash/a.md")

    with pytest.raises(NotFound):
        vault.trash("a.md", expected="one")

    assert (root / "a.md/b.md").read_text() == "precious"


def test_a_note_that_somebody_else_deleted_first_is_trashed_all_the_same(root, plugin, vault):
    put(root / "a.md", "one")
    plugin.fail(faults.meanwhile((root / "a.md").unlink), method="DELETE")

    assert vault.trash("a.md", expected="one") == ".trash/a.md"
    assert (root / ".trash/a.md").read_text() == "one"


# Looking before anything


@pytest.mark.parametrize("version", ["2.0.4", "3.6.2", "4.1.7", "5.1.0"])
def test_every_version_from_two_on_can_be_used(root, version):
    with StandIn(root, KEY, version) as plugin, rest(plugin) as vault:
        assert vault.probe() is None

    assert plugin.calls == [("GET", "/")]


def test_a_wrong_key_is_told_before_anything_is_asked_with_it(plugin):
    other = RestVault(Access.of(plugin.url, "another-key"))

    with closing(other), pytest.raises(Misconfigured, match="ECHO_KEY"):
        other.probe()

    assert plugin.calls == [("GET", "/")]


@pytest.mark.parametrize("version", ["0.9", "1.6.9"])
def test_an_older_version_is_named_as_too_old(root, version):
    too_old = pytest.raises(Misconfigured, match=rf"version {version[:3]}, and 2\.0 or newer")

    with StandIn(root, KEY, version) as plugin, rest(plugin) as vault, too_old:
        vault.probe()


@pytest.mark.parametrize("said", [None, 5, "", "next", {"self": 2}])
def test_a_version_that_cannot_be_told_is_given_a_try(plugin, vault, said):
    about = {"service": "Obsidian Local REST API", "authenticated": True, "versions": said}
    plugin.fail(faults.answer(200, body=json.dumps(about).encode()))

    assert vault.probe() is None


def test_looking_touches_nothing(root, plugin, vault):
    put(root / "a.md")
    before = snapshot(root)

    vault.probe()
    vault.stamps()
    vault.read("a.md")

    assert snapshot(root) == before


# What the operator said


@pytest.mark.parametrize(
    "base",
    [
        "",
        "127.0.0.1:27124",
        "ftp://127.0.0.1",
        "file:///vault",
        "http://",
        "http://:27123",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://me:secret@127.0.0.1:27123",
        "http://127.0.0.1:27123/?a=b",
        "http://127.0.0.1:27123/#a",
        "http://127.0.0.1:27123/a b",
        "http://127.0.0.1:27123/\u00e9",
        "http://[::1",
        f"http://{'a' * 70}.example",
    ],
)
def test_an_address_that_is_none_is_refused(base):
    with pytest.raises(Misconfigured, match="ECHO_BASE") as refusal:
        RestVault(Access.of(base, KEY))

    assert "secret" not in refusal.value.message


@pytest.mark.parametrize("key", ["", " ", "a b", "a\r\nX-Other: b", "a\n", "cl\u00e9", "a\x00"])
def test_a_key_that_is_none_is_refused_and_not_repeated(key):
    with pytest.raises(Misconfigured, match="ECHO_KEY") as refusal:
        RestVault(Access.of("http://127.0.0.1:27123", key))

    assert not key.strip() or key not in refusal.value.message


@pytest.mark.parametrize("name", ["", "X Key", "X:", "a\r\nb", "\u00e9"])
def test_a_header_name_that_is_none_is_refused(name):
    with pytest.raises(Misconfigured, match="ECHO_AUTH_HEADER"):
        RestVault(Access.of("http://127.0.0.1:27123", KEY, auth_header=name))


def test_a_key_does_not_show_where_a_vault_is_printed(vault):
    inner = vars(vault)["_client"]

    assert KEY not in repr(vault) + repr(inner) + repr(vars(inner))
