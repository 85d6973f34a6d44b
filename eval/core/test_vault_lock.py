"""The vault lock: one holder at a time among all who use a vault, whatever kind of vault it is."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import vault_lock
from echo_memory.errors import Conflict, VaultUnreachable
from echo_memory.folder_vault import FolderVault
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.vault import Vault
from echo_memory.vault_lock import Held, acquire, clear, hold, holding, parse, release, to_text
from folders import put
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY, KINDS, opened, rest

LOCK = "_agent/locks/vault.json"
FREE = '{\n  "expires": null,\n  "holder": null,\n  "nonce": null\n}\n'
DAMAGED = [
    "",
    "{",
    "[]",
    "{}",
    '"text"',
    "5",
    "[" * 100_000,
    '{"holder": null, "nonce": null}',
    '{"holder": null, "nonce": "x", "expires": null}',
    '{"holder": "x", "nonce": "x", "expires": 5}',
    '{"holder": "x", "nonce": "x", "expires": "soon"}',
    '{"holder": "x", "nonce": "x", "expires": "2027-03-14"}',
    '{"holder": "x", "nonce": "x", "expires": "2027-03-14T09:26:53"}',
    b"\xff\xfe",
]


def at(vault: Vault, memory: Memory, state_dir: Path) -> Memory:
    """A memory on a machine of its own, with the vault that all share."""
    config = replace(memory.config, state_dir=state_dir)
    return replace(open_memory(config, clock=memory.clock, notify=memory.notify), vault=vault)


@pytest.fixture(params=KINDS)
def machines(
    request: pytest.FixtureRequest, memory: Memory, vault_folder: Path, tmp_path: Path
) -> Iterator[tuple[Memory, Memory]]:
    """Two machines that share a vault of some kind."""
    with opened(request.param, vault_folder) as vault:
        yield at(vault, memory, tmp_path / "laptop"), at(vault, memory, tmp_path / "desk")


@pytest.fixture
def file(memory: Memory, vault_folder: Path) -> Path:
    """The lock's file, which is not there yet."""
    (vault_folder / LOCK).unlink(missing_ok=True)
    return vault_folder / LOCK


def take(echo: Memory, name: str = "ada", seconds: int = 60) -> Held:
    """Ask for the lock; the nonce is the name's."""
    return acquire(echo, holder=name, nonce=f"nonce of {name}", seconds=seconds)


def later(echo: Memory, **delta: int) -> None:
    then = echo.clock() + timedelta(**delta)
    echo.clock = lambda: then


# One holder at a time, in every kind of vault


def test_whoever_comes_first_has_it_and_the_next_is_told_who(
    machines: tuple[Memory, Memory],
) -> None:
    laptop, desk = machines

    mine, theirs = take(laptop, "ada"), take(desk, "charles")

    assert mine == Held("ada", "nonce of ada", laptop.clock() + timedelta(seconds=60))
    assert theirs == mine == holding(desk)


def test_the_file_says_who_and_until_when(machines: tuple[Memory, Memory], file: Path) -> None:
    laptop, _ = machines

    take(laptop, "ada")

    assert file.read_text() == (
        '{\n  "expires": "2026-03-14T09:27:53+01:00",\n  "holder": "ada",\n'
        '  "nonce": "nonce of ada"\n}\n'
    )


def test_a_lock_that_was_given_back_is_the_same_file_whoever_had_it(
    machines: tuple[Memory, Memory], file: Path
) -> None:
    for echo, name in zip(machines, ["ada", "charles"], strict=True):
        take(echo, name)

        assert release(echo, f"nonce of {name}")

        assert file.read_text() == FREE
        assert holding(echo) is None


def test_who_does_not_have_it_can_not_give_it_back(
    machines: tuple[Memory, Memory], file: Path
) -> None:
    laptop, desk = machines
    take(laptop, "ada")
    before = file.read_text()

    assert not release(desk, "nonce of charles")

    assert file.read_text() == before


def test_giving_back_a_lock_that_nobody_ever_took_makes_no_file(
    machines: tuple[Memory, Memory], file: Path
) -> None:
    laptop, _ = machines

    assert not release(laptop, "nonce of ada")
    assert not clear(laptop)

    assert not file.exists()


def test_it_is_renewed_by_who_has_it(machines: tuple[Memory, Memory]) -> None:
    laptop, desk = machines
    take(laptop, "ada", seconds=60)
    for echo in machines:
        later(echo, seconds=59)

    take(laptop, "ada", seconds=60)

    assert take(desk, "charles").holder == "ada"
    assert take(desk, "charles").expires_in_s(desk.clock()) == 60


def test_it_is_taken_over_when_its_time_is_up_and_not_before(
    machines: tuple[Memory, Memory],
) -> None:
    laptop, desk = machines
    take(laptop, "ada", seconds=60)

    later(desk, seconds=59)
    assert take(desk, "charles").holder == "ada"
    later(desk, seconds=1)
    assert take(desk, "charles").holder == "charles"

    later(laptop, seconds=60)
    assert take(laptop, "ada").holder == "charles"
    assert not release(laptop, "nonce of ada")


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_is_free_and_says_so_to_who_asks(
    memory: Memory, file: Path, text: str | bytes
) -> None:
    put(file, text)

    with pytest.raises(ValueError):
        vault_lock.read(memory)
    assert holding(memory) is None
    assert not release(memory, "nonce of ada")
    assert take(memory).holder == "ada"


def test_a_damaged_file_is_taken_over_in_every_kind_of_vault(
    machines: tuple[Memory, Memory], file: Path
) -> None:
    put(file, "{")

    assert take(machines[0]).holder == "ada"
    assert release(machines[0], "nonce of ada")

    assert file.read_text() == FREE


@pytest.mark.parametrize(
    "text", [*DAMAGED, to_text(Held("x", "x", datetime.max.replace(tzinfo=UTC)))]
)
def test_clearing_frees_it_whatever_is_there(memory: Memory, file: Path, text: str | bytes) -> None:
    put(file, text)

    assert clear(memory)
    assert not clear(memory)

    assert file.read_text() == FREE


# Somebody else at the same moment


def test_of_many_who_ask_at_once_one_has_it(
    memory: Memory, vault_folder: Path, tmp_path: Path, file: Path
) -> None:
    together = threading.Barrier(8)

    def ask(number: int) -> str:
        echo = at(FolderVault(vault_folder), memory, tmp_path / f"machine {number}")
        together.wait()
        return take(echo, f"machine {number}").holder

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(ask, range(8)))

    assert len(answers) == 1
    assert answers.pop() in file.read_text()


class Busy(FolderVault):
    """A folder in which somebody writes right before or right after we do."""

    before: Callable[[], object] | None = None
    after: Callable[[], object] | None = None

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        if self.before:
            self.before()
        super().write(path, text, expected=expected)
        if self.after:
            self.after()


@pytest.fixture
def busy(memory: Memory, vault_folder: Path, tmp_path: Path) -> Memory:
    return at(Busy(vault_folder), memory, tmp_path / "laptop")


def theirs(echo: Memory, name: str = "charles") -> str:
    return to_text(Held(name, f"nonce of {name}", echo.clock() + timedelta(seconds=30)))


def test_somebody_who_was_faster_has_it(busy: Memory, file: Path) -> None:
    busy.vault.before = partial(put, file, theirs(busy))

    assert take(busy).holder == "charles"
    assert file.read_text() == theirs(busy)


def test_somebody_who_was_faster_twice_has_it(busy: Memory, file: Path) -> None:
    tries = iter(["{", theirs(busy)])
    busy.vault.before = lambda: put(file, next(tries))

    assert take(busy).holder == "charles"
    assert list(tries) == []


def test_somebody_who_wrote_over_ours_before_it_was_read_back_has_it(
    busy: Memory, file: Path
) -> None:
    busy.vault.after = partial(put, file, theirs(busy))

    assert take(busy).holder == "charles"
    assert not release(busy, "nonce of ada")
    assert file.read_text() == theirs(busy)


def test_over_http_too_who_wrote_last_has_it(
    memory: Memory, vault_folder: Path, file: Path, tmp_path: Path
) -> None:
    with StandIn(vault_folder, KEY) as plugin, rest(plugin) as vault:
        laptop = at(vault, memory, tmp_path / "laptop")

        def overwritten() -> None:
            if file.exists():
                put(file, theirs(laptop))

        plugin.fail(faults.meanwhile(overwritten), method="GET", path=f"/vault/{LOCK}", times=None)

        assert take(laptop).holder == "charles"


@pytest.mark.parametrize("text", [FREE, "{"])
def test_a_lock_that_changes_hands_too_fast_is_a_conflict(
    busy: Memory, file: Path, text: str
) -> None:
    busy.vault.after = partial(put, file, text)

    with pytest.raises(Conflict) as raised:
        take(busy)

    assert raised.value.details == {"path": LOCK}


def test_a_file_that_changes_at_every_try_is_nobodys(busy: Memory, file: Path) -> None:
    tries = iter(range(9))
    busy.vault.before = lambda: put(file, f"{next(tries)}")

    with pytest.raises(Conflict):
        take(busy)

    assert (file.read_text(), next(tries)) == ("1", 2)


# For the length of a block


def test_it_is_held_for_the_block_and_given_back(memory: Memory, file: Path) -> None:
    with hold(memory, seconds=30) as other:
        inside = holding(memory)

    assert other is None
    assert inside is not None
    assert inside.holder == vault_lock.default_holder(memory)
    assert inside.expires_in_s(memory.clock()) == 30
    assert file.read_text() == FREE


def test_it_is_given_back_when_the_block_fails(memory: Memory, file: Path) -> None:
    with pytest.raises(KeyError), hold(memory, seconds=30):
        raise KeyError

    assert file.read_text() == FREE


def test_the_block_learns_who_else_has_it_and_takes_nothing(memory: Memory, file: Path) -> None:
    mine = take(memory)
    before = file.read_text()

    with hold(memory, seconds=30) as other:
        pass

    assert other == mine
    assert file.read_text() == before


def test_two_blocks_of_one_process_do_not_share_it(memory: Memory) -> None:
    with hold(memory, seconds=30) as first, hold(memory, seconds=30) as other:
        assert first is None
        assert other is not None
        assert holding(memory) == other


def test_other_files_can_be_written_in_the_block(memory: Memory, vault_folder: Path) -> None:
    with hold(memory, seconds=30):
        memory.edit("_agent/index/entities.json", lambda _: "{}\n")

    assert (vault_folder / "_agent/index/entities.json").read_text() == "{}\n"


def test_a_lock_that_cannot_be_given_back_fails_nothing_and_is_told(
    memory: Memory, vault_folder: Path
) -> None:
    said: list[str] = []
    memory.notify = said.append

    with hold(memory, seconds=30):
        shutil.rmtree(vault_folder)

    assert len(said) == 1
    assert "expire" in said[0] and str(vault_folder) not in said[0]


def test_a_vault_that_is_not_there_is_no_free_lock(memory: Memory, vault_folder: Path) -> None:
    shutil.rmtree(vault_folder)

    with pytest.raises(VaultUnreachable):
        holding(memory)
    with pytest.raises(VaultUnreachable):
        take(memory)


@pytest.mark.parametrize(
    ("owner", "begins"),
    [("Ada", "Ada@"), ("A" * 200, "A" * 79 + "…"), ("Ada\nLovelace", "Ada Lovelace@")],
)
def test_the_holder_is_the_operator_at_this_machine_on_one_line(
    memory: Memory, owner: str, begins: str
) -> None:
    memory.config = replace(memory.config, owner=owner)

    with hold(memory, seconds=30):
        held = holding(memory)

    assert held is not None
    assert held.holder == vault_lock.default_holder(memory)
    assert held.holder.startswith(begins) and len(held.holder) <= vault_lock.MAX_HOLDER


@pytest.mark.parametrize("owner", ["", "\udcff"])
def test_there_is_a_holder_without_a_proper_owner_too(memory: Memory, owner: str) -> None:
    memory.config = replace(memory.config, owner=owner)

    with hold(memory, seconds=30) as other:
        held = holding(memory)

    assert other is None
    assert held is not None
    assert held.holder.strip("@") and "\udcff" not in held.holder


# What the file says


def test_an_hour_is_an_hour_when_clocks_are_set_back(memory: Memory) -> None:
    paris = ZoneInfo("Europe/Paris")
    before = datetime(2026, 10, 25, 2, 30, tzinfo=paris)  # at three it will be two once more
    memory.clock = lambda: before

    held = take(memory, seconds=3600)

    assert held.expires.isoformat() == "2026-10-25T02:30:00+01:00"
    assert held.expires_in_s(before) == 3600


@pytest.mark.parametrize(
    ("left", "seconds"),
    [("0", 0), ("-5", 0), ("0.1", 1), ("1", 1), ("59.000001", 60), ("86400", 86_400)],
)
def test_the_seconds_that_are_left_are_whole_and_rounded_up(left: str, seconds: int) -> None:
    now = datetime(2026, 3, 14, tzinfo=UTC)
    held = Held("ada", "x", now + timedelta(seconds=float(left)))

    assert held.expires_in_s(now) == seconds
    assert held.is_over(now) == (seconds == 0)


@pytest.mark.parametrize(
    ("moment", "over"), [("0001-01-01T00:00:00", True), ("9999-12-31T23:59:59", False)]
)
@pytest.mark.parametrize("offset", ["-23:00", "+23:00"])
def test_an_expiry_at_the_end_of_time_is_compared_all_the_same(
    memory: Memory, file: Path, moment: str, over: bool, offset: str
) -> None:
    put(file, f'{{"holder": "x", "nonce": "x", "expires": "{moment}{offset}"}}')

    held = vault_lock.read(memory)

    assert held is not None
    assert held.is_over(memory.clock()) is over
    assert (held.expires_in_s(memory.clock()) == 0) is over


@settings(max_examples=50)
@given(
    holder=st.text(st.characters(codec="utf-8"), max_size=30),
    nonce=st.text(min_size=1, max_size=30),
    expires=st.datetimes(timezones=st.just(UTC)).map(lambda it: it.replace(microsecond=0)),
)
def test_what_is_written_is_read_again(holder: str, nonce: str, expires: datetime) -> None:
    holder = " ".join(holder.split())

    assert parse(to_text(Held(holder, nonce, expires))) == Held(holder, nonce, expires)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=4
)


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["holder", "nonce", "expires", "more"]), ANYTHING, max_size=4
    ).map(json.dumps)
    | ANYTHING.map(json.dumps)
    | st.text()
)
def test_any_other_text_is_free_or_damaged_or_a_whole_lock(text: str) -> None:
    try:
        held = parse(text)
    except ValueError:
        return

    assert held is None or held.expires.tzinfo is not None
