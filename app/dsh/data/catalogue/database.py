"""The SQLite file behind the catalogue: opened late, shared by processes, expendable.

Everything here blocks and belongs to one thread at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from dsh.data.private_files import make_private
from dsh.errors import DataError

R = TypeVar("R")

_VERSION = 1
_SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, folder TEXT NOT NULL, cwd TEXT NOT NULL,
    created INTEGER NOT NULL, updated INTEGER NOT NULL, title TEXT, preset TEXT,
    parent TEXT, events INTEGER NOT NULL, bytes INTEGER NOT NULL,
    mtime INTEGER NOT NULL, status TEXT NOT NULL, blank INTEGER NOT NULL, mode TEXT,
    provider TEXT, model TEXT, effort TEXT
) STRICT;
CREATE INDEX sessions_newest ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_of_cwd ON sessions (cwd, updated DESC, id DESC);
CREATE TABLE snapshots (
    session TEXT PRIMARY KEY, seq INTEGER NOT NULL, offset INTEGER NOT NULL,
    crc INTEGER NOT NULL, mtime INTEGER NOT NULL, generation INTEGER NOT NULL,
    marks BLOB NOT NULL, nodes BLOB NOT NULL, required BLOB NOT NULL
) STRICT;
CREATE TABLE states (
    session TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL,
    state BLOB NOT NULL, PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;
"""


class Database:
    """One connection that heals itself: a file that is no database is made anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def run(self, work: Callable[[sqlite3.Connection], R], *, writing: bool = False) -> R:
        """Do ``work`` in one transaction.

        Raises :class:`DataError` INDEX_FAILED when the file cannot be used at all.
        """
        try:
            return self._attempt(work, writing=writing)
        except (sqlite3.Error, OSError) as error:
            # This very type says that the file is damaged; those below it do not.
            if type(error) is not sqlite3.DatabaseError:
                raise _failed(error) from error
        try:
            self._remove()  # nothing in it is worth a repair
            return self._attempt(work, writing=writing)
        except (sqlite3.Error, OSError) as error:
            raise _failed(error) from error

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _attempt(self, work: Callable[[sqlite3.Connection], R], *, writing: bool) -> R:
        if self._connection is None:
            self._connection = _connect(self._path)
        with _transaction(self._connection, writing=writing):
            return work(self._connection)

    def _remove(self) -> None:
        with suppress(sqlite3.Error):  # it is damaged; the file goes either way
            self.close()
        self._connection = None
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    make_private(path.parent)
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=5, check_same_thread=False)
    try:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA trusted_schema=OFF")
        with _transaction(connection, writing=True):
            _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == _VERSION:
        return
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    for (table,) in tables:
        connection.execute(f'DROP TABLE "{table}"')
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={_VERSION}")


@contextmanager
def _transaction(connection: sqlite3.Connection, *, writing: bool) -> Iterator[None]:
    # A later upgrade of the lock could not wait its turn.
    connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
    with connection:
        yield


def _failed(error: Exception) -> DataError:
    return DataError(
        f"the catalogue of sessions cannot be used: {error}",
        code="INDEX_FAILED",
        remedy="Sessions themselves are safe; free disk space or close other programs.",
    )
