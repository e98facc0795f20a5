"""The session service: creates, opens, lists and closes sessions of one home."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from zlib import crc32

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from dsh.data import locks
from dsh.data.catalogue import Catalogue, Page, SessionRow, Snapshot, peek
from dsh.data.clock import now_ms
from dsh.data.events import Event, Header
from dsh.data.events.envelope import FORMAT
from dsh.data.ids import new_session_id
from dsh.data.locks import Holder, Lock
from dsh.data.log import (
    LOCK,
    LOG,
    Checks,
    LogFile,
    LogThread,
    LogWriter,
    Place,
    cut_at_damage,
    find_folder,
    header_line,
    session_folder,
)
from dsh.data.paths import Home
from dsh.errors import DataError
from dsh.kernel import Events
from dsh.runtime.session.core import CORE
from dsh.runtime.session.facts import (
    SessionAppended,
    SessionClosed,
    SessionOpened,
    SessionStopped,
)
from dsh.runtime.session.fold import Fold
from dsh.runtime.session.inspections import Inspections
from dsh.runtime.session.keeper import Keeper, contained
from dsh.runtime.session.listing import Listing
from dsh.runtime.session.loading import load, load_for_writing
from dsh.runtime.session.projection import Projection, Projections
from dsh.runtime.session.session import Session

_FOLLOW_EVERY: Final = 0.5  # seconds


class Sessions:
    """Every live session of this program, and the way to the others.

    ``strict`` checks schema and order of every event as well (for tests: it is slow).
    """

    def __init__(
        self, home: Home, events: Events, thread: LogThread, group: TaskGroup
    ) -> None:
        self.projections = Projections(CORE, self._projection_added)
        self.strict = False
        self._folder = home.sessions
        self._events = events
        self._thread = thread
        self._group = group
        self._live: dict[str, Session] = {}
        self._catalogue = Catalogue(home.index, home.sessions)
        self._keeper = Keeper(self._catalogue)
        self.listing = Listing(self._catalogue, self._keeper, events, group, self._live)
        self._opening: dict[str, asyncio.Future[Session]] = {}
        self._closing: dict[str, anyio.Event] = {}
        self._following = False
        self._inspections = Inspections(self.projections)

    @classmethod
    @asynccontextmanager
    async def running(cls, home: Home, events: Events) -> AsyncIterator[Sessions]:
        """The service, while the block is open. At its end everything is written and
        every lock is free.
        """
        failure: Exception | None = None
        async with LogThread.running() as thread:
            group = anyio.create_task_group()
            self = cls(home, events, thread, group)
            try:
                async with group:
                    group.start_soon(self._keeper.run)
                    try:
                        yield self
                    except Exception as error:  # noqa: BLE001  # raised again below
                        failure = error  # the task group would wrap it
                    finally:
                        group.cancel_scope.cancel()
            finally:  # nothing is being opened any more
                with anyio.CancelScope(shield=True):
                    await self._close_all()
                    await self._catalogue.close()
        if failure is not None:
            raise failure

    @property
    def live(self) -> Mapping[str, Session]:
        """The sessions that are open here, by id."""
        return MappingProxyType(self._live)

    async def create(
        self,
        cwd: Path,
        *,
        preset: str | None = None,
        parent: str | None = None,
        id: str | None = None,  # noqa: A002  # the word the header uses
    ) -> Session:
        """A new session. Nothing is on disk before its first event.

        Raises :class:`DataError` SESSION_EXISTS for an ``id`` that is taken, FOLDER_NAME
        for a folder whose name a log cannot hold.
        """
        if id is not None and await self.find(id) is not None:
            raise DataError(f"there is already a session {id}", code="SESSION_EXISTS")
        real = _real(cwd)
        header = Header(FORMAT, id or new_session_id(), now_ms(), real, preset, parent)
        path = session_folder(self._folder, real, header.id) / LOG
        line = header_line(header)
        fold = Fold(Place(0, len(line), crc32(line)), self.projections)
        session = self._session(header, path, fold, self._checks())
        return self._enter(session, LogFile(path, header))

    async def open(self, id: str) -> Session:  # noqa: A002  # the word the header uses
        """Resume a session (or return the live one).

        Takes its lock, repairs a torn tail and closes what a crash left open. A session
        that another program holds, or that is damaged, comes read-only; its
        ``read_only`` says why, and opening it again tries again. Raises
        :class:`DataError` SESSION_NOT_FOUND, SESSION_DAMAGED (not even a header) or
        FORMAT_NEWER.
        """
        while (closing := self._closing.get(id)) is not None:
            await closing.wait()
        live = self._live.get(id)
        if live is not None and live.writer is not None:
            return live
        future = self._opening.get(id)
        if future is None:
            future = asyncio.get_running_loop().create_future()
            self._opening[id] = future
            # A task of our own: who asked may be cancelled while the log is repaired.
            self._group.start_soon(self._open, id, future)
        return await asyncio.shield(future)

    async def inspect(self, id: str) -> Session:  # noqa: A002  # the word the header uses
        """A read-only view of a session (the live one when it is live).

        Takes no lock and writes nothing; raises as :meth:`open`. The last few views are
        kept, for those who page through a history.
        """
        if id in self._live:
            return self._live[id]
        return await self._inspections.view(await self._path(id), self._snapshot)

    async def close(self, session: Session) -> None:
        """Write everything, release the lock, forget the session.

        Raises :class:`DataError` SESSION_WRITE_FAILED after doing all that.
        """
        if self._live.get(session.id) is not session:
            return None
        if session.id in self._closing:
            return await self._closing[session.id].wait()
        closed = self._closing[session.id] = anyio.Event()
        with anyio.CancelScope(shield=True):
            try:
                await self._leave(session)
            finally:
                self._keeper.forget(session)
                self._live.pop(session.id, None)
                del self._closing[session.id]
                closed.set()
                self._events.emit(SessionClosed(session))

    async def find(self, id: str) -> Path | None:  # noqa: A002  # the word the header uses
        """The folder of a session: stored, or live and about to be."""
        if id in self._live:
            return self._live[id].path.parent
        return await anyio.to_thread.run_sync(find_folder, self._folder, id)

    async def repair(self, id: str) -> Path:  # noqa: A002  # as above
        """Cut a damaged session off at the damage, because a person asked for it.

        Returns the backup of the original. Raises :class:`DataError` SESSION_SOUND,
        SESSION_LOCKED or SESSION_NOT_FOUND.
        """
        path = await self._path(id)
        if id in self._live:
            await self.close(self._live[id])
        taken = _taken(path.with_name(LOCK), id)
        if isinstance(taken, str):
            raise DataError(f"{id} is not repaired: {taken}", code="SESSION_LOCKED")
        with taken:
            backup, _ = await anyio.to_thread.run_sync(cut_at_damage, path)
        return backup

    async def list(
        self, limit: int = 50, cursor: str | None = None, cwd: Path | None = None
    ) -> Page:
        """Stored sessions by last change, see :meth:`Listing.page`."""
        return await self.listing.page(limit, cursor, cwd)

    async def row(self, id: str) -> SessionRow | None:  # noqa: A002  # as above
        """What lists show of one session, listed yet or not."""
        row = await self.listing.row(id)
        folder = await self.find(id) if row is None else None
        return await anyio.to_thread.run_sync(peek, folder) if folder else row

    # -- inside -------------------------------------------------------------------

    async def _open(self, id_: str, future: asyncio.Future[Session]) -> None:
        try:
            session = await self._opened(id_)
        except Exception as error:  # noqa: BLE001  # told to who asked; others live on
            if not future.done():
                future.set_exception(error)
                future.exception()  # who asked may be gone
        else:
            if not future.done():
                future.set_result(session)
        finally:
            self._opening.pop(id_, None)
            future.cancel()  # only when nothing was set: the program is ending

    async def _opened(self, id_: str) -> Session:
        path = await self._path(id_)
        taken = _taken(path.with_name(LOCK), id_)
        try:
            session, file = await self._loaded(path, taken)
            previous = self._live.get(id_)
            if previous is not None:
                await self.close(previous)
        except BaseException:  # whatever ended it, others must be let in
            if isinstance(taken, Lock):
                taken.release()
            raise
        return self._enter(session, file)

    async def _loaded(
        self, path: Path, taken: Lock | str
    ) -> tuple[Session, LogFile | None]:
        snapshot = await self._snapshot(path.parent.name)
        read = load if isinstance(taken, str) else load_for_writing
        loaded = await anyio.to_thread.run_sync(
            read, path, self.projections, snapshot, self._checks()
        )
        session = self._session(loaded.header, path, loaded.fold, loaded.checks)
        session.fault, session.notice = loaded.fault, loaded.notice
        session.read_only = loaded.fault
        if isinstance(taken, str):
            session.read_only = session.read_only or taken
            return session, None
        if loaded.fault is not None:
            taken.release()
            return session, None
        return session, LogFile(path, loaded.header, taken)

    def _session(
        self, header: Header, path: Path, fold: Fold, checks: Checks | None
    ) -> Session:
        return Session(header, path, fold, told=self._appended, checks=checks)

    def _enter(self, session: Session, file: LogFile | None) -> Session:
        if file is not None:
            if session.id in self._live:
                raise DataError(f"{session.id} is already open", code="SESSION_EXISTS")
            failed = partial(self._failed, session)
            session.writer = LogWriter(self._thread, file, session.tip, failed)
        self._live[session.id] = session
        self._events.emit(SessionOpened(session))
        if file is None and not self._following:
            self._following = True
            self._group.start_soon(self._follow)
        return session

    async def _follow(self) -> None:
        """Take in what other programs append to the sessions that are only viewed."""
        while views := [s for s in self._live.values() if s.writer is None]:
            for session in views:
                await contained(session.refresh)
            await anyio.sleep(_FOLLOW_EVERY)
        self._following = False

    async def _leave(self, session: Session) -> None:
        writer = session.writer
        if writer is None:
            return
        try:
            await writer.close()
        finally:
            session.read_only = session.read_only or "it is closed"
        session.writer = None
        if session.tip >= 0:
            await self._keeper.settle(session)

    async def _close_all(self) -> None:
        for session in tuple(self._live.values()):
            await contained(self.close, session)  # the others must be written, too

    def _appended(self, session: Session, event: Event) -> None:
        if session.writer is not None:  # else the one who writes it takes note
            self._keeper.note(session, event)
        self._events.emit(SessionAppended(session, event))

    def _failed(self, session: Session, error: DataError) -> None:
        session.read_only = str(error)
        self._events.emit(SessionStopped(session, error))

    def _projection_added(self, projection: Projection[Any]) -> None:
        # Any: whatever its state
        for session in self._live.values():
            self._group.start_soon(contained, session.ensure, projection)

    def _checks(self) -> Checks | None:
        return Checks() if self.strict else None

    async def _path(self, id_: str) -> Path:
        folder = await self.find(id_)
        if folder is None:
            raise DataError(f"there is no session {id_}", code="SESSION_NOT_FOUND")
        return folder / LOG

    async def _snapshot(self, id_: str) -> Snapshot | None:
        if self.strict:
            return None  # every event is to be checked
        try:
            return await self._catalogue.snapshot(id_)
        except DataError:
            return None  # folding the log gives the same, only later


def _taken(path: Path, id_: str) -> Lock | str:
    """The session's lock, or why it cannot be had, in words for a person."""
    try:
        taken = locks.take(path, id_)
    except OSError as error:
        return f"its folder cannot be written: {error.strerror}"
    return f"{taken} has it open" if isinstance(taken, Holder) else taken


def _real(cwd: Path) -> str:
    real = str(cwd.resolve())  # a few look-ups: a worker thread would cost more
    try:
        real.encode()
    except UnicodeEncodeError:
        raise DataError(
            "the name of this folder is not valid UTF-8",
            code="FOLDER_NAME",
            remedy="Rename the folder, then try again.",
        ) from None
    return real
