"""Vaults for tests: every kind that there is, each over a folder that the test can see into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from echo_memory.folder_vault import FolderVault
from echo_memory.history import History
from echo_memory.history_vault import HistoryVault
from echo_memory.rest.access import Access
from echo_memory.rest_vault import RestVault
from echo_memory.vault import Vault
from olrapi.standin import StandIn

KEY = "0123456789abcdef-the-key"

# What a stand-in of each kind takes on; a kind without any is a folder itself.
KINDS: dict[str, dict[str, object] | None] = {
    "folder": None,
    "folder with a history": None,
    "rest 2.1.1": {"version": "2.1.1"},
    "rest 3.6.2": {"version": "3.6.2"},
    "rest 4.1.7": {"version": "4.1.7"},
    "rest 5.1.0": {"version": "5.1.0"},
    "rest with conditions": {"version": "5.1.0", "conditional": True},
}


@contextmanager
def opened(kind: str, root: Path) -> Iterator[Vault]:
    """A vault of a kind, over a folder."""
    plugin = KINDS[kind]
    if kind == "folder with a history":
        with closing(kept(FolderVault(root), root)) as vault:
            yield vault
        return
    if plugin is None:
        yield FolderVault(root)
        return
    with StandIn(root, KEY, **plugin) as stand_in, rest(stand_in) as vault:
        yield vault


def kept(vault: Vault, root: Path) -> HistoryVault:
    """A vault that keeps what is replaced in it, beside its folder."""
    state = root.with_name(f"{root.name}-state")
    history = History(state, str(root), clock=lambda: datetime.now(UTC), notify=print)
    return HistoryVault(vault, history)


@contextmanager
def rest(stand_in: StandIn, **said: object) -> Iterator[RestVault]:
    """The vault behind a stand-in; timeouts are long enough for anything that does answer."""
    address = {name: said.pop(name) for name in ("ca", "auth_header") if name in said}
    access = Access.of(stand_in.url, KEY, **address)
    with closing(RestVault(access, **{"timeout": 10.0, **said})) as vault:
        yield vault
