"""The opening: a memory over the vault that a configuration names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path

from echo_memory.acquaintance import Acquaintance
from echo_memory.catalog import Catalog
from echo_memory.config import Config
from echo_memory.copies import Copies
from echo_memory.errors import VaultUnreachable
from echo_memory.folder_vault import FolderVault
from echo_memory.history import History
from echo_memory.history_vault import HistoryVault
from echo_memory.index_store import IndexStore, Words
from echo_memory.locks import PathLocks
from echo_memory.memory import Clock, Memory, Notify, marker_path, to_stderr
from echo_memory.mirror import Check, Mirror
from echo_memory.outbox import Outbox
from echo_memory.rest_vault import RestVault
from echo_memory.shelf import Shelf
from echo_memory.vault import Vault

_GONE = (
    "The vault's marker note is gone, so this may be an empty mount point, or another vault is"
    " open. Mount or open the right one; if you removed the note yourself, run `bootstrap --anew`."
)
_ANOTHER = (
    "The vault's marker note is not the one that is known, so another vault may be open. Open the"
    " right one; if you changed the note yourself, run `bootstrap --anew`."
)


def open_memory(
    config: Config,
    *,
    clock: Clock | None = None,
    notify: Notify = to_stderr,
    words: Words | None = None,
    on_disk: bool = False,
) -> Memory:
    """Open the vault that a configuration names; nothing is asked of it yet.

    Args:
        config: which vault.
        clock: takes the place of the machine's.
        notify: takes progress chatter.
        words: how the words of all notes are kept for the next process; None keeps none.
        on_disk: whether the notes' texts are held on the disk instead of in memory.
    """
    address = str(config.vault)
    store = None
    if words is not None:
        store = IndexStore(config.state_dir, address, words, notify=notify)
    transport: Vault = (
        FolderVault(config.vault)
        if isinstance(config.vault, Path)
        else RestVault(config.vault, timeout=config.timeout, workers=config.workers)
    )
    shelf = Shelf(config.state_dir / "texts" if on_disk else None)
    catalog = Catalog(store, shelf=shelf, notify=notify)
    acquaintance = Acquaintance(config.state_dir, address)

    def now() -> datetime:
        return datetime.now(config.zone).astimezone(config.zone)

    history = History(config.state_dir, address, clock=clock or now, notify=notify)
    vault = HistoryVault(transport, history)
    return Memory(
        vault=vault,
        catalog=catalog,
        mirror=Mirror(
            vault,
            catalog,
            Copies(config.state_dir, address),
            check=_check_of(acquaintance),
            notify=notify,
        ),
        history=history,
        outbox=Outbox(config.state_dir, address),
        locks=PathLocks(config.state_dir),
        turns=PathLocks(config.state_dir / "turns"),
        clock=clock or now,
        config=config,
        acquaintance=acquaintance,
        notify=notify,
    )


def _check_of(acquaintance: Acquaintance) -> Check:
    """What sees whether a vault is the one that is known, and all of it."""

    def check(paths: Collection[str], changed: Callable[[str], str | None]) -> None:
        if marker_path() not in paths and acquaintance.is_made():
            raise VaultUnreachable(_GONE, in_doubt=False)
        marker = changed(marker_path())
        if marker is not None and acquaintance.is_of_another(marker):
            raise VaultUnreachable(_ANOTHER, in_doubt=False)

    return check
