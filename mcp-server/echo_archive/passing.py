"""Passing faults: what kept something from being read just now, and may be over another time."""

from __future__ import annotations

import errno
import sqlite3

# These say something of the path itself; without a number it is the content that is wrong.
_OF_THE_PATH = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
_OF_THE_MOMENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_PRIMARY = 0xFF


def may_pass(problem: BaseException) -> bool:
    """Whether it is worth reading again: a disk, a permission or a lock, and not what was read."""
    if isinstance(problem, sqlite3.Error):
        return (getattr(problem, "sqlite_errorcode", 0) & _PRIMARY) in _OF_THE_MOMENT
    if isinstance(problem, OSError):
        return problem.errno is not None and problem.errno not in _OF_THE_PATH
    return isinstance(problem, MemoryError)
