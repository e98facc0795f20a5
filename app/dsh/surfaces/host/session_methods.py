"""Sessions for the page, as a plugin."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from dsh.data.paths import Home
from dsh.kernel import Events, Scope, plugin
from dsh.runtime.agent import Agents, AgentStatus, InboxChanged, ToolOutput
from dsh.runtime.session import SessionAppended, SessionOpened, Sessions, SessionsChanged
from dsh.seams.gateway import Gateway, SessionSignal, Snapshots
from dsh.surfaces.host.feed import Feed
from dsh.surfaces.host.plugin import Host
from dsh.surfaces.host.sessions.methods import SessionMethods
from dsh.surfaces.host.sessions.news import News
from dsh.surfaces.host.sessions.presenters import Presenters
from dsh.surfaces.host.sessions.queue import queue_of
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.sessions.watching import Watching
from dsh.surfaces.host.socket import SessionSource
from dsh.surfaces.host.wire import LiveState, Output


class _Source(SessionSource):
    """What the socket needs of sessions."""

    def __init__(self, watched: Watching) -> None:
        self._watched = watched

    async def watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        await self._watched.watch(session_id, last_seq, feed)


@plugin
async def session_methods(
    scope: Scope,
    home: Home,
    host: Host,
    sessions: Sessions,
    agents: Agents,
    events: Events,
    gateway: Gateway,
    snapshots: Snapshots,
) -> AsyncIterator[SessionSource]:
    """Offers lists, windows and methods, and keeps watching clients informed."""
    unseen = Unseen(home)
    await unseen.load()
    lists = Summaries(scope, sessions, agents, unseen)
    news = News(host, lists, unseen)
    presenters = Presenters(scope, agents)
    methods = SessionMethods(scope, sessions, agents, lists, news, unseen, presenters)
    watched = Watching(host.hub, sessions, agents, lists, presenters)

    def queue(fact: InboxChanged) -> None:
        session = sessions.live.get(fact.session_id)
        if session is not None:
            signal = SessionSignal(fact.session_id, "session/queue", queue_of(session))
            events.emit(signal)

    def status(fact: AgentStatus) -> None:
        live = LiveState(status=fact.status, turn=fact.turn, step=fact.step)
        events.emit(SessionSignal(fact.session_id, "session/status", live))
        news.status(fact)

    def output(fact: ToolOutput) -> None:
        piece = Output(call_id=fact.call_id, stream=fact.stream, text=fact.text)
        events.emit(SessionSignal(fact.session_id, "session/output", piece))

    async def listed() -> object:
        found, _ = await lists.page()
        return [summary.model_dump(mode="json", by_alias=True) for summary in found]

    async with presenters:
        with (
            gateway.methods(*methods.table()),
            snapshots.add("sessions", listed),
            events.on(SessionAppended, watched.appended),
            events.on(SessionAppended, news.appended),
            events.on(SessionOpened, watched.opened),
            events.on(SessionOpened, news.opened),
            events.on(SessionsChanged, news.listed),
            events.on(AgentStatus, status),
            events.on(InboxChanged, queue),
            events.on(ToolOutput, output),
        ):
            async with anyio.create_task_group() as group:
                group.start_soon(news.run)
                group.start_soon(watched.run)
                group.start_soon(watched.tidy)
                yield _Source(watched)
                group.cancel_scope.cancel()
