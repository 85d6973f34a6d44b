"""A vault that was known and has no marker now is taken for one that is not mounted."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from echo_memory.acquaintance import Acquaintance
from echo_memory.errors import NotBootstrapped, VaultUnreachable
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.recall import recall_op


def emptied(memory: Memory) -> Memory:
    """The same state folder over what an unmounted share leaves: an empty folder."""
    capture_op(memory, "Ada Lovelace", kind="person", body="x")
    shutil.rmtree(memory.config.vault)
    memory.config.vault.mkdir()
    return open_memory(memory.config, clock=memory.clock, notify=memory.notify)


@pytest.mark.parametrize("again", [True, False])
def test_of_an_empty_mount_point_the_last_copy_is_read_and_writes_wait(
    memory: Memory, again: bool
) -> None:
    fresh = emptied(memory)
    echo = fresh if again else memory

    recalled = recall_op(echo, "ada")
    captured = capture_op(echo, "Charles", kind="person")

    assert recalled["offline"]
    assert [hit["title"] for hit in recalled["primary"]] == ["Ada Lovelace"]
    assert captured["queued"]
    assert not any(memory.config.vault.iterdir())


def test_bootstrap_begins_anew_on_purpose(memory: Memory) -> None:
    echo = emptied(memory)

    with pytest.raises(VaultUnreachable, match="--anew"):
        bootstrap_op(echo)
    bootstrap_op(echo, anew=True)

    assert capture_op(echo, "Charles", kind="person")["action"] == "created"


def test_a_folder_that_was_never_a_vault_is_only_not_bootstrapped(
    memory: Memory, tmp_path: Path
) -> None:
    config = replace(memory.config, vault=tmp_path / "notes")
    (tmp_path / "notes").mkdir()
    echo = open_memory(config, clock=memory.clock, notify=memory.notify)

    with pytest.raises(NotBootstrapped):
        capture_op(echo, "Charles", kind="person")


def test_what_another_process_was_told_counts_here(tmp_path: Path) -> None:
    server, command = Acquaintance(tmp_path, "vault"), Acquaintance(tmp_path, "vault")
    server.make("old marker")
    before = server.is_of_another("new marker")

    command.renew("new marker")

    assert before
    assert not server.is_of_another("new marker")
    assert server.is_of_another("old marker")
