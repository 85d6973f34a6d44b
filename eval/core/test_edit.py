"""The edit primitive: read, change, compare, write; once more when somebody else was faster."""

import pytest

from echo_memory.errors import BadRequest, Conflict, NotFound
from echo_memory.folder_vault import FolderVault
from echo_memory.vault import Edit, edit


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.md").write_text("one\n")
    return tmp_path


def test_a_note_is_changed_and_both_texts_are_told(folder):
    done = edit(FolderVault(folder), "a.md", lambda text: f"{text}two\n")

    assert done == Edit(before="one\n", after="one\ntwo\n")
    assert done.changed
    assert (folder / "a.md").read_text() == "one\ntwo\n"


def test_a_change_of_nothing_writes_nothing(folder):
    before = (folder / "a.md").stat()

    done = edit(FolderVault(folder), "a.md", lambda text: text)

    after = (folder / "a.md").stat()
    assert not done.changed
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_missing_note_is_made_from_none(folder):
    done = edit(FolderVault(folder), "new/b.md", lambda text: f"{text}")

    assert done == Edit(before=None, after="None")
    assert done.changed
    assert (folder / "new" / "b.md").read_text() == "None"


def test_a_missing_note_can_be_made_empty(folder):
    done = edit(FolderVault(folder), "b.md", lambda _: "")

    assert done.changed
    assert (folder / "b.md").read_bytes() == b""


def test_a_change_that_raises_leaves_the_note_untouched(folder):
    def refuse(text):
        raise NotFound("There is nothing to change. Look again.", path="a.md")

    with pytest.raises(NotFound):
        edit(FolderVault(folder), "a.md", refuse)

    assert (folder / "a.md").read_text() == "one\n"
    assert [path.name for path in folder.iterdir()] == ["a.md"]


def test_an_edit_by_somebody_else_meanwhile_is_kept(folder):
    seen = []

    def change(text):
        seen.append(text)
        if len(seen) == 1:
            (folder / "a.md").write_text("one\nby hand\n")
        return f"{text}two\n"

    done = edit(FolderVault(folder), "a.md", change)

    assert seen == ["one\n", "one\nby hand\n"]
    assert done == Edit(before="one\nby hand\n", after="one\nby hand\ntwo\n")
    assert (folder / "a.md").read_text() == done.after


def test_a_note_that_changes_at_every_try_is_a_conflict_and_keeps_the_last_text(folder):
    tries = []

    def change(text):
        tries.append(text)
        (folder / "a.md").write_text(f"by hand {len(tries)}")
        return "mine"

    with pytest.raises(Conflict) as refusal:
        edit(FolderVault(folder), "a.md", change)

    assert len(tries) == 2
    assert refusal.value.details == {"path": "a.md"}
    assert (folder / "a.md").read_text() == "by hand 2"


def test_a_note_that_is_made_meanwhile_is_not_overwritten(folder):
    def change(text):
        if text is None:
            (folder / "b.md").write_text("theirs\n")
        return f"{text or ''}mine\n"

    done = edit(FolderVault(folder), "b.md", change)

    assert done.before == "theirs\n"
    assert (folder / "b.md").read_text() == "theirs\nmine\n"


def test_a_note_that_is_deleted_meanwhile_is_changed_from_none(folder):
    seen = []

    def change(text):
        seen.append(text)
        (folder / "a.md").unlink(missing_ok=True)
        return "mine"

    done = edit(FolderVault(folder), "a.md", change)

    assert seen == ["one\n", None]
    assert done == Edit(before=None, after="mine")


def test_a_path_that_leaves_the_vault_is_refused_before_anything_is_changed(folder):
    with pytest.raises(BadRequest):
        edit(FolderVault(folder), "../a.md", lambda _: pytest.fail("the change was made"))
