"""What clients that watch a session are told: a snapshot first, then each event."""

from __future__ import annotations

import logging

import anyio

from dsh.errors import DataError, DSHError, code_of, describe
from dsh.runtime.agent import Agents
from dsh.runtime.session import Session, SessionAppended, SessionOpened, Sessions
from dsh.seams.gateway import Wire
from dsh.surfaces.host.feed import Feed, item
from dsh.surfaces.host.hub import Hub
from dsh.surfaces.host.sessions.presenters import Presenters, presented
from dsh.surfaces.host.sessions.presenting import Presenter
from dsh.surfaces.host.sessions.queue import queue_of
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.windows import open_chunks, window_before
from dsh.surfaces.host.wire import LiveState, SessionSnapshot

logger = logging.getLogger(__name__)

WINDOW = 400  # events of a snapshot, about
RESUMABLE = 2_000  # events that a client which comes back may have missed
RESUMABLE_BYTES = 8_000_000  # a snapshot is less than more than that
TIDY_SECONDS = 60.0
RELEASE_SECONDS = 1.0  # a run ends soon after its turn, and then one can go on here
NOTHING, ANEW = -1, -2  # what a client has: nothing, or something that no longer holds


class Watching:
    """Snapshots and live events of the sessions that some client watches."""

    def __init__(
        self,
        hub: Hub,
        sessions: Sessions,
        agents: Agents,
        lists: Summaries,
        presenters: Presenters,
    ) -> None:
        self._hub = hub
        self._sessions = sessions
        self._agents = agents
        self._lists = lists
        self._presenters = presenters
        self._followed: set[str] = set()  # live only because they are looked at
        self._notices: dict[str, str] = {}  # what opening a session had to repair
        self._released: set[str] = set()  # perhaps, by the program that wrote them
        self._stale = set(hub.sessions)  # watchers from before this service was there
        self._wake = anyio.Event()
        self._wake.set()

    async def watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        """Send what is missing, then everything that follows.

        Events that come while the snapshot is read may be sent twice; a client takes
        each seq once.
        """
        await self._catch_up(session_id, last_seq, feed)
        self._hub.watch(session_id, feed)

    def appended(self, fact: SessionAppended) -> None:
        """An event was committed somewhere."""
        session_id = fact.session.id
        if self._hub.watched(session_id):
            presenter = self._presenters.get(session_id)
            if presenter is None:  # it could not be shown so far
                self._send_anew(session_id)
            else:
                data = _json(presenter.present(fact.event))
                self._hub.tell_watchers(session_id, "session/event", data, fact.event.seq)
        if session_id in self._followed and fact.event.type == "turn/end":
            self._released.add(session_id)
            self._wake.set()

    def opened(self, fact: SessionOpened) -> None:
        """A session became live: what watchers have may lack what recovery wrote."""
        if self._hub.watched(fact.session.id):
            self._send_anew(fact.session.id)

    def _send_anew(self, session_id: str) -> None:
        self._stale.add(session_id)
        self._wake.set()

    async def run(self) -> None:
        """Send fresh snapshots of sessions that became live, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            stale, self._stale = self._stale, set()
            for session_id in stale:
                for feed in self._hub.watchers(session_id):
                    if feed in self._hub.clients:
                        await self._catch_up(session_id, ANEW, feed)
            if self._released:
                await anyio.sleep(RELEASE_SECONDS)
                self._stale |= self._released
                self._released = set()
                self._wake.set()

    async def tidy(self) -> None:
        """Give up what is kept for sessions that nobody watches, until cancelled."""
        while True:
            await anyio.sleep(TIDY_SECONDS)
            await self.forget_unwatched()

    async def forget_unwatched(self) -> None:
        """Give up what is kept for sessions that nobody watches now."""
        await self._presenters.keep(self._hub.watched)
        for session_id in [i for i in self._notices if not self._hub.watched(i)]:
            del self._notices[session_id]
        for session_id in tuple(self._followed):
            if not self._hub.watched(session_id):
                self._followed.discard(session_id)
                await self._let_go(session_id)

    async def _catch_up(self, session_id: str, last_seq: int, feed: Feed) -> None:
        catching = Feed()
        try:
            session = await self._session(session_id)
            presenter = await self._presenters.of(session)
            self._hub.watch(session_id, catching)
            missed = await self._missed(session, presenter, last_seq)
            if missed is None:
                await self._send_snapshot(session, presenter, last_seq, feed)
            else:
                self._send_missed(session, missed, feed)
        except Exception as error:  # a session that cannot be read ends no connection
            if not isinstance(error, DSHError):
                logger.exception("%s cannot be shown", session_id)
            failed = Failed(code=code_of(error), message=describe(error))
            feed.put(item(_topic(session_id), "session/unavailable", _json(failed)))
        finally:
            self._hub.unwatch(session_id, catching)
        catching.pour_into(feed)

    async def _session(self, session_id: str) -> Session:
        live = self._sessions.live.get(session_id)
        followed = session_id in self._followed
        if live is not None and not followed:
            return live
        row = await self._sessions.row(session_id)
        if followed or (row is not None and row.status in ("running", "waiting")):
            # Another program is at it, or was: a view that follows, or a repair.
            self._followed.discard(session_id)
            session = await self._sessions.open(session_id)
            if session.read_only is not None:
                self._followed.add(session_id)
                return session
            if session.notice is not None:
                self._notices[session_id] = session.notice
            await self._let_go(session_id)
        return await self._sessions.inspect(session_id)

    async def _let_go(self, session_id: str) -> None:
        """Close a session that no agent works on: others may want to write to it."""
        live = self._sessions.live.get(session_id)
        if live is not None and not self._agents.knows(session_id):
            try:
                await self._sessions.close(live)
            except DataError:
                logger.exception("%s was not closed in order", session_id)

    async def _missed(
        self, session: Session, presenter: Presenter, last_seq: int
    ) -> list[bytes] | None:
        """What came after ``last_seq``; ``None`` when a snapshot is the shorter way."""
        if last_seq < 0 or not 0 <= session.tip - last_seq <= RESUMABLE:
            return None
        items, size = [], 0
        events = await session.read(last_seq + 1, RESUMABLE)
        for event in await presented(presenter, session, events):
            data = _json(event)
            items.append(item(_topic(session.id), "session/event", data, event.seq))
            size += len(data)
            if size > RESUMABLE_BYTES:
                return None
        return items

    def _send_missed(self, session: Session, missed: list[bytes], feed: Feed) -> None:
        for payload in missed:
            feed.put(payload)
        topic = _topic(session.id)
        feed.put(item(topic, "session/queue", _json(queue_of(session))))
        feed.put(item(topic, "session/status", _json(self._live(session.id))))

    async def _send_snapshot(
        self, session: Session, presenter: Presenter, last_seq: int, feed: Feed
    ) -> None:
        end = session.tip + 1
        window = await window_before(session, end, WINDOW)
        chunks = await open_chunks(session, end)
        events = sorted([*window.events, *chunks], key=lambda event: event.seq)
        shown = await presented(presenter, session, events)
        summary = await self._lists.of(session.id)
        if summary is None:
            raise DataError(f"{session.id} has vanished", code="SESSION_NOT_FOUND")
        snapshot = SessionSnapshot(
            session=summary,
            last_seq=end - 1,
            events=shown,
            first_seq=window.first_seq,
            has_more=window.has_more,
            queue=queue_of(session),
            live=self._live(session.id),
            projections={"usage": session.usage},
            # A view is read-only by itself; what counts is whether one could write.
            read_only=session.read_only
            if session.id in self._sessions.live
            else session.fault,
            notice=session.notice or self._notices.get(session.id),
        )
        if last_seq != NOTHING:
            feed.put(item(_topic(session.id), "reset", b"{}"))
        feed.put(item(_topic(session.id), "session/snapshot", _json(snapshot)))

    def _live(self, session_id: str) -> LiveState:
        agent = self._agents.get(session_id)
        if agent is None:
            return LiveState(status="idle")
        return LiveState(status=agent.status, turn=agent.turn, step=agent.step)


class Failed(Wire):
    """Why a session cannot be shown."""

    code: str
    message: str


def _topic(session_id: str) -> str:
    return f"session:{session_id}"


def _json(model: Wire) -> bytes:
    return model.model_dump_json(by_alias=True, exclude_none=False).encode()
