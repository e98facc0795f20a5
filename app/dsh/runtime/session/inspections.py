"""Read-only views of stored sessions, without lock or repair."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from dsh.data.catalogue import Snapshot
from dsh.runtime.session.loading import load
from dsh.runtime.session.projection import Projections
from dsh.runtime.session.session import Session

_KEPT: Final = 4
_Stamp = tuple[int, int, int]


class Inspections:
    """The last few views, for those who page through a history."""

    def __init__(self, projections: Projections) -> None:
        self._projections = projections
        self._views: dict[Path, tuple[_Stamp, Session]] = {}

    async def view(
        self, path: Path, snapshot: Callable[[str], Awaitable[Snapshot | None]]
    ) -> Session:
        """The session of a log as it is now; raises as `load`."""
        stat = await anyio.Path(path).stat()
        stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        known = self._views.pop(path, None)
        if known is not None and known[0] == stamp:
            session = known[1]
        else:
            session = await self._load(path, await snapshot(path.parent.name))
        self._views[path] = (stamp, session)
        if len(self._views) > _KEPT:
            del self._views[next(iter(self._views))]
        return session

    async def _load(self, path: Path, snapshot: Snapshot | None) -> Session:
        loaded = await anyio.to_thread.run_sync(load, path, self._projections, snapshot)
        reason = loaded.fault or "it is only being looked at"
        session = Session(loaded.header, path, loaded.fold, read_only=reason)
        session.fault = loaded.fault
        return session
