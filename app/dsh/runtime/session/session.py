"""One session: its committed events, what is derived from them, and how to add more."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread

from dsh.data.catalogue import Snapshot
from dsh.data.clock import now_ms
from dsh.data.events import EVENT_SCHEMAS, Event, Header, SurfaceOp
from dsh.data.events.envelope import APPEND
from dsh.data.events.registry import SURFACE_TYPES
from dsh.data.log import (
    BadLine,
    Checks,
    LogWriter,
    Scan,
    Surface,
    event_line,
    read_event,
    read_window,
)
from dsh.errors import DataError
from dsh.runtime.session.fold import Fold
from dsh.runtime.session.loading import fold_whole
from dsh.runtime.session.projection import Projection
from dsh.runtime.session.views import Views

S = TypeVar("S")
Listener = Callable[[Event], None]
_log = logging.getLogger(__name__)

_KEPT: Final = 256  # newest events that stay in memory for those who read along


class Session(Views):
    """A live session. Made by :class:`~dsh.runtime.session.Sessions` only.

    Everything here is used from the loop's thread. What is folded from the events is
    always current: :attr:`surface` and the attributes of :class:`Views`.
    """

    def __init__(
        self,
        header: Header,
        path: Path,
        fold: Fold,
        *,
        read_only: str | None = None,
        told: Callable[[Session, Event], None] | None = None,
        checks: Checks | None = None,
    ) -> None:
        super().__init__(header, fold)
        self.path = path
        self.cwd = Path(header.cwd)
        self.read_only = read_only  # why nothing can be appended, for a person
        self.fault: str | None = None  # why nobody can append to its log, likewise
        self.notice: str | None = None  # what was repaired on opening, for a person
        self.writer: LogWriter | None = None  # set by whoever opens it for writing
        self._told = told
        self._checks = checks
        self.opened_at = fold.tip
        self._resumed = fold.tip >= 0
        self._listeners: list[Listener] = []
        self._appending = False
        self._recent: deque[Event] = deque()  # all that is not written, and then some
        self._refreshing = anyio.Lock()

    @property
    def id(self) -> str:
        """The session's id."""
        return self.header.id

    @property
    def tip(self) -> int:
        """The seq of the last committed event; -1 without any."""
        return self._fold.tip

    @property
    def surface(self) -> Surface:
        """What the model sees."""
        return self._fold.surface

    def append(
        self,
        type_: str,
        data: dict[str, Any],  # Any: JSON whose shape the schema of its type fixes
        *,
        surface_op: SurfaceOp | None = None,
        sources: Sequence[int] | None = None,
        ignorable: bool = False,
    ) -> Event:
        """Commit one event: visible at once, on disk a moment later.

        ``surface_op`` defaults to an append for the three surface types. Raises
        :class:`~dsh.errors.DataError`: SESSION_READ_ONLY, SESSION_WRITE_FAILED,
        SESSION_REENTRANT (a listener tried to append), EVENT_UNKNOWN, EVENT_NOT_JSON,
        EVENT_INVALID (surface rule, or in strict mode schema and order). A refused
        event leaves no trace.
        """
        if self._resumed:
            self._end_seed()
        schema = EVENT_SCHEMAS.get(type_)
        if schema is not None:
            ignorable = ignorable or schema.ignorable
        elif not ignorable:
            raise DataError(f"{type_} is no known event type", code="EVENT_UNKNOWN")
        if surface_op is None and type_ in SURFACE_TYPES:
            surface_op = APPEND
        cited = None if sources is None else list(sources)
        event, line = _frozen(
            Event(self._fold.tip + 1, type_, now_ms(), data, surface_op, cited, ignorable)
        )
        self._check(event)
        self._commit(event, line)
        return event

    @contextmanager
    def listen(self, listener: Listener) -> Iterator[None]:
        """Call ``listener`` after each commit while the block is open; contained."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    async def flush(self) -> None:
        """Return when everything committed so far is on disk (survives a power cut).

        Raises :class:`~dsh.errors.DataError` with code SESSION_WRITE_FAILED.
        """
        if self.writer is not None:
            await self.writer.flush()

    async def read(self, start: int, limit: int) -> list[Event]:
        """Up to ``limit`` events from seq ``start`` on; fewer only at the end.

        Raises :class:`~dsh.errors.DataError` SESSION_DAMAGED when the log was changed
        from outside.
        """
        start = max(start, 0)
        limit = min(limit, self.tip + 1 - start)
        if limit <= 0:
            return []
        recent = list(self._recent)
        first = recent[0].seq if recent else self.tip + 1
        if start >= first:
            return recent[start - first : start - first + limit]
        count, mark = min(limit, first - start), self._fold.mark(start)
        events = await anyio.to_thread.run_sync(
            read_window, self.path, mark, start, count
        )
        return events + recent[: limit - count]

    async def refresh(self) -> int:
        """For a session that another program writes: take in what is new there.

        Returns the number of new events; 0 for a session of our own.
        """
        if self.writer is not None or self.read_only is None:
            return 0
        async with self._refreshing:
            scan = Scan(self.path, self._fold.place)
            found = await anyio.to_thread.run_sync(_what_is_new, scan)
            for event, _, size in found:
                if (refusal := self.surface.refusal(event)) is not None:
                    self.read_only = f"line {event.seq + 2}: {refusal}"
                    return 0
                self._fold.take(event, size)
                self._tell(event)
            self._fold.crc = scan.end.crc
            if scan.damage is not None:
                self.read_only = f"the log is damaged at {scan.damage}"
            return len(found)

    def state(self, projection: Projection[S]) -> S:
        """The current state of a projection; ``KeyError`` when it is not kept here."""
        return self._fold.state(projection)

    def states(self) -> dict[str, object]:
        """All current states, by the projection's key. Not to be changed."""
        return self._fold.states()

    async def ensure(self, projection: Projection[S]) -> S:
        """As :meth:`state`, but folds the log first when it is not kept yet."""
        if not self._fold.keeps(projection):
            if self.tip < 0:
                self._fold.adopt(projection, projection.init())
            else:
                await self._fold_late(projection)
        return self._fold.state(projection)

    # -- for the session service ------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Everything needed to open the session without reading it from the start."""
        return self._fold.snapshot()

    @property
    def size(self) -> int:
        """Bytes of the log when all is written."""
        return self._fold.offset

    @property
    def changed(self) -> int:
        """When the last event happened, ms; the time of creation without any."""
        return self._fold.time or self.header.created

    # -- inside -------------------------------------------------------------------

    def _check(self, event: Event) -> None:
        if self._appending:
            message = "an event cannot be appended while another one is being told"
            raise DataError(message, code="SESSION_REENTRANT")
        writer = self.writer
        if writer is None or writer.failed is not None or self.read_only is not None:
            raise self._unwritable()
        refusal = self._fold.surface.refusal(event)
        if refusal is None and self._checks is not None:
            refusal = self._checks.trial(event)
        if refusal is not None:
            raise DataError(f"{event.type}: {refusal}", code="EVENT_INVALID")

    def _unwritable(self) -> DataError:
        failed = self.writer.failed if self.writer is not None else None
        if failed is not None:
            return DataError(str(failed), code=failed.code, remedy=failed.remedy)
        return DataError(
            f"the session cannot be changed: {self.read_only or 'it is closed'}",
            code="SESSION_READ_ONLY",
        )

    def _commit(self, event: Event, line: bytes) -> None:
        assert self.writer is not None
        self._fold.take(event, len(line))
        self._fold.advance(line)
        recent = self._recent
        recent.append(event)
        if len(recent) > 2 * _KEPT:
            self._trim(self.writer.written)
        self.writer.append(line)
        self._tell(event)

    def _tell(self, event: Event) -> None:
        self._appending = True
        try:
            for listener in tuple(self._listeners):
                try:
                    listener(event)
                except Exception:  # noqa: BLE001  # committed is committed, whoever minds
                    _log.exception("a listener failed at event %d", event.seq)
            if self._told is not None:
                self._told(self, event)
        finally:
            self._appending = False

    def _trim(self, written: int) -> None:
        recent = self._recent
        while len(recent) > _KEPT and recent[0].seq <= written:
            recent.popleft()

    def _end_seed(self) -> None:
        """Mark, once and only when something follows, where this life begins."""
        if self.writer is None or self._appending:
            return  # the append that wanted it is about to be refused
        self._resumed = False
        if self._fold.type != "session/end-seed":
            self.append("session/end-seed", {})

    async def _fold_late(self, projection: Projection[Any]) -> None:
        # Any: whatever its state
        reached, state = -1, projection.init()
        while self._recent[0].seq > reached + 1 if self._recent else self.tip > reached:
            fold = await anyio.to_thread.run_sync(fold_whole, self.path, projection)
            reached, state = fold.tip, fold.state(projection)
        if self._fold.keeps(projection):
            return  # somebody else asked for it, too
        for event in self._recent:
            if event.seq > reached:
                state = projection.apply(state, event)
        self._fold.adopt(projection, state)


def _what_is_new(scan: Scan) -> list[tuple[Event, int, int]]:
    if scan.path.stat().st_size == scan.end.offset:
        return []
    return list(scan)


def _frozen(event: Event) -> tuple[Event, bytes]:
    """The event as its line will give it back: nobody else holds parts of it."""
    try:
        line = event_line(event)
        copy = read_event(line)
    except (TypeError, ValueError, RecursionError, BadLine) as error:
        message = f"{event.type}: not JSON: {error}"
        raise DataError(message, code="EVENT_NOT_JSON") from error
    if copy.data != event.data:
        message = f"{event.type}: JSON would change its data"
        raise DataError(message, code="EVENT_NOT_JSON")
    return copy, line
