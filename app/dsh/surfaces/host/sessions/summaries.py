"""A session in one line, from the catalogue and from what is live."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dsh.data.catalogue import SessionRow
from dsh.kernel import Scope
from dsh.runtime.agent import Agents
from dsh.runtime.session import Sessions
from dsh.seams.sandbox import SandboxPolicy
from dsh.seams.workspaces import Workspaces
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.wire import ModelRoute, SessionSummary

FIRST_PAGE = 500  # sessions in the snapshot of a page that connects
FALLBACK_MODE = "workspace-write"


class Summaries:
    """Makes summaries; what other rows offer is looked up when it is needed."""

    def __init__(
        self, scope: Scope, sessions: Sessions, agents: Agents, unseen: Unseen
    ) -> None:
        self._scope = scope
        self._sessions = sessions
        self._agents = agents
        self._unseen = unseen

    async def of(self, session_id: str) -> SessionSummary | None:
        """The summary of one session; ``None`` when there is none."""
        row = await self._sessions.row(session_id)
        return self.of_row(row) if row is not None else None

    async def page(
        self, limit: int = FIRST_PAGE, cursor: str | None = None
    ) -> tuple[list[SessionSummary], str | None]:
        """Stored and live sessions, newest first, and how to go on."""
        page = await self._sessions.list(limit, cursor)
        found = [self.of_row(row) for row in page.rows]
        if cursor is None:
            known = {summary.session_id for summary in found}
            for session_id in tuple(self._sessions.live):
                summary = None if session_id in known else await self.of(session_id)
                if summary is not None:
                    found.insert(0, summary)
        return found, page.cursor

    def of_row(self, row: SessionRow) -> SessionSummary:
        """The summary of a catalogue row."""
        session = self._sessions.live.get(row.id)
        return SessionSummary(
            session_id=row.id,
            title=row.title,
            workspace_id=self._workspace(row.cwd),
            cwd=row.cwd,
            created=row.created,
            updated=row.updated,
            status=self._status(row),
            unseen=row.id in self._unseen,
            blank=row.blank,
            preset=row.preset,
            mode=self._mode(row),
            model=self._model(row),
            read_only=session.read_only if session is not None else None,
        )

    def _status(self, row: SessionRow) -> Literal["idle", "running", "waiting", "failed"]:
        agent = self._agents.get(row.id)
        session = self._sessions.live.get(row.id)
        if agent is None:
            followed = session and session.read_only is not None and session.fault is None
            if followed or row.status not in ("running", "waiting"):
                return row.status
            return "failed"  # its program went away in the middle of a turn
        if agent.session.open_approvals:
            return "waiting"
        if agent.status == "running":
            return "running"
        return "failed" if row.status == "failed" else "idle"

    def _workspace(self, cwd: str) -> str | None:
        workspaces = self._scope.find(Workspaces)
        found = workspaces.by_path(Path(cwd)) if workspaces is not None else None
        return found.id if found is not None else None

    def _mode(self, row: SessionRow) -> str:
        if row.mode is not None:
            return row.mode
        policy, session = self._scope.find(SandboxPolicy), self._sessions.live.get(row.id)
        if policy is None or session is None:
            return FALLBACK_MODE
        return policy.mode_of(session)

    def _model(self, row: SessionRow) -> ModelRoute | None:
        agent = self._agents.get(row.id)
        if agent is not None:
            route = agent.route
            return ModelRoute(
                provider=route.provider, model=route.model, effort=route.effort
            )
        if row.provider is None or row.model is None:
            return None
        return ModelRoute(provider=row.provider, model=row.model, effort=row.effort)
