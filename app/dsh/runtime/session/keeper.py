"""Keeps the catalogue in step with the live sessions, a moment behind them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVarTuple, Unpack, cast

import anyio

from dsh.data.catalogue import Catalogue, SessionRow, Status, row_of_header
from dsh.data.events import Event
from dsh.runtime.session.session import Session

Arguments = TypeVarTuple("Arguments")
_log = logging.getLogger(__name__)

DELAY: Final = 1.0  # seconds; also keeps SQLite away from the start of a short run
SNAPSHOT_EVERY: Final = 2_000  # events


class Keeper:
    """Remembers which sessions changed and writes their rows and snapshots in bulk.

    The catalogue is expendable, so its errors are logged and never reach a session.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._changed: set[Session] = set()
        self._snapshots: dict[Session, int] = {}
        self._wake = anyio.Event()

    def note(self, session: Session, event: Event) -> None:
        """An event was appended."""
        if event.type == "assistant/chunk":
            return
        self._changed.add(session)
        self._wake.set()

    async def run(self) -> None:
        """Write behind, until cancelled."""
        while True:
            await self._wake.wait()
            await anyio.sleep(DELAY)
            self._wake = anyio.Event()
            await self.save()

    async def save(self) -> None:
        """Bring the rows of all changed sessions up to date, and old snapshots too."""
        changed, self._changed = self._changed, set()
        rows = [row_of(session) for session in changed]
        await contained(self._catalogue.put, rows)
        for session in changed:
            last = self._snapshots.setdefault(session, session.opened_at)
            if session.tip - last >= SNAPSHOT_EVERY:
                self._snapshots[session] = session.tip
                snapshot = session.snapshot()
                await contained(self._catalogue.put_snapshot, session.id, snapshot)

    async def settle(self, session: Session) -> None:
        """A session was closed and is all written: store its final row and snapshot."""
        self._changed.discard(session)
        self._snapshots.pop(session, None)
        row, snapshot = row_of(session), session.snapshot()
        try:
            stat = await anyio.Path(session.path).stat()
        except OSError:
            return  # deleted under our hands: there is nothing to remember
        if stat.st_size == session.size:  # else somebody else has touched it
            row.mtime = snapshot.mtime = stat.st_mtime_ns
        await contained(self._catalogue.put_snapshot, session.id, snapshot)
        await contained(self._catalogue.put, [row])

    def forget(self, session: Session) -> None:
        """A session was closed that is not to be stored."""
        self._changed.discard(session)
        self._snapshots.pop(session, None)


async def contained(
    work: Callable[[Unpack[Arguments]], Awaitable[object]], *arguments: *Arguments
) -> None:
    """Do work whose failure is nobody's but the log's."""
    try:
        await work(*arguments)
    except Exception:  # noqa: BLE001  # see above
        _log.exception("%s", getattr(work, "__qualname__", work))


def row_of(session: Session) -> SessionRow:
    """What lists show of a live session."""
    folder = session.path.parent
    row = row_of_header(session.header, f"{folder.parent.name}/{folder.name}")
    row.updated, row.events, row.bytes = session.changed, session.tip + 1, session.size
    row.title, row.preset, row.blank = session.title, session.preset, session.blank
    row.mode, row.status = session.sandbox_mode, _status(session)
    header = session.request_header
    if header is not None:
        config = cast("dict[str, str]", header["config"])
        row.provider, row.model = config["provider"], config["model"]
        row.effort = config.get("reasoningEffort")
    return row


def _status(session: Session) -> Status:
    if session.open_approvals:
        return "waiting"
    if session.open_turn is not None:
        return "running"
    return "failed" if session.ended == "error" else "idle"
