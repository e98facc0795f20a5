"""The list of all sessions and their snapshots, as rebuildable as it is quick.

The logs are the authority. The database may be deleted at any time: a scan finds the
sessions again, and opening one folds its log again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
import anyio.to_thread
import msgspec

from dsh.data.catalogue import queries
from dsh.data.catalogue.rows import SessionRow, Snapshot, peek
from dsh.data.log import LOG
from dsh.errors import DataError

if TYPE_CHECKING:
    import sqlite3

    from dsh.data.catalogue.database import Database

R = TypeVar("R")

_BATCH: Final = 100  # logs that are peeked at between two writes


class Page(msgspec.Struct):
    """Part of the list; ``cursor`` gets the next part, None at the end."""

    rows: list[SessionRow]
    cursor: str | None


class Catalogue:
    """The catalogue of one home. Nothing is opened before the first use.

    Every method but :meth:`close` may raise :class:`DataError` INDEX_FAILED.
    """

    def __init__(self, index: Path, sessions: Path) -> None:
        self._index = index
        self._sessions = sessions
        self._database: Database | None = None
        self._one_at_a_time = anyio.CapacityLimiter(1)

    async def page(
        self, limit: int = 50, cursor: str | None = None, cwd: str | None = None
    ) -> Page:
        """Sessions by last change, latest first. Raises DataError BAD_CURSOR too."""
        before = _read_cursor(cursor) if cursor is not None else None
        rows = await self._run(lambda db: queries.newest(db, limit + 1, before, cwd))
        more = len(rows) > limit
        last = rows[limit - 1] if more else None
        return Page(rows[:limit], f"{last.updated}:{last.id}" if last else None)

    async def get(self, session: str) -> SessionRow | None:
        """What is known of one session."""
        return await self._run(lambda db: queries.get(db, session))

    async def put(self, rows: Collection[SessionRow]) -> None:
        """Add or replace rows."""
        if rows:
            await self._write(lambda db: queries.put(db, rows))

    async def remove(self, sessions: Collection[str]) -> None:
        """Forget sessions."""
        if sessions:
            await self._write(lambda db: queries.remove(db, sessions))

    async def snapshot(self, session: str) -> Snapshot | None:
        """The folded states of a session."""
        return await self._run(lambda db: queries.get_snapshot(db, session))

    async def put_snapshot(self, session: str, snapshot: Snapshot) -> None:
        """Replace the folded states of a session."""
        await self._write(lambda db: queries.put_snapshot(db, session, snapshot))

    async def scan(
        self, live: Collection[str] = (), progress: Callable[[], None] | None = None
    ) -> tuple[list[str], list[str]]:
        """Compare with the disk: returns the sessions added and removed.

        New or changed logs are read at both ends only, the newest first; ``progress`` is
        called whenever more of them are listed. ``live`` sessions stay as they are:
        whoever writes them keeps their rows.
        """
        known = await self._run(queries.stamps)
        found, changed = await anyio.to_thread.run_sync(_survey, self._sessions, known)
        kept = frozenset(live)
        removed = [id_ for id_ in known if id_ not in found and id_ not in kept]
        if removed:
            await self._write(lambda db: queries.remove(db, removed))
        changed = [folder for folder in changed if folder.name not in kept]
        added: list[str] = []
        for start in range(0, len(changed), _BATCH):
            batch = changed[start : start + _BATCH]
            rows = await anyio.to_thread.run_sync(_peek_all, batch)
            await self.put(rows)
            added += [row.id for row in rows if row.id not in known]
            if progress is not None:
                progress()
        return added, removed

    async def close(self) -> None:
        """Close the database."""
        database = self._database
        if database is not None:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(
                    database.close, limiter=self._one_at_a_time
                )

    async def _write(self, work: Callable[[sqlite3.Connection], None]) -> None:
        await self._run(work, writing=True)

    async def _run(
        self, work: Callable[[sqlite3.Connection], R], *, writing: bool = False
    ) -> R:
        if self._database is None:
            # sqlite3 is not for the start.
            from dsh.data.catalogue.database import Database

            self._database = Database(self._index)
        database = self._database
        return await anyio.to_thread.run_sync(
            lambda: database.run(work, writing=writing), limiter=self._one_at_a_time
        )


def _read_cursor(cursor: str) -> tuple[int, str]:
    updated, _, session = cursor.partition(":")
    try:
        return int(updated), session
    except ValueError:
        raise DataError(f"{cursor!r} is no cursor", code="BAD_CURSOR") from None


def _survey(
    sessions: Path, known: dict[str, tuple[str, int, int]]
) -> tuple[set[str], list[Path]]:
    """The ids on disk, and the folders that are not as they were known, newest first."""
    found: set[str] = set()
    changed: list[tuple[int, Path]] = []
    for workspace in _folders(sessions):
        for entry in _folders(workspace.path):
            folder = Path(entry.path)
            try:
                stat = (folder / LOG).stat()
            except OSError:
                continue  # a folder without a log is no session
            found.add(entry.name)
            stamp = (f"{workspace.name}/{entry.name}", stat.st_size, stat.st_mtime_ns)
            if known.get(entry.name) != stamp:
                changed.append((stat.st_mtime_ns, folder))
    changed.sort(reverse=True)
    return found, [folder for _, folder in changed]


def _peek_all(folders: list[Path]) -> list[SessionRow]:
    rows = [(folder, peek(folder)) for folder in folders]
    return [row for folder, row in rows if row is not None and row.id == folder.name]


def _folders(parent: Path | str) -> Iterable[os.DirEntry[str]]:
    try:
        with os.scandir(parent) as entries:
            return [e for e in entries if e.is_dir(follow_symlinks=False)]
    except OSError:
        return []  # not created yet, or not ours: there is nothing to list in it
