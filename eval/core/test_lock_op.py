"""Lock and unlock: the operator keeps a vault to themselves, over many commands."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from command_line import NOW, Echo
from echo_memory import vault_lock
from echo_memory.catalog import Catalog
from echo_memory.copies import Copies
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest, NotBootstrapped, VaultIO
from echo_memory.locks import PathLocks
from echo_memory.memory import Memory
from echo_memory.mirror import Mirror
from echo_memory.opening import open_memory
from echo_memory.ops.lock import lock_op, unlock_op
from echo_memory.vault_lock import Held, to_text
from folders import put
from vaults import KINDS, opened

LOCK = "_agent/locks/vault.json"
FREE = to_text(None)


@pytest.fixture
def file(vault_folder: Path) -> Path:
    return vault_folder / LOCK


@pytest.fixture(params=KINDS)
def shared(request: pytest.FixtureRequest, memory: Memory, vault_folder: Path) -> Iterator[Memory]:
    """The memory, with a vault of some kind over the same folder."""
    kind = request.param
    with opened(kind, vault_folder) as vault:
        catalog, copies = Catalog(), Copies(memory.config.state_dir, kind)
        mirror = Mirror(vault, catalog, copies)
        yield replace(memory, vault=vault, catalog=catalog, mirror=mirror)
        copies.close()


def elsewhere(echo: Memory, state_dir: Path, owner: str = "Charles") -> Memory:
    """The same vault on another machine."""
    return replace(
        echo,
        locks=PathLocks(state_dir),
        turns=PathLocks(state_dir / "turns"),
        config=replace(echo.config, state_dir=state_dir, owner=owner),
    )


def again(echo: Memory) -> Memory:
    """What the next command finds."""
    return open_memory(echo.config, clock=echo.clock, notify=echo.notify)


def later(echo: Memory, **delta: int) -> None:
    then = echo.clock() + timedelta(**delta)
    echo.clock = lambda: then


def nonces(state_dir: Path) -> list[Path]:
    return [path for path in (state_dir / "nonces").rglob("*") if path.is_file()]


# Taking and giving back


def test_it_is_taken_for_a_quarter_of_an_hour_by_the_operator_here(shared: Memory) -> None:
    answer = lock_op(shared)

    assert answer == {
        "ok": True,
        "op": "lock",
        "action": "locked",
        "holder": vault_lock.default_holder(shared),
        "expires": "2026-03-14T09:41:53+01:00",
        "expires_in_s": 900,
    }
    assert answer["holder"].startswith("Ada Operator@")


def test_it_is_given_back_once(shared: Memory, file: Path) -> None:
    lock_op(shared)

    first, second = unlock_op(shared), unlock_op(shared)

    assert first == {"ok": True, "op": "unlock", "action": "unlocked"}
    assert second == {"ok": True, "op": "unlock", "action": "unchanged"}
    assert file.read_text() == FREE


def test_another_machine_is_told_who_has_it_and_for_how_long(
    shared: Memory, tmp_path: Path, file: Path
) -> None:
    lock_op(shared, seconds=60, holder=" Ada, moving notes ")
    desk = elsewhere(shared, tmp_path / "desk")
    before = file.read_text()
    held = {"ok": False, "action": "lock-held", "holder": "Ada, moving notes", "expires_in_s": 60}

    assert lock_op(desk) == {**held, "op": "lock"}
    assert unlock_op(desk) == {**held, "op": "unlock"}
    assert file.read_text() == before


def test_another_machine_takes_over_what_expired(shared: Memory, tmp_path: Path) -> None:
    lock_op(shared, seconds=60)
    desk = elsewhere(shared, tmp_path / "desk")
    for echo in (shared, desk):
        later(echo, seconds=60)

    assert lock_op(desk)["action"] == "locked"
    assert lock_op(shared)["action"] == "lock-held"


def test_force_frees_it_whoever_has_it(shared: Memory, tmp_path: Path, file: Path) -> None:
    lock_op(shared)
    desk = elsewhere(shared, tmp_path / "desk")

    assert unlock_op(desk, force=True)["action"] == "unlocked"

    assert file.read_text() == FREE
    assert unlock_op(desk, force=True)["action"] == "unchanged"
    assert lock_op(desk)["action"] == "locked"
    assert unlock_op(shared)["action"] == "lock-held"


def test_the_next_command_renews_it_and_gives_it_back(memory: Memory, file: Path) -> None:
    lock_op(memory, seconds=60)
    later(memory, seconds=50)

    renewed = lock_op(again(memory), seconds=60)

    assert (renewed["action"], renewed["expires_in_s"]) == ("locked", 60)
    assert unlock_op(again(memory))["action"] == "unlocked"
    assert file.read_text() == FREE


def test_ours_that_expired_is_given_back_too(memory: Memory, file: Path) -> None:
    lock_op(memory, seconds=60)
    later(memory, hours=1)

    assert unlock_op(memory)["action"] == "unlocked"

    assert file.read_text() == FREE


def test_somebody_elses_that_expired_is_free_and_stays_as_it_is(memory: Memory, file: Path) -> None:
    put(file, to_text(Held("Charles", "x", memory.clock())))
    before = file.read_text()

    assert unlock_op(memory)["action"] == "unchanged"

    assert file.read_text() == before


@pytest.mark.parametrize(("force", "action"), [(False, "unchanged"), (True, "unlocked")])
def test_a_damaged_lock_counts_as_free_and_is_mended_by_force(
    memory: Memory, file: Path, force: bool, action: str
) -> None:
    put(file, "{")

    assert unlock_op(memory, force=force)["action"] == action

    assert file.read_text() == (FREE if force else "{")


def test_unlocking_what_was_never_locked_writes_nothing(memory: Memory, file: Path) -> None:
    file.unlink(missing_ok=True)

    assert unlock_op(memory)["action"] == "unchanged"
    assert unlock_op(memory, force=True)["action"] == "unchanged"

    assert not file.exists()


def test_a_short_lock_of_the_same_person_is_told_like_any_other(memory: Memory) -> None:
    with vault_lock.hold(memory, seconds=30):
        met = lock_op(memory), unlock_op(memory)

    assert [(it["action"], it["expires_in_s"]) for it in met] == [("lock-held", 30)] * 2
    assert lock_op(memory)["action"] == "locked"


def test_short_locks_keep_away_from_the_operators(memory: Memory) -> None:
    lock_op(memory, holder="Ada")

    with vault_lock.hold(memory, seconds=30) as other:
        pass

    assert other is not None
    assert other.holder == "Ada"
    assert unlock_op(memory)["action"] == "unlocked"


# By what it is known to be ours


def test_the_nonce_is_kept_for_its_owner_alone_until_the_lock_is_given_back(
    memory: Memory,
) -> None:
    lock_op(memory)
    (kept,) = nonces(memory.config.state_dir)
    mode, nonce = stat.S_IMODE(kept.stat().st_mode), kept.read_text().strip()
    held = vault_lock.holding(memory)

    unlock_op(memory)

    assert held is not None
    assert (mode, nonce) == (0o600, held.nonce)
    assert nonces(memory.config.state_dir) == []


def test_two_vaults_have_nonces_of_their_own(memory: Memory, tmp_path: Path) -> None:
    lock_op(memory)
    other = replace(memory, config=replace(memory.config, vault=tmp_path / "other"))

    assert unlock_op(other)["action"] == "lock-held"
    assert unlock_op(memory)["action"] == "unlocked"


@pytest.mark.parametrize("content", [b"", b"0123", b"\xff" * 32, b"x" * 32])
def test_half_a_nonce_is_none(memory: Memory, content: bytes) -> None:
    lock_op(memory)
    (kept,) = nonces(memory.config.state_dir)
    unlock_op(memory)
    put(kept, content)

    assert unlock_op(memory)["action"] == "unchanged"
    put(kept, content)
    assert lock_op(memory)["action"] == "locked"
    assert unlock_op(memory)["action"] == "unlocked"


@pytest.mark.parametrize("op", [lock_op, unlock_op])
def test_a_nonce_that_cannot_be_kept_takes_no_lock(
    memory: Memory, file: Path, op: Callable[[Memory], Envelope]
) -> None:
    place = memory.config.state_dir / "nonces"
    lock_op(memory)
    (kept,) = nonces(memory.config.state_dir)
    unlock_op(memory)
    (place / kept.name).mkdir()

    with pytest.raises(VaultIO) as raised:
        op(memory)

    assert "ECHO_STATE_DIR" in raised.value.message
    assert str(memory.config.state_dir) not in raised.value.message
    assert file.read_text() == FREE


# Arguments, and a folder that is no vault


@pytest.mark.parametrize("seconds", [9, 86_401, -1, True, "60", 60.0, None])
def test_seconds_are_a_whole_number_within_bounds(memory: Memory, seconds: object) -> None:
    with pytest.raises(BadRequest) as raised:
        lock_op(memory, seconds=seconds)

    assert raised.value.details["field"] == "seconds"


@pytest.mark.parametrize("seconds", [10, 86_400])
def test_the_bounds_are_within_them(memory: Memory, seconds: int) -> None:
    assert lock_op(memory, seconds=seconds)["expires_in_s"] == seconds


@pytest.mark.parametrize("holder", ["a\nb", "x" * 81, "\x1b[2J", 5])
def test_a_holder_is_one_short_line(memory: Memory, file: Path, holder: object) -> None:
    file.unlink(missing_ok=True)

    with pytest.raises(BadRequest) as raised:
        lock_op(memory, holder=holder)

    assert raised.value.details["field"] == "holder"
    assert not file.exists()


def test_force_is_true_or_false(memory: Memory) -> None:
    with pytest.raises(BadRequest) as raised:
        unlock_op(memory, force="yes")

    assert raised.value.details["field"] == "force"


@pytest.mark.parametrize("op", [lock_op, unlock_op])
def test_a_folder_that_is_no_vault_has_no_lock(
    memory: Memory, tmp_path: Path, op: Callable[[Memory], Envelope]
) -> None:
    (tmp_path / "bare").mkdir()
    config = replace(memory.config, vault=tmp_path / "bare")

    with pytest.raises(NotBootstrapped):
        op(open_memory(config, clock=memory.clock))

    assert not any((tmp_path / "bare").iterdir())


# On the command line


def test_a_day_with_the_lock_on_the_command_line(echo: Echo, file: Path) -> None:
    taken = echo("lock", "--seconds", "60", "--holder", "Ada", "--json")
    renewed = echo("lock", "--json")
    given = echo("unlock", "--json")

    assert (taken.status, taken.envelope["holder"], taken.envelope["expires_in_s"]) == (
        0,
        "Ada",
        60,
    )
    assert (renewed.status, renewed.envelope["expires_in_s"]) == (0, 900)
    assert (given.status, given.envelope["action"]) == (0, "unlocked")
    assert file.read_text() == FREE


@pytest.mark.parametrize("command", ["lock", "unlock"])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_lock_that_is_held_is_an_answer_with_a_status_of_its_own(
    echo: Echo, file: Path, command: str, as_json: bool
) -> None:
    put(file, to_text(Held("Charles@desk", "x", NOW + timedelta(seconds=90))))

    said = echo(command, *(["--json"] if as_json else []))

    assert (said.status, said.err) == (75, "")
    if as_json:
        assert said.envelope["expires_in_s"] == 90
    else:
        assert said.out == (
            "lock-held: Charles@desk has the vault's lock, for 90 s more."
            " Try again then; `unlock --force` frees a lock whose holder is gone.\n"
        )


def test_force_on_the_command_line_frees_it(echo: Echo, file: Path) -> None:
    put(file, to_text(Held("Charles@desk", "x", NOW + timedelta(seconds=90))))

    said = echo("unlock", "--force")

    assert (said.status, said.out) == (0, "unlocked: the vault's lock is free.\n")
    assert file.read_text() == FREE


def test_a_bad_number_of_seconds_is_a_bad_argument(echo: Echo) -> None:
    assert echo("lock", "--seconds", "5").status == 64
