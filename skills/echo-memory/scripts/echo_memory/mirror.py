"""The mirror: keeps the catalogue what the vault is, and remembers it for the next process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from echo_memory.catalog import Catalog
from echo_memory.copies import Copies, Copy
from echo_memory.errors import EchoError, NotFound
from echo_memory.note import Note
from echo_memory.vault import Stamp, Vault

Check = Callable[[Collection[str], Callable[[str], str | None]], None]
"""Takes the paths that the vault shows, and what gives the text of a note that changed since."""

_BATCH = 500  # notes that are read before they are taken over
_TOLD = 4 * _BATCH
_AT_ONCE = 25  # notes that are taken over while writers wait


def _nobody(_: str) -> None:
    """Whom it concerns where nobody is told."""


def _anything(_: Collection[str], __: Callable[[str], str | None]) -> None:
    """The check that takes what a vault shows for all of it."""


class Mirror:
    """Follows the vault, by its stamps; any number of threads may use it.

    It begins with the copies of an earlier process, so that only what changed since is read. What
    is written here is taken over at once, and nothing that was read before replaces it.
    """

    def __init__(
        self,
        vault: Vault,
        catalog: Catalog,
        copies: Copies,
        *,
        check: Check = _anything,
        notify: Callable[[str], None] = _nobody,
    ) -> None:
        """Nothing is read yet.

        Args:
            vault: what is followed.
            catalog: what is kept like it; nobody else changes that.
            copies: where the notes are remembered.
            check: raises where what the vault shows cannot be all of it.
            notify: told how far a long reading is.
        """
        self._notify = notify
        self._vault = vault
        self._catalog = catalog
        self._copies = copies
        self._check = check
        self._taking = threading.Lock()
        self._stamps: dict[str, Stamp] = {}
        self._own_writes = 0
        self._written_at: dict[str, int] = {}
        self._looking = threading.Lock()
        self._tried = threading.Event()
        self._confirmed = 0
        self._looks = self._last_look = 0
        self._restoring = threading.Lock()
        self._restored = False
        self._compared: float | None = None
        self._trouble: EchoError | None = None
        self._unread: tuple[str, ...] = ()

    @property
    def age_s(self) -> float | None:
        """Seconds since the vault was last compared; None before the first time."""
        return None if self._compared is None else max(0.0, time.time() - self._compared)

    @property
    def is_known(self) -> bool:
        """Whether the vault was ever compared, by this process or by one before it."""
        self._restore()
        return self._compared is not None

    @property
    def is_current(self) -> bool:
        """Whether this process has compared the vault, and did so when it last tried."""
        return self._last_look > 0 and self._trouble is None

    @property
    def trouble(self) -> EchoError | None:
        """What kept the last comparison from its end."""
        return self._trouble

    @property
    def unread(self) -> tuple[str, ...]:
        """The notes that are there, and that nobody could read so far."""
        return self._unread

    def refresh(self, *, checked: bool = True) -> None:
        """Read what changed in the vault since the last time.

        Threads take turns, so that an older look never replaces what a newer one saw; who waited
        while another's look began and ended needs none of its own.

        Args:
            checked: whether what the vault shows must pass the check.
        """
        self._restore()
        asked = self._looks
        with self._looking:
            if self._last_look > asked:
                return
            self._looks += 1
            try:
                if not self._vault.connections:
                    self._vault.probe()  # it says best what is wrong, and soonest
                self._look(checked=checked)
            except EchoError as error:
                self._trouble = error
                raise
            else:
                self._trouble = None
                self._last_look = self._looks
            finally:
                self._tried.set()

    def follow(self, paths: Collection[str]) -> bool:
        """Read notes of which somebody says that they changed; whether that was all there is.

        It is not where one of them is new, moved or gone: then the whole vault is to be compared.
        """
        if not all(path in self._catalog for path in paths):
            return False
        with self._looking:
            began = self._own_writes
            try:
                stamps = {path: self._vault.stamp(path) for path in paths}
            except EchoError:
                return False
            changed = [path for path, stamp in stamps.items() if self._stamps.get(path) != stamp]
            texts = self._vault.read_many(changed)
            self._take({path: (stamps[path], text) for path, text in texts.items()}, (), began)
        return len(texts) == len(changed)

    def others_wrote(self) -> bool:
        """Whether another process of ours has seen or written notes since this was asked last."""
        return self._copies.others_wrote()

    def await_first(self, seconds: float) -> None:
        """Wait until this process has tried to compare the vault once, but not longer."""
        self._tried.wait(seconds)

    def confirm(self, path: str) -> None:
        """See by one note that this is still the same vault, where the connection is a new one.

        A vault that says something else in it is compared as a whole.
        """
        connections = self._vault.connections
        if connections == self._confirmed and connections:
            return
        known = self._catalog.get(path)
        if self._vault.read_many([path]).get(path) != (known.text if known else None):
            self.refresh()
        self._confirmed = max(connections, self._vault.connections)

    def reread(self, paths: Iterable[str]) -> None:
        """Read some notes, whether or not they changed; those that are gone are forgotten.

        What a look read of them before does not replace what is read now.
        """
        wanted = list(paths)
        with self._taking:
            self._own_writes += 1
            began = self._own_writes
            self._written_at |= dict.fromkeys(wanted, began)
        texts = self._vault.read_many(wanted)
        missing = [path for path in wanted if path not in texts and path in self._catalog]
        gone = [path for path in missing if self._is_gone(path)]
        self._take({path: ("", text) for path, text in texts.items()}, gone, began)

    def put(self, path: str, text: str) -> None:
        """Take over what was just written, so that the very next reader sees it."""
        with self._taking:
            self._own_writes += 1
            self._written_at[path] = self._own_writes
            self._stamps.pop(path, None)
            note = Note(path, text)
            self._catalog.put(note)
        self._copies.update({path: _copy("", note)})

    def drop(self, path: str) -> None:
        """Forget a note that was just removed."""
        with self._taking:
            self._own_writes += 1
            self._written_at[path] = self._own_writes
            self._stamps.pop(path, None)
            self._catalog.drop(path)
        self._copies.update({}, [path])

    def close(self) -> None:
        """Let go of the copies' file."""
        self._copies.close()

    def _restore(self) -> None:
        with self._restoring:
            if self._restored:
                return
            self._compared = self._copies.read(self._take_over)
            self._restored = True

    def _look(self, *, checked: bool) -> None:
        self._copies.others_wrote()  # whoever writes from here on is asked for later
        began, now = self._own_writes, time.time()
        stamps = self._vault.stamps()
        if checked:
            self._check(stamps, lambda path: self._changed_text(stamps, path))
        changed = [path for path, stamp in stamps.items() if self._stamps.get(path) != stamp]
        gone = [path for path in self._catalog.all_paths() if path not in stamps]
        for at in range(0, len(changed), _BATCH):
            if at >= _BATCH and at % _TOLD == 0:
                self._notify(f"read {at:,} of {len(changed):,} notes")
            texts = self._vault.read_many(changed[at : at + _BATCH])
            self._take({path: (stamps[path], text) for path, text in texts.items()}, (), began)
        # At the last: until then, what was moved is known by its old place.
        self._take({}, gone, began)
        self._unread = tuple(sorted(path for path in stamps if path not in self._catalog))
        self._compared = now
        self._copies.compared(now, self._everything)

    def _changed_text(self, stamps: Mapping[str, Stamp], path: str) -> str | None:
        """What a note says now; None where it is the one that is known, or is no more."""
        if stamps.get(path) == self._stamps.get(path):
            return None
        return self._vault.read_many([path]).get(path)

    def _is_gone(self, path: str) -> bool:
        try:
            self._vault.stamp(path)
        except NotFound:
            return True
        return False

    def _take(
        self, found: Mapping[str, tuple[Stamp, str]], gone: Iterable[str], began: int
    ) -> None:
        """Take over what a look found, but for what was written here since it began.

        Args:
            found: stamp and text of notes, by path.
            gone: paths of notes that are no more.
            began: how many notes had been written here by then.
        """
        seen, fresh, forgotten = list(found.items()), dict[str, Copy](), list[str]()
        try:
            for at in range(0, len(seen), _AT_ONCE):
                part = seen[at : at + _AT_ONCE]
                copies = {path: _copy(stamp, Note(path, text)) for path, (stamp, text) in part}
                with self._taking:
                    older = {path: copies[path] for path in copies if self._is_older(path, began)}
                    self._take_over(older)
                fresh |= older
            for path in gone:
                with self._taking:
                    if self._is_older(path, began):
                        self._stamps.pop(path, None)
                        self._catalog.drop(path)
                        forgotten.append(path)
        finally:
            if fresh or forgotten:
                self._copies.update(fresh, forgotten)

    def _is_older(self, path: str, began: int) -> bool:
        """Whether a note was not written here since."""
        return self._written_at.get(path, 0) <= began

    def _take_over(self, found: Mapping[str, Copy]) -> None:
        self._catalog.put_all(
            Note.known(path, copy.text, copy.head, copy.signature) for path, copy in found.items()
        )
        for path, copy in found.items():
            if copy.stamp:
                self._stamps[path] = copy.stamp
            else:
                self._stamps.pop(path, None)

    def _everything(self) -> Iterator[tuple[str, Copy]]:
        for note in self._catalog.notes():
            yield note.path, _copy(self._stamps.get(note.path, ""), note)


def _copy(stamp: Stamp, note: Note) -> Copy:
    return Copy(stamp, note.text, note.head, note.signature)
