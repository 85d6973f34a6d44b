"""The history's vault: a vault in which no text is replaced before it has been kept.

What a write only adds to is not kept, unless the deed says so: nothing of it is lost. What this
project alone writes, for machines or about itself, is not kept either.
"""

from __future__ import annotations

from collections.abc import Iterable

from echo_memory import deed, difference, routing
from echo_memory.errors import VaultIO
from echo_memory.history import History
from echo_memory.vault import Stamp, Vault
from echo_memory.vault_paths import safe_path

_OURS = ("heartbeat", "health")


class HistoryVault:
    """A vault over another; what is no write goes straight there."""

    def __init__(self, vault: Vault, history: History) -> None:
        self._vault = vault
        self._history = history
        table = routing.table()
        self._ours = {*table.files.values(), *(table.fixed[name].path for name in _OURS)}

    def stamps(self) -> dict[str, Stamp]:
        """See Vault."""
        return self._vault.stamps()

    def stamp(self, path: str) -> Stamp:
        """See Vault."""
        return self._vault.stamp(path)

    def read(self, path: str) -> str:
        """See Vault."""
        return self._vault.read(path)

    def read_many(self, paths: Iterable[str]) -> dict[str, str]:
        """See Vault."""
        return self._vault.read_many(paths)

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        """See Vault.

        Raises:
            VaultIO: also when the write would lose text that the history cannot keep.
        """
        safe_path(path)
        if expected is not None:
            self._keep(path, expected, text)
        self._vault.write(path, text, expected=expected)
        deed.current().written[path] = text

    def trash(self, path: str, *, expected: str) -> str:
        """See Vault. The trash has the text as well, so that it goes on without the history."""
        safe_path(path)
        try:
            self._history.keep(path, expected, op=deed.current().op, loses=True)
        except VaultIO as error:
            deed.current().warnings.append(_not_kept(error))
        return self._vault.trash(path, expected=expected)

    def probe(self) -> None:
        """See Vault."""
        self._vault.probe()

    @property
    def connections(self) -> int:
        """See Vault."""
        return self._vault.connections

    def seems_gone(self) -> bool:
        """See Vault."""
        return self._vault.seems_gone()

    def close(self) -> None:
        """See Vault."""
        self._vault.close()
        self._history.close()

    def _keep(self, path: str, before: str, after: str) -> None:
        """Keep a text that is about to be replaced, where that is called for.

        Of several writes of one deed to a note, the text before the first of them is what counts.
        """
        doing, is_kept = deed.current(), False
        if before == after or path in self._ours:
            return
        if doing.written.get(path) == before:
            if path not in doing.began:  # it was made by this deed, or is kept already
                return
            before, is_kept = doing.began[path]
        loses = difference.loses(before, after)
        if loses or (doing.keeps and not is_kept):
            is_kept = self._stored(path, before, loses=loses)
        if loses:
            doing.began.pop(path, None)
        else:
            doing.began[path] = before, is_kept

    def _stored(self, path: str, text: str, *, loses: bool) -> bool:
        """Whether a text could be kept.

        Raises:
            VaultIO: it could not, and would be lost.
        """
        doing = deed.current()
        try:
            self._history.keep(path, text, op=doing.op, loses=loses)
        except VaultIO as error:
            if loses:
                raise VaultIO(
                    "The note was left as it was, for the text that it would lose could not be"
                    f" kept first. {error.message}",
                    path=path,
                ) from error
            doing.warnings.append(_not_kept(error))
            return False
        return True


def _not_kept(error: VaultIO) -> str:
    return f"This cannot be undone with restore. {error.message}"
