"""The handlers of `session/*`."""

from __future__ import annotations

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
from dsh.surfaces.host.sessions.presenting import Presenter
from dsh.surfaces.host.sessions.queue import queue_of
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.sessions.windows import window_before
from dsh.surfaces.host.wire import QueueState, SessionSummary


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
    ) -> None:
        self._scope = scope
        self._sessions = sessions
        self._agents = agents
        self._lists = lists
        self._news = news
        self._unseen = unseen

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
        for agent in self._agents.live():
            session = agent.session
            same = session.cwd == workspace.path and request.preset in (
                None,
                session.preset,
            )
            if same and session.blank and session.read_only is None:
                return await self._summary(session.id)
        agent = await self._agents.create(workspace.path, preset=request.preset)
        return await self._summary(agent.id)

    async def history(self, request: r.HistoryRequest) -> r.History:
        live = self._sessions.live.get(request.session_id)
        session = live or await self._sessions.inspect(request.session_id)
        end = min(request.before_seq, session.tip + 1)
        window = await window_before(session, end, request.limit)
        agent = self._agents.get(session.id)
        presenter = Presenter(agent.scope if agent is not None else self._scope)
        return r.History(
            events=presenter.present_all(window.events),
            first_seq=window.first_seq,
            has_more=window.has_more,
        )

    async def prompt(self, request: r.Prompt) -> r.Prompted:
        agent = await self._agent(request.session_id)
        send = agent.steer if request.mode == "steer" else agent.followup
        return r.Prompted(message_id=send(request.text)["id"])

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
        return await self._summary(agent.id)

    async def select(self, request: r.SelectModel) -> SessionSummary:
        agent = await self._agent(request.session_id)
        route = Route(request.provider, request.model, request.effort)
        agent.select(route)
        default = self._scope.find(DefaultModel)
        if default is not None:
            await default.set(route)
        self._news.changed(agent.id)
        return await self._summary(agent.id)

    async def set_mode(self, request: r.SetMode) -> SessionSummary:
        agent = await self._agent(request.session_id)
        self._scope.get(Permissions).set_mode(agent.session, request.mode)
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
