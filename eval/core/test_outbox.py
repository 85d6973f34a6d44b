"""The outbox keeps what it acknowledged, in order, whoever else writes and whatever is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.errors import VaultIO
from echo_memory.outbox import Outbox, Status
from folders import put, run, snapshot

NOON = datetime(2026, 3, 14, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=1)))
VAULT = "https://vault"

PRELUDE = """
from datetime import UTC, datetime
from pathlib import Path
from echo_memory.errors import VaultIO
from echo_memory.outbox import Outbox
state_dir, NOW = Path(sys.argv[1]), datetime.now(UTC)
outbox = Outbox(state_dir, "https://vault")
"""

ADDER = f"""{PRELUDE}
for number in range(100):
    print(outbox.add("capture", {{"title": sys.argv[2] + str(number)}}, NOW))
"""

PASSER_BY = f"""{PRELUDE}
for number in range(50):
    print(outbox.add("capture", {{"title": sys.argv[2] + str(number)}}, NOW))
    outbox.close()
"""

ENDLESS = f"""{PRELUDE}
while True:
    print(outbox.add("capture", {{"title": "x" * 2000}}, NOW), flush=True)
"""

ABRUPT = f"""{PRELUDE}
outbox.add("capture", {{"title": "kept"}}, NOW)
os.kill(os.getpid(), signal.SIGKILL)
"""

REPLAYER = f"""{PRELUDE}
with outbox.replaying() as alone:
    print(alone, flush=True)
    sys.stdin.read()
"""

# With an open connection, and in the midst of opening one.
FORKER = f"""{PRELUDE}
def in_a_child(title):
    child = os.fork()
    if not child:
        outbox.add("capture", {{"title": title}}, NOW)
        os._exit(0)
    os.waitpid(child, 0)

def hook(event, arguments):
    if event == "sqlite3.connect" and planned:
        in_a_child(planned.pop())

planned = []
sys.addaudithook(hook)
outbox.add("capture", {{"title": "parent"}}, NOW)
in_a_child("first child")
outbox.add("capture", {{"title": "parent again"}}, NOW)
outbox.close()
planned.append("second child")
outbox.add("capture", {{"title": "parent at last"}}, NOW)
"""

FULL_DISK = f"""{PRELUDE}
import resource
outbox.add("capture", {{"title": "small"}}, NOW)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
try:
    outbox.add("capture", {{"title": "x" * 100_000}}, NOW)
except VaultIO as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
outbox.add("capture", {{"title": "later"}}, NOW)
"""

READ_ONLY = f"""{PRELUDE}
os.chdir(state_dir)
outbox = Outbox(Path("/proc/self/cwd"), "https://vault")
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    outbox.add("capture", {{"title": "x"}}, NOW)
except VaultIO as error:
    print(error)
"""


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "state", VAULT)


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> Outbox:
    """One for many examples."""
    return Outbox(tmp_path_factory.mktemp("state"), VAULT)


def add(outbox: Outbox, title: str = "Ada") -> int:
    return outbox.add("capture", {"title": title}, NOON)


def titles(outbox: Outbox) -> list[str]:
    return [entry.arguments["title"] for entry in outbox.entries(limit=10_000)]


def database(outbox: Outbox, tmp_path: Path) -> Path:
    """A closed outbox with one entry."""
    add(outbox)
    outbox.close()
    return tmp_path / "state" / "outbox.sqlite"


def every_use(outbox: Outbox) -> list[Callable[[], object]]:
    return [
        lambda: add(outbox),
        outbox.waiting,
        outbox.next,
        outbox.status,
        outbox.entries,
        lambda: outbox.get(1),
        lambda: outbox.note(1, {"a": 1}),
        lambda: outbox.drop(1),
        lambda: outbox.postpone(1),
        lambda: outbox.park(1, {}),
        lambda: outbox.retry(1),
        lambda: outbox.drop(1),
    ]


# What an entry goes through.


def test_an_entry_comes_back_as_it_was_accepted(outbox: Outbox) -> None:
    entry_id = outbox.add("capture", {"title": "Ada", "tags": ["a"]}, NOON, in_doubt={"a.md": 1})

    entry = outbox.next()

    assert entry is not None
    assert (entry.id, entry.op, entry.arguments) == (
        entry_id,
        "capture",
        {"title": "Ada", "tags": ["a"]},
    )
    assert (entry.parked, entry.tries, entry.in_doubt, entry.outcome) == (False, 0, {"a.md": 1}, {})
    assert entry.accepted.isoformat() == NOON.isoformat()
    assert outbox.get(entry_id) == entry


def test_entries_are_replayed_in_the_order_they_came(outbox: Outbox) -> None:
    for title in "abc":
        add(outbox, title)

    replayed = []
    while entry := outbox.next():
        replayed.append(entry.arguments["title"])
        outbox.drop(entry.id)

    assert replayed == ["a", "b", "c"]
    assert outbox.status() == Status(waiting=0, parked=0, oldest=None)


def test_an_entry_that_failed_stays_first_and_remembers_it(outbox: Outbox) -> None:
    first = add(outbox, "a")
    add(outbox, "b")

    outbox.note(first, {"a.md": "what was written"})
    tries = [outbox.postpone(first), outbox.postpone(first)]

    entry = outbox.next()
    assert entry is not None
    assert tries == [1, 2]
    assert (entry.id, entry.tries, entry.in_doubt) == (first, 2, {"a.md": "what was written"})


def test_a_parked_entry_lets_the_others_pass_and_keeps_its_outcome(outbox: Outbox) -> None:
    first, second = add(outbox, "a"), add(outbox, "b")
    outbox.note(first, {"a.md": 1})

    outbox.park(first, {"ok": False, "action": "duplicate-gate"})

    parked, waiting = outbox.entries()
    assert (parked.id, parked.parked, parked.in_doubt) == (first, True, {})
    assert parked.outcome == {"ok": False, "action": "duplicate-gate"}
    assert outbox.next() == waiting
    assert waiting.id == second
    assert outbox.status() == Status(waiting=1, parked=1, oldest=NOON)


def test_an_entry_that_is_retried_is_back_in_its_old_place(outbox: Outbox) -> None:
    first, second = add(outbox, "a"), add(outbox, "b")
    outbox.postpone(first)
    outbox.park(first, {"ok": False})
    assert outbox.waiting() == 1

    assert outbox.retry(first)

    entry = outbox.next()
    assert entry is not None
    assert (entry.id, entry.parked, entry.tries, entry.outcome) == (first, False, 0, {})
    assert [each.id for each in outbox.entries()] == [first, second]


def test_an_id_is_never_used_again(outbox: Outbox) -> None:
    last = add(outbox)
    assert outbox.drop(last)
    outbox.close()

    assert add(outbox) > last


@pytest.mark.parametrize("nobody", [0, -1, 2, 2**63, 10**40, -(10**40)])
def test_what_is_done_to_an_entry_that_is_not_there_does_nothing(
    outbox: Outbox, nobody: int
) -> None:
    add(outbox)
    before = outbox.entries()

    outbox.note(nobody, {"a": 1})
    outbox.drop(nobody)
    outbox.park(nobody, {})

    assert outbox.get(nobody) is None
    assert (outbox.postpone(nobody), outbox.retry(nobody), outbox.drop(nobody)) == (0, False, False)
    assert outbox.entries() == before


def test_no_more_entries_are_listed_than_asked_for(outbox: Outbox) -> None:
    for title in "abc":
        add(outbox, title)

    assert [len(outbox.entries(limit=limit)) for limit in (-1, 0, 2, 10**30)] == [0, 0, 2, 3]


def test_vaults_that_share_a_state_folder_do_not_see_each_other(tmp_path: Path) -> None:
    one, other = Outbox(tmp_path, "one"), Outbox(tmp_path, "two \udcff")
    mine, theirs = add(one, "mine"), add(other, "theirs")
    one.park(theirs, {})
    one.drop(theirs)

    assert mine != theirs
    assert (titles(one), titles(other)) == (["mine"], ["theirs"])
    assert (one.get(theirs), one.drop(theirs), one.retry(theirs)) == (None, False, False)
    assert other.status() == Status(waiting=1, parked=0, oldest=NOON)


# What an entry may hold.

ANY_TEXT = st.text(st.characters(exclude_categories=()))
OFFSETS = st.integers(-86_399, 86_399).map(lambda s: timezone(timedelta(seconds=s)))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        ANY_TEXT,
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
            lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
        ),
    ),
    st.datetimes(timezones=OFFSETS),
)
def test_whatever_json_can_say_comes_back(
    common: Outbox, arguments: dict[str, object], accepted: datetime
) -> None:
    entry_id = common.add("op", arguments, accepted, in_doubt=arguments)

    waiting = common.get(entry_id)
    common.park(entry_id, arguments)
    parked = common.get(entry_id)

    assert waiting is not None
    assert parked is not None
    assert waiting.arguments == waiting.in_doubt == parked.outcome == arguments
    assert waiting.accepted.isoformat() == accepted.isoformat()


@pytest.mark.parametrize("odd", ["\udcff\udc80", "\ud800", "\ud83d\ude00", "\0", "\x1a", "\u2028"])
def test_text_that_is_no_unicode_comes_back(outbox: Outbox, odd: str) -> None:
    add(outbox, odd)

    assert titles(outbox) == [odd]


def test_an_instant_without_an_offset_is_refused(outbox: Outbox, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="offset"):
        outbox.add("capture", {}, NOON.replace(tzinfo=None))

    assert list(tmp_path.iterdir()) == []


# The file.


def test_looking_makes_no_file(outbox: Outbox, tmp_path: Path) -> None:
    for use in every_use(outbox)[1:]:
        use()
    outbox.close()

    assert list(tmp_path.iterdir()) == []


def test_what_was_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "deep" / "state", VAULT)

    add(outbox)

    made = list(tmp_path.rglob("*"))
    assert {path.name for path in made} >= {"outbox.sqlite", "outbox.sqlite-wal", "deep", "state"}
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_another_process_finds_what_was_added_while_the_file_is_open(
    outbox: Outbox, tmp_path: Path
) -> None:
    add(outbox, "mine")

    with run(ADDER, tmp_path / "state", "theirs") as process:
        process.communicate()

    assert titles(outbox)[:2] == ["mine", "theirs0"]


@pytest.mark.parametrize("script", [ADDER, PASSER_BY])
def test_processes_that_add_at_once_lose_nothing(tmp_path: Path, script: str) -> None:
    processes = [run(script, tmp_path / "state", name) for name in "abc"]
    said = {}
    for name, process in zip("abc", processes, strict=True):
        with process:
            said[name] = [int(line) for line in process.communicate()[0].split()]

    entries = Outbox(tmp_path / "state", VAULT).entries(limit=1000)
    kept = {name: [] for name in "abc"}
    for entry in entries:
        kept[entry.arguments["title"][0]].append(entry)
    for name in "abc":
        numbers = [int(entry.arguments["title"][1:]) for entry in kept[name]]
        assert numbers == list(range(100 if script == ADDER else 50))
        assert [entry.id for entry in kept[name]] == said[name]


def test_threads_that_add_and_look_at_once_lose_nothing(outbox: Outbox) -> None:
    def work(number: int) -> int:
        outbox.waiting()
        return add(outbox, str(number))

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(200)))

    assert sorted(ids) == [entry.id for entry in outbox.entries(limit=1000)]
    assert sorted(map(int, titles(outbox))) == list(range(200))


@pytest.mark.parametrize("attempt", range(5))
def test_many_that_come_first_at_once_make_one_file(tmp_path: Path, attempt: int) -> None:
    together = threading.Barrier(8)

    def first(_: int) -> int:
        mine = Outbox(tmp_path / "state", VAULT)
        together.wait()
        return add(mine)

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(first, range(8)))

    assert sorted(ids) == list(range(1, 9))
    assert len(titles(Outbox(tmp_path / "state", VAULT))) == 8


def test_what_a_killed_process_acknowledged_is_there(tmp_path: Path) -> None:
    with run(ENDLESS, tmp_path) as process:
        said = [process.stdout.readline() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.readlines()

    acknowledged = [int(line) for line in said if line.endswith("\n")]
    outbox = Outbox(tmp_path, VAULT)
    kept = [entry.id for entry in outbox.entries(limit=100_000)]
    assert len(acknowledged) >= 50
    assert kept[: len(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + 1
    assert add(outbox) > kept[-1]


def test_what_a_process_that_was_killed_while_making_the_file_left_is_no_hindrance(
    outbox: Outbox, tmp_path: Path
) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        put(tmp_path / "state" / "outbox" / f"new-outbox.sqlite{suffix}", "half")

    add(outbox)

    assert titles(outbox) == ["Ada"]


def test_a_forked_child_and_its_parent_both_go_on(tmp_path: Path) -> None:
    with run(FORKER, tmp_path) as process:
        process.communicate(timeout=60)

    assert titles(Outbox(tmp_path, VAULT)) == [
        "parent",
        "first child",
        "parent again",
        "second child",
        "parent at last",
    ]


def test_a_full_disk_is_said_and_harms_nothing_that_was_kept(tmp_path: Path) -> None:
    with run(FULL_DISK, tmp_path) as process:
        said, _ = process.communicate()

    assert said.startswith("The write could not be kept: ")
    assert titles(Outbox(tmp_path, VAULT)) == ["small", "later"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path, there: bool) -> None:
    tmp_path.chmod(0o755)
    if there:
        outbox = Outbox(tmp_path, VAULT)
        add(outbox)
        outbox.close()
        (tmp_path / "outbox.sqlite").chmod(0o644)

    with run(READ_ONLY, tmp_path) as process:
        said, _ = process.communicate()

    assert said.startswith("The write could not be kept: ")


def test_a_state_folder_that_is_none_is_said_without_its_place(tmp_path: Path) -> None:
    outbox = Outbox(put(tmp_path / "state"), VAULT)

    with pytest.raises(VaultIO, match=r"^The write could not be kept: .*ECHO_STATE_DIR") as refusal:
        add(outbox)

    assert str(tmp_path) not in str(refusal.value.as_dict())


def test_an_outbox_that_nobody_closed_leaves_nothing_open(outbox: Outbox, tmp_path: Path) -> None:
    add(outbox)
    abandoned = Outbox(tmp_path / "state", VAULT)
    abandoned.waiting()
    outbox.close()

    del abandoned

    left = {path.name for path in (tmp_path / "state").iterdir()}
    assert left == {"outbox", "outbox.sqlite"}


# A file that is not as it should be.


def damaged(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "foreign":
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE entries (id)")
            other.execute("PRAGMA user_version = 1")
        other.close()
    else:
        put(
            path,
            {
                "other text": b"My notes.\n" * 500,
                "no header": bytes(100) + data[100:],
                "cut short": data[: len(data) // 2],
                "empty": b"",
                "scrambled": data[:4096] + b"\xa5" * (len(data) - 4096),
            }[how],
        )


@pytest.mark.parametrize(
    "how", ["foreign", "other text", "no header", "cut short", "empty", "scrambled"]
)
def test_a_file_that_is_no_outbox_is_refused_and_left_as_it_is(
    outbox: Outbox, tmp_path: Path, how: str
) -> None:
    path = database(outbox, tmp_path)
    damaged(path, how)
    before = path.read_bytes()

    for use in every_use(outbox):
        with pytest.raises(VaultIO, match=r"cannot be read .* left as it is.* move outbox\.sqlite"):
            use()
    outbox.close()

    assert path.read_bytes() == before


def test_a_newer_outbox_is_refused_and_left_as_it_is(outbox: Outbox, tmp_path: Path) -> None:
    path = database(outbox, tmp_path)
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 2")
    newer.close()
    before = path.read_bytes()

    for use in every_use(outbox):
        with pytest.raises(VaultIO, match="newer version"):
            use()
    outbox.close()

    assert path.read_bytes() == before


def test_an_entry_that_is_damaged_is_said_and_can_be_dropped(
    outbox: Outbox, tmp_path: Path
) -> None:
    path = database(outbox, tmp_path)
    with sqlite3.connect(path) as other:
        other.execute("UPDATE entries SET arguments = '[1'")
    other.close()

    with pytest.raises(VaultIO, match=r"Entry 1 .* damaged.* `outbox drop 1`"):
        outbox.next()

    assert outbox.waiting() == 1
    assert outbox.drop(1)


def test_a_file_that_is_a_link_or_a_folder_is_refused(outbox: Outbox, tmp_path: Path) -> None:
    path = database(outbox, tmp_path)
    elsewhere = path.rename(tmp_path / "elsewhere.sqlite")
    before = elsewhere.read_bytes()

    path.symlink_to(elsewhere)
    with pytest.raises(VaultIO, match="cannot be read"):
        add(outbox)
    path.unlink()
    path.mkdir()
    with pytest.raises(VaultIO, match="cannot be read"):
        add(outbox)

    assert elsewhere.read_bytes() == before


def test_a_file_that_was_removed_while_open_is_made_anew(outbox: Outbox, tmp_path: Path) -> None:
    add(outbox, "gone")
    for path in (tmp_path / "state").glob("outbox.sqlite*"):
        path.unlink()

    assert outbox.waiting() == 0
    add(outbox, "new")

    assert titles(outbox) == titles(Outbox(tmp_path / "state", VAULT)) == ["new"]


def test_a_file_that_was_replaced_while_open_is_opened_anew(outbox: Outbox, tmp_path: Path) -> None:
    other = Outbox(tmp_path / "other", VAULT)
    add(other, "copy")
    other.close()
    add(outbox, "gone")
    for path in (tmp_path / "state").glob("outbox.sqlite*"):
        path.unlink()

    (tmp_path / "other" / "outbox.sqlite").rename(tmp_path / "state" / "outbox.sqlite")

    assert titles(outbox) == ["copy"]


def test_entries_whose_file_was_taken_away_are_not_thrown_away_with_it(
    outbox: Outbox, tmp_path: Path
) -> None:
    path, aside = tmp_path / "state" / "outbox.sqlite", tmp_path / "aside"
    add(outbox, "kept")
    path.rename(aside)
    before = snapshot(tmp_path)

    for use in every_use(outbox):
        with pytest.raises(VaultIO, match=r"outbox\.sqlite is gone, but not what belongs to it"):
            use()
    assert snapshot(tmp_path).keys() == before.keys()

    aside.rename(path)
    assert titles(outbox) == ["kept"]


def test_a_file_that_lost_all_it_held_does_not_cost_the_entries_beside_it(tmp_path: Path) -> None:
    with run(ABRUPT, tmp_path) as process:
        process.communicate()
    data = (tmp_path / "outbox.sqlite").read_bytes()
    put(tmp_path / "outbox.sqlite", b"")

    for use in every_use(Outbox(tmp_path, VAULT)):
        with pytest.raises(VaultIO, match="empty"):
            use()

    put(tmp_path / "outbox.sqlite", data)
    assert titles(Outbox(tmp_path, VAULT)) == ["kept"]


# Who replays.


def test_one_process_replays_at_a_time(outbox: Outbox, tmp_path: Path) -> None:
    with run(REPLAYER, tmp_path / "state") as process:
        assert process.stdout.readline() == "True\n"
        with outbox.replaying() as meanwhile:
            assert not meanwhile
            add(outbox)
        process.communicate("")

    with outbox.replaying() as alone:
        assert alone


def test_a_process_that_is_killed_replays_no_more(outbox: Outbox, tmp_path: Path) -> None:
    with run(REPLAYER, tmp_path / "state") as process:
        assert process.stdout.readline() == "True\n"
        process.send_signal(signal.SIGKILL)

    with outbox.replaying(wait=10) as alone:
        assert alone


def test_one_thread_replays_at_a_time_whichever_object_it_uses(
    outbox: Outbox, tmp_path: Path
) -> None:
    def other() -> list[bool]:
        with outbox.replaying() as same, Outbox(tmp_path / "state", "x").replaying() as another:
            return [same, another]

    with ThreadPoolExecutor(1) as pool, outbox.replaying() as alone:
        found = pool.submit(other).result()

    assert alone
    assert found == [False, False]


def test_the_one_that_replays_may_add_and_an_error_ends_it(outbox: Outbox) -> None:
    with pytest.raises(KeyError), outbox.replaying() as alone:
        assert alone
        add(outbox)
        raise KeyError

    with outbox.replaying() as alone:
        assert alone
