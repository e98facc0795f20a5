"""The handlers of `session/*`."""

from __future__ import annotations

from pathlib import Path

import anyio

from dsh.errors import DataError, SurfaceError
from dsh.kernel import Scope
from dsh.runtime.agent import Agent, Agents
from dsh.runtime.models import DefaultModel, Route
from dsh.runtime.session import Sessions
from dsh.seams.gateway import Empty, Method
from dsh.seams.permissions import Permissions
from dsh.seams.workspaces import Workspaces
from dsh.surfaces.host.sessions import requests as r
from dsh.surfaces.host.sessions.news import News
from dsh.surfaces.host.sessions.presenters import Presenters
from dsh.surfaces.host.sessions.queue import queue_of
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.sessions.windows import window_before
from dsh.surfaces.host.wire import QueueState, SessionSummary

REMEMBERED = 1_000  # messages that a client may ask for again


class NotQueued(SurfaceError):
    """The message has gone out already, or was removed."""

    code = "QUEUE_ITEM_NOT_FOUND"


class SessionMethods:
    """What the page can do with sessions."""

    def __init__(
        self,
        scope: Scope,
        sessions: Sessions,
        agents: Agents,
        lists: Summaries,
        news: News,
        unseen: Unseen,
        presenters: Presenters,
    ) -> None:
        self._scope = scope
        self._sessions = sessions
        self._agents = agents
        self._lists = lists
        self._news = news
        self._unseen = unseen
        self._presenters = presenters
        self._creating = anyio.Lock()
        self._sent: dict[tuple[str, str], str] = {}  # messages by the client's own id

    def table(self) -> tuple[Method, ...]:
        """The methods for the gateway."""
        return (
            Method("session", "list", r.Cursor, r.SessionList, self.list),
            Method("session", "create", r.CreateSession, SessionSummary, self.create),
            Method("session", "history", r.HistoryRequest, r.History, self.history),
            Method("session", "prompt", r.Prompt, r.Prompted, self.prompt),
            Method(
                "session", "updateQueue", r.UpdateQueue, QueueState, self.update_queue
            ),
            Method("session", "cancel", r.SessionId, Empty, self.cancel),
            Method("session", "resumeQueue", r.SessionId, Empty, self.resume_queue),
            Method("session", "retry", r.SessionId, Empty, self.retry),
            Method("session", "rename", r.RenameSession, SessionSummary, self.rename),
            Method("session", "selectModel", r.SelectModel, SessionSummary, self.select),
            Method("session", "setMode", r.SetMode, SessionSummary, self.set_mode),
            Method("session", "markSeen", r.SessionId, Empty, self.mark_seen),
        )

    async def list(self, request: r.Cursor) -> r.SessionList:
        found, cursor = await self._lists.page(request.limit, request.cursor)
        return r.SessionList(sessions=found, cursor=cursor)

    async def create(self, request: r.CreateSession) -> SessionSummary:
        workspace = self._scope.get(Workspaces).get(request.workspace_id)
        async with self._creating:  # a second click finds the first one's session
            agent = self._blank_in(workspace.path, request.preset)
            if agent is None:
                agent = await self._agents.create(workspace.path, preset=request.preset)
        return await self._summary(agent.id)

    def _blank_in(self, path: Path, preset: str | None) -> Agent | None:
        for agent in self._agents.live():
            session = agent.session
            same = session.cwd == path and preset in (None, session.preset)
            if same and session.blank and session.read_only is None:
                return agent
        return None

    async def history(self, request: r.HistoryRequest) -> r.History:
        live = self._sessions.live.get(request.session_id)
        session = live or await self._sessions.inspect(request.session_id)
        end = min(request.before_seq, session.tip + 1)
        window = await window_before(session, end, request.limit)
        return r.History(
            events=await self._presenters.shown(session, window.events),
            first_seq=window.first_seq,
            has_more=window.has_more,
        )

    async def prompt(self, request: r.Prompt) -> r.Prompted:
        agent = await self._agent(request.session_id)
        key = (request.session_id, request.client_id or "")
        sent = self._sent.get(key) if request.client_id is not None else None
        if sent is not None:  # the answer was lost on its way, and it is asked again
            return r.Prompted(message_id=sent)
        send = agent.steer if request.mode == "steer" else agent.followup
        message = send(request.text)["id"]
        await agent.session.flush()  # what was acknowledged outlives a crash
        if request.client_id is not None:
            self._sent[key] = message
            if len(self._sent) > REMEMBERED:
                del self._sent[next(iter(self._sent))]
        return r.Prompted(message_id=message)

    async def update_queue(self, request: r.UpdateQueue) -> QueueState:
        agent = await self._agent(request.session_id)
        match request.action:
            case "edit":
                done = request.text is not None and agent.edit(
                    request.item_id, request.text
                )
            case "remove":
                done = agent.remove(request.item_id)
            case "steer":
                done = agent.promote(request.item_id)
        if not done:
            raise NotQueued("this message is not waiting any more")
        await agent.session.flush()
        return queue_of(agent.session)

    async def cancel(self, request: r.SessionId) -> Empty:
        agent = self._agents.get(request.session_id)
        if agent is not None:
            agent.cancel({"kind": "user"})
        return Empty()

    async def resume_queue(self, request: r.SessionId) -> Empty:
        (await self._agent(request.session_id)).resume_queue()
        return Empty()

    async def retry(self, request: r.SessionId) -> Empty:
        (await self._agent(request.session_id)).retry()
        return Empty()

    async def rename(self, request: r.RenameSession) -> SessionSummary:
        agent = await self._agent(request.session_id)
        title = {"title": request.title, "messageSeqs": [], "source": {"kind": "user"}}
        agent.session.append("session/title", title)
        await agent.session.flush()
        return await self._summary(agent.id)

    async def select(self, request: r.SelectModel) -> SessionSummary:
        agent = await self._agent(request.session_id)
        route = Route(request.provider, request.model, request.effort)
        agent.select(route)
        self._news.changed(agent.id)
        default = self._scope.find(DefaultModel)
        if default is not None:
            await default.set(route)
        return await self._summary(agent.id)

    async def set_mode(self, request: r.SetMode) -> SessionSummary:
        agent = await self._agent(request.session_id)
        self._scope.get(Permissions).set_mode(agent.session, request.mode)
        await agent.session.flush()
        return await self._summary(agent.id)

    async def mark_seen(self, request: r.SessionId) -> Empty:
        if await self._unseen.mark(request.session_id, unseen=False):
            self._news.changed(request.session_id)
        return Empty()

    async def _agent(self, session_id: str) -> Agent:
        """The live agent, resumed if need be; one that can be written to."""
        agent = self._agents.get(session_id) or await self._agents.resume(session_id)
        if agent.session.read_only is not None:
            message = f"this session can only be read: {agent.session.read_only}"
            raise DataError(message, code="SESSION_READ_ONLY")
        return agent

    async def _summary(self, session_id: str) -> SessionSummary:
        summary = await self._lists.of(session_id)
        if summary is None:
            message = f"there is no session {session_id}"
            raise SurfaceError(message, code="SESSION_NOT_FOUND")
        return summary
