"""The list of all sessions of the home, stored and live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
from anyio.abc import TaskGroup

from dsh.data.catalogue import Catalogue, Page, SessionRow
from dsh.kernel import Events
from dsh.runtime.session.facts import SessionsChanged
from dsh.runtime.session.keeper import Keeper, contained, row_of
from dsh.runtime.session.session import Session


class Listing:
    """Pages of the catalogue, never behind the live sessions of this program."""

    def __init__(
        self,
        catalogue: Catalogue,
        keeper: Keeper,
        events: Events,
        group: TaskGroup,
        live: Mapping[str, Session],
    ) -> None:
        self._catalogue = catalogue
        self._keeper = keeper
        self._events = events
        self._group = group
        self._live = live
        self._scanned = False

    async def page(
        self, limit: int = 50, cursor: str | None = None, cwd: Path | None = None
    ) -> Page:
        """Stored sessions by last change, latest first; live ones once they are stored.

        The first call also has the disk scanned in the background, see
        :class:`SessionsChanged`, and waits for the newest when nothing is known yet.
        Raises :class:`~dsh.errors.DataError` BAD_CURSOR or INDEX_FAILED.
        """
        await self._keeper.save()
        where = str(cwd) if cwd is not None else None
        page = await self._catalogue.page(limit, cursor, where)
        if not self._scanned:
            self._scanned = True
            listed = anyio.Event()
            self._group.start_soon(contained, self.scan, listed.set)
            if not page.rows:
                await listed.wait()
                page = await self._catalogue.page(limit, cursor, where)
        return page

    async def row(self, session_id: str) -> SessionRow | None:
        """What the list shows of one session."""
        live = self._live.get(session_id)
        if live is not None:
            return row_of(live)
        return await self._catalogue.get(session_id)

    async def scan(self, progress: Callable[[], None] | None = None) -> None:
        """Make the catalogue agree with what is on disk.

        ``progress`` is called whenever more of it is listed, and at the end.
        """
        ours = [s.id for s in self._live.values() if s.writer is not None]
        try:
            added, removed = await self._catalogue.scan(ours, progress)
        finally:
            if progress is not None:
                progress()
        if added or removed:
            self._events.emit(SessionsChanged(added, removed))
