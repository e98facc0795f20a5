"""What clients that watch a session are told: a snapshot first, then each event."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio

from dsh.errors import DSHError
from dsh.kernel import Scope
from dsh.runtime.agent import Agent, Agents
from dsh.runtime.presets import AgentPresets
from dsh.runtime.session import Session, SessionAppended, SessionOpened, Sessions
from dsh.surfaces.host.feed import Feed, item
from dsh.surfaces.host.hub import Hub
from dsh.surfaces.host.sessions.presenting import Presenter
from dsh.surfaces.host.sessions.queue import queue_of
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.windows import open_chunks, window_before
from dsh.surfaces.host.wire import LiveState, SessionSnapshot, Wire

WINDOW = 400  # events of a snapshot, about
RESUMABLE = 2_000  # events that a client which comes back may have missed
RESUMABLE_BYTES = 8_000_000  # a snapshot is less than more than that
NOTHING, ANEW = -1, -2  # what a client has: nothing, or something that no longer holds


class Watching:
    """Snapshots and live events of the sessions that some client watches."""

    def __init__(
        self, scope: Scope, hub: Hub, sessions: Sessions, agents: Agents, lists: Summaries
    ) -> None:
        self._scope = scope
        self._hub = hub
        self._sessions = sessions
        self._agents = agents
        self._lists = lists
        self._presenters: dict[str, Presenter] = {}
        self._joined: dict[str, AsyncExitStack] = {}
        self._opened: set[str] = set()  # live only because they were looked at
        self._reopened: set[str] = set()
        self._wake = anyio.Event()

    async def watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        """Send what is missing, then everything that follows.

        Events that come while the snapshot is read may be sent twice; a client takes
        each seq once.
        """
        try:
            session = await self._session(session_id)
            presenter = await self._presenter(session)
        except DSHError as error:
            data = _json(Failed(code=error.code, message=str(error)))
            feed.put(item(_topic(session_id), "session/unavailable", data))
            return
        catching = Feed()
        self._hub.watch(session_id, catching)
        try:
            missed = await self._missed(session, presenter, last_seq)
            if missed is None:
                await self._send_snapshot(session, presenter, last_seq, feed)
            else:
                self._send_missed(session, missed, feed)
        finally:
            self._hub.unwatch(session_id, catching)
        self._hub.watch(session_id, feed)
        catching.pour_into(feed)

    def unwatch(self, session_id: str, feed: Feed) -> None:
        """A client looks elsewhere."""
        self._hub.unwatch(session_id, feed)

    def appended(self, fact: SessionAppended) -> None:
        """An event was committed somewhere."""
        session_id = fact.session.id
        if self._hub.watched(session_id):
            presenter = self._presenters.get(session_id)
            if presenter is not None:
                data = _json(presenter.present(fact.event))
                self._hub.tell_watchers(session_id, "session/event", data, fact.event.seq)

    def opened(self, fact: SessionOpened) -> None:
        """A session became live: what watchers have may lack what recovery wrote."""
        if self._hub.watched(fact.session.id):
            self._reopened.add(fact.session.id)
            self._wake.set()

    async def run(self) -> None:
        """Send fresh snapshots of sessions that became live, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            reopened, self._reopened = self._reopened, set()
            for session_id in reopened:
                for feed in self._hub.watchers(session_id):
                    await self.watch(session_id, ANEW, feed)

    async def forget_unwatched(self) -> None:
        """Give up what is kept for sessions that nobody watches."""
        for session_id in [i for i in self._presenters if not self._hub.watched(i)]:
            del self._presenters[session_id]
            joined = self._joined.pop(session_id, None)
            if joined is not None:
                await joined.aclose()
        for session_id in [i for i in self._opened if not self._hub.watched(i)]:
            self._opened.discard(session_id)
            live = self._sessions.live.get(session_id)
            if live is not None and self._agents.get(session_id) is None:
                await self._sessions.close(live)

    async def close(self) -> None:
        """Leave every preset that was joined to show a session."""
        for joined in self._joined.values():
            await joined.aclose()

    async def _session(self, session_id: str) -> Session:
        live = self._sessions.live.get(session_id)
        if live is not None:
            return live
        row = await self._sessions.row(session_id)
        if row is not None and row.status in ("running", "waiting"):
            # Another program is at it, or was: a view that follows, or a repair.
            self._opened.add(session_id)
            return await self._sessions.open(session_id)
        return await self._sessions.inspect(session_id)

    async def _presenter(self, session: Session) -> Presenter:
        agent = self._agents.get(session.id)
        known = self._presenters.get(session.id)
        if known is not None and (agent is None or known.scope is agent.scope):
            return known
        presenter = Presenter(await self._tools_of(session, agent))
        self._presenters[session.id] = presenter
        return presenter

    async def _tools_of(self, session: Session, agent: Agent | None) -> Scope:
        """The scope whose tools show this session: the agent's, else its preset's."""
        if agent is not None:
            return agent.scope
        presets = self._scope.find(AgentPresets)
        if presets is None:
            return self._scope
        stack = AsyncExitStack()
        try:
            scope = await stack.enter_async_context(presets.joined(session.preset))
        except DSHError:  # the preset is gone; its sessions stay readable
            return self._scope
        self._joined[session.id] = stack
        return scope

    async def _missed(
        self, session: Session, presenter: Presenter, last_seq: int
    ) -> list[bytes] | None:
        """What came after ``last_seq``; ``None`` when a snapshot is the shorter way."""
        if last_seq < 0 or not 0 <= session.tip - last_seq <= RESUMABLE:
            return None
        items, size = [], 0
        for event in await session.read(last_seq + 1, RESUMABLE):
            data = _json(presenter.present(event))
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
        summary = await self._lists.of(session.id)
        assert summary is not None, "a session that can be read can be listed"
        snapshot = SessionSnapshot(
            session=summary,
            last_seq=end - 1,
            events=presenter.present_all([*window.events, *chunks]),
            first_seq=window.first_seq,
            has_more=window.has_more,
            queue=queue_of(session),
            live=self._live(session.id),
            projections={"usage": session.usage},
            # A view is read-only by itself; what counts is whether one could write.
            read_only=session.read_only
            if session.id in self._sessions.live
            else session.fault,
            notice=session.notice,
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


@asynccontextmanager
async def watching(
    scope: Scope, hub: Hub, sessions: Sessions, agents: Agents, lists: Summaries
) -> AsyncIterator[Watching]:
    """The service while the block is open."""
    service = Watching(scope, hub, sessions, agents, lists)
    try:
        yield service
    finally:
        await service.close()


def _topic(session_id: str) -> str:
    return f"session:{session_id}"


def _json(model: Wire) -> bytes:
    return model.model_dump_json(by_alias=True, exclude_none=False).encode()
