"""The watcher: tells as soon as something changes in a folder, where the platform can."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import watchfiles

logger = logging.getLogger(__name__)

_GATHER_MS = 400
_STOP_WITHIN_S = 5.0


class Watcher:
    """Watches a folder in a thread of its own.

    It may see nothing, and not know it: of a share that others write to, a platform tells only what
    is changed through it. So who is told compares the folder now and then nevertheless.
    """

    def __init__(self, folder: Path, on_change: Callable[[frozenset[str]], None]) -> None:
        """Nothing runs yet.

        Args:
            folder: with all that is below it.
            on_change: called after changes, once for all of a moment, with the paths of notes and
                folders in the folder.
        """
        self._folder = folder
        self._on_change = on_change
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="echo-watch", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(_STOP_WITHIN_S)

    def _run(self) -> None:
        try:
            self._folder.stat()  # one that is not there would be watched without a word
            for changes in watchfiles.watch(
                self._folder,
                watch_filter=_is_note,
                debounce=_GATHER_MS,
                stop_event=self._stopping,
                raise_interrupt=False,
                force_polling=False,
                ignore_permission_denied=True,
            ):
                self._on_change(frozenset(self._inside(path) for _, path in changes))
        except Exception as error:  # whatever the platform lacks, who is told compares by itself
            reason = getattr(error, "strerror", None) or type(error).__name__
            logger.warning("the folder is not watched, only compared: %s", reason)

    def _inside(self, path: str) -> str:
        return os.path.relpath(path, self._folder).replace(os.sep, "/")


def _is_note(_: watchfiles.Change, path: str) -> bool:
    """Whether a change may be one of notes: in a folder, perhaps, or of a Markdown file."""
    name = path.rpartition("/")[2]
    return not name.startswith(".") and ("." not in name or name.lower().endswith(".md"))
