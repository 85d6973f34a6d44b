"""The catalogue: what the notes say, brought up to date by whatever changed in the folder."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo_memory import folder_vault
from echo_memory.catalog import Catalog
from echo_memory.copies import Copies
from echo_memory.errors import VaultUnreachable
from echo_memory.folder_vault import FolderVault
from echo_memory.memory import Memory
from echo_memory.mentions import mentioned
from echo_memory.mirror import Mirror
from echo_memory.note import Note
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.note import get_note_op, patch_op
from echo_memory.ops.resolve import resolve_op
from echo_memory.recallable import document
from echo_memory.vault import MAX_NOTE_BYTES, Stamp
from folders import put

ADA = "resources/people/ada.md"
TODAY = date(2026, 3, 14)


@pytest.fixture
def vault(vault_folder: Path) -> FolderVault:
    return FolderVault(vault_folder)


@pytest.fixture
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture
def mirror(vault: FolderVault, catalog: Catalog, tmp_path: Path) -> Iterator[Mirror]:
    with closing(Mirror(vault, catalog, Copies(tmp_path / "state", "vault"))) as following:
        yield following


def following(vault: FolderVault, state: Path) -> tuple[Catalog, Mirror]:
    """A catalogue and its mirror, of a process that knows nothing yet."""
    catalog = Catalog()
    return catalog, Mirror(vault, catalog, Copies(state / secrets.token_hex(8), "vault"))


def known(catalog: Catalog) -> dict[str, str]:
    return {note.path: note.text for note in catalog.notes()}


def found(catalog: Catalog, query: str) -> list[str]:
    return [hit.key for hit in catalog.search(query, today=TODAY, limit=9)]


# What changes in the folder


def test_a_catalogue_knows_nothing_before_its_first_look(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")

    assert (list(catalog.notes()), mirror.age_s) == ([], None)
    mirror.refresh()
    assert (known(catalog), catalog.note_count) == ({ADA: "# Ada\n"}, 1)
    assert mirror.age_s is not None


def test_a_note_that_a_person_made_changed_moved_or_deleted_is_seen_by_the_next_look(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    note = put(vault_folder / ADA, "# Ada\n")
    mirror.refresh()
    assert found(catalog, "ada") == [ADA]

    note.write_text("# Ada\n\nalias of nobody\n")
    mirror.refresh()
    assert found(catalog, "nobody") == [ADA]

    moved = "projects/active/ada.md"
    (vault_folder / "projects/active").mkdir(parents=True)
    note.rename(vault_folder / moved)
    mirror.refresh()
    assert (list(known(catalog)), found(catalog, "nobody")) == ([moved], [moved])
    assert [entity.kind for entity in catalog.entities] == ["project"]
    assert catalog.paths.named("ada") == (moved,)

    (vault_folder / moved).unlink()
    mirror.refresh()
    assert (known(catalog), found(catalog, "nobody")) == ({}, [])
    assert (list(catalog.entities), catalog.paths.named("ada")) == ([], ())


def test_a_note_that_is_rewritten_within_one_tick_and_size_is_seen(
    catalog: Catalog, mirror: Mirror, vault_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clocks of most file systems stand still for some milliseconds; here it does so for good.
    monkeypatch.setattr(folder_vault, "_times", lambda status: f"{status.st_size}-0-0")
    note = put(vault_folder / ADA, "# One\n")
    mirror.refresh()

    note.write_text("# Two\n")
    mirror.refresh()

    assert known(catalog)[ADA] == "# Two\n"


def test_a_note_whose_time_was_set_back_is_seen(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    note = put(vault_folder / ADA, "# One\n")
    os.utime(note, ns=(1_000, 1_000))
    mirror.refresh()

    note.write_text("# Two\n")
    os.utime(note, ns=(1_000, 1_000))
    mirror.refresh()

    assert known(catalog)[ADA] == "# Two\n"


def test_a_note_that_did_not_change_is_not_read_again(vault_folder: Path) -> None:
    class Counting(FolderVault):
        reads: list[str] = []  # noqa: RUF012

        def stamps(self) -> dict[str, Stamp]:
            return dict.fromkeys(super().stamps(), "settled")

        def read_many(self, paths: Iterable[str]) -> dict[str, str]:
            wanted = list(paths)
            self.reads += wanted
            return super().read_many(wanted)

    vault = Counting(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    put(vault_folder / ADA, "# Ada\n")
    mirror.refresh()
    first = catalog.get(ADA)

    mirror.refresh()

    assert vault.reads == [ADA]
    assert catalog.get(ADA) is first


def test_a_later_process_knows_every_note_without_looking_into_its_text(
    vault_folder: Path, tmp_path: Path
) -> None:
    put(vault_folder / ADA, "---\ntype: person\ntitle: Ada\n---\n\n# Countess\n")
    put(vault_folder / "resources/people/bob.md", "# Bob\n")
    put(vault_folder / "plain.md", "Before.\n\n# Plain\n")
    vault, copies = FolderVault(vault_folder), Copies(tmp_path / "state", "vault")
    with closing(Mirror(vault, Catalog(), copies)) as first:
        first.refresh()

    catalog = Catalog()
    with closing(Mirror(vault, catalog, copies)) as second:
        assert second.is_known
        second.refresh()

    read = {name for note in catalog.notes() for name in vars(note)}
    assert {note.title for note in catalog.notes()} == {"Ada", "Bob", "Plain"}
    assert {one.title for one in catalog.entities} == {"Ada", "Bob"}
    assert read >= {"signature", "head", "title", "handles"}
    assert read.isdisjoint({"_parts", "headings", "links", "searchable"})


def test_a_text_that_was_damaged_in_the_state_folder_is_put_right_when_the_note_is_read(
    vault_folder: Path, tmp_path: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    vault, copies = FolderVault(vault_folder), Copies(tmp_path / "state", "vault")
    with closing(Mirror(vault, Catalog(), copies)) as first:
        first.refresh()
    (file,) = (tmp_path / "state" / "copies").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("UPDATE note SET text = ?", (b"# Abb\n",))

    catalog = Catalog()
    with closing(Mirror(vault, catalog, copies)) as second:
        second.refresh()
        second.reread([ADA])

    assert [note.text for note in catalog.notes()] == ["# Ada\n"]


def test_a_note_that_was_touched_and_says_the_same_stays_the_same(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    mirror.refresh()
    first = catalog.get(ADA)

    os.utime(vault_folder / ADA, ns=(1_000, 1_000))
    mirror.refresh()

    assert catalog.get(ADA) is first


def test_a_note_that_cannot_be_read_hides_no_other(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    with put(vault_folder / "large.md", "x").open("r+b") as file:
        file.truncate(10_000_001)

    mirror.refresh()

    assert known(catalog) == {ADA: "# Ada\n"}


def test_a_look_at_a_vault_that_went_away_keeps_what_is_known(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    mirror.refresh()
    vault_folder.rename(vault_folder.with_name("elsewhere"))

    for _ in range(2):
        with pytest.raises(VaultUnreachable):
            mirror.refresh()

    assert known(catalog) == {ADA: "# Ada\n"}


def test_hidden_folders_and_other_files_are_not_notes(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    for path in (".obsidian/a.md", ".trash/b.md", "x/.hidden.md", "c.txt", "d.canvas", "e.md.bak"):
        put(vault_folder / path, "# x\n")

    mirror.refresh()

    assert known(catalog) == {}


def test_a_name_in_nfd_is_known_by_its_nfc_form(memory: Memory, vault_folder: Path) -> None:
    nfd = unicodedata.normalize("NFD", "zoë")
    put(vault_folder / f"resources/people/{nfd}.md", "# Zoë\n\nA friend.\n")

    assert get_note_op(memory, "zoë")["path"] == f"resources/people/{nfd}.md"
    assert resolve_op(memory, "Zoë")["match"]["path"] == f"resources/people/{nfd}.md"
    capture_op(memory, "Engine", kind="project", body="By Zoë.")
    assert memory.catalog.get("projects/active/engine.md") is not None
    (link,) = Note("projects/active/engine.md", memory.locate("engine").text).links
    assert memory.catalog.resolve(link, "") == f"resources/people/{nfd}.md"


# What we write ourselves


def test_own_writes_and_removals_are_known_at_once(
    catalog: Catalog, mirror: Mirror, vault: FolderVault, vault_folder: Path
) -> None:
    mirror.refresh()

    vault.write(ADA, "# Ada\n\nsteam\n", expected=None)
    mirror.put(ADA, "# Ada\n\nsteam\n")
    assert found(catalog, "steam") == [ADA]
    assert [entity.title for entity in catalog.entities] == ["Ada"]

    vault.trash(ADA, expected="# Ada\n\nsteam\n")
    mirror.drop(ADA)
    assert (found(catalog, "steam"), list(catalog.entities)) == ([], [])
    assert mentioned("Ada", catalog.names) == []

    mirror.refresh()
    assert known(catalog) == {}


def test_of_notes_that_are_told_to_have_changed_only_these_are_read(
    catalog: Catalog, mirror: Mirror, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    put(vault_folder / "eve.md", "# Eve\n")
    mirror.refresh()
    put(vault_folder / ADA, "# Ada\n\nNew.\n")
    put(vault_folder / "eve.md", "# Eve\n\nNew.\n")

    assert mirror.follow([ADA])
    assert known(catalog) == {ADA: "# Ada\n\nNew.\n", "eve.md": "# Eve\n"}
    assert found(catalog, "new") == [ADA]
    mirror.refresh()
    assert known(catalog)["eve.md"] == "# Eve\n\nNew.\n"


@pytest.mark.parametrize("told", ["new.md", "gone.md", "a folder", "closed.md", "../out.md"])
def test_what_is_told_and_is_no_known_note_that_can_be_read_is_left_to_a_comparison(
    catalog: Catalog, mirror: Mirror, vault_folder: Path, told: str
) -> None:
    put(vault_folder / ADA, "# Ada\n")
    put(vault_folder / "gone.md", "# Gone\n")
    put(vault_folder / "closed.md", "# Closed\n")
    mirror.refresh()
    before = known(catalog)
    (vault_folder / "gone.md").unlink()
    (vault_folder / "closed.md").write_bytes(b"x" * (MAX_NOTE_BYTES + 1))
    put(vault_folder / "new.md", "# New\n")

    assert not mirror.follow([told])
    assert known(catalog) == before


def test_what_we_write_while_a_change_is_followed_is_not_undone_by_it(vault_folder: Path) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    note = put(vault_folder / ADA, "# Old\n")
    mirror.refresh()
    note.write_text("# Theirs\n")

    def write() -> None:
        vault.write(ADA, "# Ours\n", expected="# Theirs\n")
        mirror.put(ADA, "# Ours\n")

    vault.meanwhile = write
    mirror.follow([ADA])

    assert known(catalog) == {ADA: "# Ours\n"}


def test_an_edit_by_a_person_after_ours_is_seen_by_the_next_look(
    catalog: Catalog, mirror: Mirror, vault: FolderVault, vault_folder: Path
) -> None:
    mirror.refresh()
    vault.write(ADA, "# Ada\n", expected=None)
    mirror.put(ADA, "# Ada\n")

    (vault_folder / ADA).write_text("# Eve\n")
    mirror.refresh()

    assert known(catalog) == {ADA: "# Eve\n"}


def test_after_our_write_no_stamp_is_trusted(vault_folder: Path) -> None:
    class Unstamped(FolderVault):
        def stamps(self) -> dict[str, Stamp]:
            return dict.fromkeys(super().stamps(), "always the same")

    catalog, mirror = following(Unstamped(vault_folder), vault_folder.parent)
    note = put(vault_folder / ADA, "# One\n")
    mirror.refresh()
    mirror.put(ADA, "# Two\n")

    note.write_text("# Three\n")
    mirror.refresh()

    assert known(catalog) == {ADA: "# Three\n"}


class Paused(FolderVault):
    """A folder in which something happens while somebody looks at it."""

    meanwhile: Callable[[], None] | None = None

    def read_many(self, paths: Iterable[str]) -> dict[str, str]:
        texts = super().read_many(paths)
        happening, self.meanwhile = self.meanwhile, None
        if happening:
            happening()
        return texts


def test_what_we_write_during_a_look_is_not_undone_by_it(vault_folder: Path) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    put(vault_folder / ADA, "# Old\n")
    put(vault_folder / "gone.md", "# Gone\n")

    def write() -> None:
        vault.write(ADA, "# New\n", expected="# Old\n")
        mirror.put(ADA, "# New\n")
        vault.trash("gone.md", expected="# Gone\n")
        mirror.drop("gone.md")
        vault.write("made.md", "# Made\n", expected=None)
        mirror.put("made.md", "# Made\n")

    vault.meanwhile = write
    mirror.refresh()

    assert known(catalog) == {ADA: "# New\n", "made.md": "# Made\n"}
    mirror.refresh()
    assert known(catalog) == {ADA: "# New\n", "made.md": "# Made\n"}


def test_a_look_that_waited_for_another_sees_what_changed_before_it_was_asked_for(
    vault_folder: Path,
) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    note = put(vault_folder / ADA, "# Old\n")
    second = threading.Thread(target=mirror.refresh)

    def change() -> None:
        note.write_text("# New\n")
        second.start()

    vault.meanwhile = change
    mirror.refresh()
    second.join()

    assert known(catalog) == {ADA: "# New\n"}


def test_an_error_of_one_look_is_not_taken_for_a_look_by_those_who_waited(
    vault_folder: Path,
) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    put(vault_folder / ADA, "# Ada\n")
    second = threading.Thread(target=mirror.refresh)

    def fail() -> None:
        second.start()
        raise VaultUnreachable("Away. Wait.")

    vault.meanwhile = fail
    with pytest.raises(VaultUnreachable):
        mirror.refresh()
    second.join()

    assert known(catalog) == {ADA: "# Ada\n"}


def at_once(*works: Callable[[int], object]) -> list[BaseException]:
    """Do each work twelve times, all of them side by side; returns what was raised."""
    faults: list[BaseException] = []

    def repeat(work: Callable[[int], object]) -> None:
        try:
            for number in range(12):
                work(number)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=repeat, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


def test_threads_that_write_search_and_look_all_at_once_end_with_what_is_in_the_folder(
    memory: Memory, vault_folder: Path
) -> None:
    def by_hand(number: int) -> None:
        path = vault_folder / f"resources/people/hand-{number}.md"
        put(path, f"# Hand {number}\n\nSee [[mind-{number}]]. steam\n")
        if number % 3 == 0:
            path.unlink()

    faults = at_once(
        lambda n: capture_op(memory, f"Mind {n}", kind="concept", body="steam", force=True),
        lambda n: capture_op(memory, f"Plan {n}", kind="project", body=f"Mind {n} steam"),
        by_hand,
        lambda _: memory.mirror.refresh(),
        lambda _: found(memory.catalog, "steam"),
    )

    assert faults == []
    memory.look()
    on_disk = {
        str(path.relative_to(vault_folder)): path.read_text() for path in vault_folder.rglob("*.md")
    }
    assert known(memory.catalog) == on_disk
    fresh, anew = following(FolderVault(vault_folder), vault_folder.parent)
    anew.refresh()
    assert memory.catalog.entities.to_json() == fresh.entities.to_json()
    assert found(memory.catalog, "steam mind hand") == found(fresh, "steam mind hand")


NAMES = st.sampled_from(["a", "b", "c"])
FOLDERS = st.sampled_from(["resources/people", "projects/active", "_agent/memory/semantic", "x"])
STEPS = st.tuples(
    st.sampled_from(["by hand", "by us", "removed by hand", "removed by us", "look", "search"]),
    st.tuples(FOLDERS, NAMES).map("/".join),
    st.sampled_from(["# A\n", "# A\n\nsteam [[b]]\n", "---\ntype: concept\n---\n[[a]]", "[[c]]"]),
)


@given(st.lists(STEPS, max_size=12))
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_happened_a_catalogue_ends_like_one_that_was_made_anew(
    vault: FolderVault, vault_folder: Path, steps: list[tuple[str, str, str]]
) -> None:
    for old in vault_folder.rglob("*.md"):
        old.unlink()
    catalog, mirror = following(vault, vault_folder.parent)
    for what, name, text in steps:
        path = f"{name}.md"
        file = vault_folder / path
        if what == "by hand":
            put(file, text)
        elif what == "by us":
            put(file, text)
            mirror.put(path, text)
        elif what == "removed by hand":
            file.unlink(missing_ok=True)
        elif what == "removed by us":
            file.unlink(missing_ok=True)
            mirror.drop(path)
        elif what == "look":
            mirror.refresh()
        else:
            found(catalog, "steam")

    mirror.refresh()
    fresh, anew = following(vault, vault_folder.parent)
    anew.refresh()

    assert known(catalog) == known(fresh)
    assert catalog.entities.to_json() == fresh.entities.to_json()
    assert mentioned("A, b and c", catalog.names) == mentioned("A, b and c", fresh.names)
    hits = catalog.search("steam a", today=TODAY, limit=9)
    assert hits == fresh.search("steam a", today=TODAY, limit=9)
    assert catalog.ties(hits[:1], limit=9) == fresh.ties(hits[:1], limit=9)
    assert {path: catalog.key_of(path) for path in known(catalog)} == {
        path: fresh.key_of(path) for path in known(fresh)
    }


# What a note is to recall


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("projects/archive/x.md", "---\nstatus: active\n---\n# X\n", "archived"),
        ("projects/active/x.md", "---\nstatus: Archived\n---\n# X\n", "archived"),
        ("projects/archived/x.md", "# X\n", ""),
        ("resources/people/x.md", "---\nstatus: [a]\n---\n# X\n", ""),
    ],
)
def test_a_note_in_the_archive_is_archived_whatever_it_says(
    path: str, text: str, expected: str
) -> None:
    assert document(Note(path, text)).status == expected


def test_the_agent_log_of_a_day_is_not_searched_but_the_rest_of_it_is() -> None:
    text = "# Day\n\nMine.\n\n## Agent Log\n\n- Captured\n\n## Evening\n\nMine too.\n"

    made = document(Note("journal/daily/2026-03-14.md", text))

    assert "Captured" not in made.body
    assert made.body.endswith("Mine.\n\n## Evening\n\nMine too.\n")
    assert made.headings == ("Day", "Evening")
    assert made.dates == ("2026-03-14",)


def test_a_link_to_a_note_that_shares_its_id_says_its_path(
    catalog: Catalog, mirror: Mirror
) -> None:
    for path in ("a/x.md", "b/X.md", "b/y.MD"):
        mirror.put(path, "")

    assert [catalog.key_of(path) for path in ("a/x.md", "b/X.md", "b/y.MD")] == ["a/x", "b/X", "y"]


def test_a_patched_key_is_in_recall_at_once(memory: Memory) -> None:
    capture_op(memory, "Engine", kind="project", body="Gears.")
    found(memory.catalog, "x")

    patch_op(
        memory,
        "engine",
        operation="append",
        target_type="frontmatter",
        target="aliases",
        content="Zeppelin",
    )

    assert found(memory.catalog, "zeppelin") == ["projects/active/engine.md"]


def test_a_folder_that_was_moved_is_known_by_its_old_place_until_the_new_one_was_read(
    vault_folder: Path,
) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    put(vault_folder / "old/ada.md", "# Ada\n")
    mirror.refresh()
    (vault_folder / "old").rename(vault_folder / "new")

    def fail() -> None:
        raise VaultUnreachable("Away. Wait.")

    vault.meanwhile = fail
    with pytest.raises(VaultUnreachable):
        mirror.refresh()

    assert known(catalog) == {"old/ada.md": "# Ada\n"}
    mirror.refresh()
    assert known(catalog) == {"new/ada.md": "# Ada\n"}


def test_notes_that_are_written_while_recall_is_made_ready_are_found(
    memory: Memory, vault_folder: Path
) -> None:
    for number in range(50):
        put(vault_folder / f"resources/concepts/old-{number}.md", f"# Old {number}\n\nsteam\n")
    memory.look()
    faults = at_once(
        lambda _: memory.catalog.prepare_recall(),
        lambda n: capture_op(memory, f"Fresh {n} thing", kind="concept", body="steam", force=True),
        lambda n: (vault_folder / f"resources/concepts/old-{n}.md").unlink(),
    )
    memory.look()

    assert faults == []
    hits = [hit.key for hit in memory.catalog.search("steam", today=TODAY, limit=99)]
    assert sorted(hits) == sorted(
        path for path in known(memory.catalog) if path.startswith("resources/concepts/")
    )


def test_a_long_reading_tells_how_far_it_is(memory: Memory, vault_folder: Path) -> None:
    for number in range(4_200):
        put(vault_folder / f"notes/{number}.md", f"# {number}\n")
    told: list[str] = []
    echo = open_memory(memory.config, clock=memory.clock, notify=told.append)

    echo.look()
    echo.catalog.prepare_recall()
    echo.close()

    assert [line.split(" of ")[0] for line in told[:2]] == ["read 2,000", "read 4,000"]
    assert told[2].startswith("looking through 4,")


def test_what_is_read_anew_is_not_replaced_by_what_a_look_read_before(vault_folder: Path) -> None:
    vault = Paused(vault_folder)
    catalog, mirror = following(vault, vault_folder.parent)
    note = put(vault_folder / ADA, "# Old\n")

    def reread() -> None:
        note.write_text("# New\n")
        mirror.reread([ADA])

    vault.meanwhile = reread
    mirror.refresh()

    assert known(catalog) == {ADA: "# New\n"}
