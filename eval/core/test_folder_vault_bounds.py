"""The bounds of a folder vault: nothing outside is read or touched; links inside work."""

import json
from pathlib import Path

import pytest

from echo_memory.errors import BadRequest, Conflict, NotFound
from folders import VERBS, put, run, snapshot

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = [
    path
    for paths in json.loads((FIXTURES / "hostile_paths.json").read_text("utf-8")).values()
    for path in paths
]


# Nothing outside


@pytest.mark.parametrize("verb", ["read", "stamp", "create", "replace", "trash"])
@pytest.mark.parametrize(
    "path",
    [
        "out.md",
        "far.md",
        "hidden.md",
        "chain.md",
        "dangling.md",
        "self.md",
        "round.md",
        "root.md",
        "out/secret.md",
        "out/new.md",
        "hidden/a.md",
        "above/secret.md",
        "loop/a.md",
        "inside/out.md",
    ],
)
def test_a_link_that_leads_out_of_sight_is_refused_and_not_listed(
    tmp_path, root, vault, verb, path
):
    put(tmp_path / "secret.md")
    put(root / ".trash/a.md")
    (root / "folder").mkdir()
    for link, target in {
        "out.md": tmp_path / "secret.md",
        "far.md": Path("../secret.md"),
        "hidden.md": Path(".trash/a.md"),
        "chain.md": Path("out.md"),
        "dangling.md": tmp_path / "new.md",
        "self.md": Path("self.md"),
        "round.md": Path("self.md"),
        "root.md": root,
        "out": tmp_path,
        "hidden": Path(".trash"),
        "above": Path(".."),
        "loop": Path("loop"),
        "inside": Path("folder"),
        "folder/out.md": tmp_path / "secret.md",
    }.items():
        (root / link).symlink_to(target)
    before = snapshot(tmp_path)

    with pytest.raises(BadRequest) as refusal:
        VERBS[verb](vault, path)

    assert refusal.value.details["field"] == "path"
    assert str(tmp_path) not in str(refusal.value.as_dict())
    assert vault.stamps() == {}
    assert vault.read_many([path]) == {}
    assert snapshot(tmp_path) == before


def test_a_hard_link_is_parted_from_its_other_name_outside(tmp_path, root, vault):
    put(tmp_path / "outside.md", "one")
    (root / "a.md").hardlink_to(tmp_path / "outside.md")

    vault.write("a.md", "two", expected="one")

    assert (tmp_path / "outside.md").read_text() == "one"
    assert vault.read("a.md") == "two"


# Links inside


def test_a_link_to_a_note_inside_is_written_through(root, vault):
    put(root / "folder/a.md", "one")
    (root / "alias.md").symlink_to("folder/a.md")

    vault.write("alias.md", "two", expected="one")

    assert (root / "alias.md").readlink() == Path("folder/a.md")
    assert vault.read("alias.md") == vault.read("folder/a.md") == "two"
    assert vault.stamps() == dict.fromkeys(["alias.md", "folder/a.md"], vault.stamp("alias.md"))


def test_a_link_to_a_note_that_is_not_there_yet_makes_that_note(root, vault):
    (root / "alias.md").symlink_to(root / "new/a.md")

    with pytest.raises(NotFound):
        vault.read("alias.md")
    vault.write("alias.md", "one", expected=None)

    assert (root / "alias.md").is_symlink()
    assert (root / "new/a.md").read_text() == "one"


def test_a_note_behind_a_link_is_not_made_twice(root, vault):
    put(root / "a.md", "one")
    (root / "alias.md").symlink_to("a.md")

    with pytest.raises(Conflict):
        vault.write("alias.md", "two", expected=None)

    assert vault.read("a.md") == "one"


def test_a_link_to_a_folder_inside_can_be_used_and_is_listed_once(root, vault):
    put(root / "folder/a.md", "one")
    (root / "alias").symlink_to("folder")
    (root / "folder/up").symlink_to("..")

    vault.write("alias/a.md", "two", expected="one")
    vault.write("folder/up/alias/new/b.md", "three", expected=None)

    texts = vault.read_many(vault.stamps())
    assert texts == {"folder/a.md": "two", "folder/new/b.md": "three"}


# Trash


def test_of_a_link_only_the_link_is_trashed(root, vault):
    put(root / "folder/a.md", "one")
    (root / "notes").mkdir()
    (root / "notes/alias.md").symlink_to("../folder/a.md")
    (root / "way").symlink_to("notes")

    went = vault.trash("way/alias.md", expected="one")

    assert (root / went).is_symlink()
    assert list(vault.stamps()) == ["folder/a.md"]


def test_a_trash_that_leads_out_takes_nothing(tmp_path, root, vault):
    (tmp_path / "outside").mkdir()
    (root / ".trash").symlink_to(tmp_path / "outside")
    put(root / "a.md", "one")
    before = snapshot(tmp_path)

    with pytest.raises(BadRequest):
        vault.trash("a.md", expected="one")

    assert snapshot(tmp_path) == before


SWAPPED = """
def swap(event, args):
    if event == sys.argv[2] and args[0] == sys.argv[3]:
        sys.argv[2] = None
        os.rename(f"{sys.argv[1]}/folder", f"{sys.argv[1]}/moved")
        os.symlink("../outside", f"{sys.argv[1]}/folder")
sys.addaudithook(swap)
"""


def test_a_folder_that_turns_into_a_link_during_a_read_shows_nothing_outside(tmp_path, root):
    put(tmp_path / "outside/a.md")
    put(root / "folder/a.md", "mine")

    with run(f"{SWAPPED}print(vault.read('folder/a.md'))", root, "open", "a.md") as process:
        said, _ = process.communicate()

    assert (root / "folder").is_symlink()
    assert said == "mine\n"


def test_a_folder_that_turns_into_a_link_during_a_write_changes_nothing_outside(tmp_path, root):
    put(tmp_path / "outside/a.md", "mine")
    put(root / "folder/a.md", "mine")
    before = snapshot(tmp_path / "outside")

    write = f"{SWAPPED}vault.write('folder/a.md', 'new', expected='mine')"
    with run(write, root, "open", "a.md") as process:
        process.communicate()

    assert snapshot(tmp_path / "outside") == before
    assert (root / "moved/a.md").read_text() == "new"
