"""The agents of this program: made in a transaction, one per session, ended in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from dsh.data.ids import new_session_id
from dsh.errors import DataError
from dsh.runtime.agent.agent import Agent, AgentClosed
from dsh.runtime.agent.facts import AgentCreated, AgentDisposed, AgentError
from dsh.runtime.agent.inbox import TARGETS
from dsh.runtime.agent.shared import Shared
from dsh.runtime.agent.unclaimed import unclaimed
from dsh.runtime.models import Route, failure_of
from dsh.runtime.session import Session

Mode = Literal["read-only", "workspace-write", "danger-full-access"]
Source = Literal["startup", "resume"]


class Life:
    """One agent from the first attempt to make it until its session is closed."""

    __slots__ = ("agent", "closed", "ended", "ready")

    def __init__(self) -> None:
        self.ready: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.agent: Agent | None = None
        self.closed = False  # nobody wants it any more
        self.ended = asyncio.Event()


Opened = Callable[[], Awaitable[Session]]


class Agents:
    """Makes agents, keeps the live ones and ends them."""

    def __init__(self, shared: Shared, tasks: asyncio.TaskGroup) -> None:
        self._shared = shared
        self._tasks = tasks
        self._lives: dict[str, Life] = {}
        self._ending = False

    async def create(
        self,
        cwd: Path,
        *,
        preset: str | None = None,
        route: Route | None = None,
        mode: Mode | None = None,
    ) -> Agent:
        """A new session with an agent. Raises ``CompositionError`` or ``DataError``."""
        presets = self._shared.presets
        chosen = preset or (presets.default if presets is not None else None)
        session_id = new_session_id()

        async def opened() -> Session:
            session = await self._shared.sessions.create(
                cwd, preset=chosen, id=session_id
            )
            if mode is not None:
                session.append("sandbox/mode", {"mode": mode})
            return session

        return await self._begin(session_id, opened, "startup", route)

    async def resume(self, session_id: str) -> Agent:
        """The live agent of a session, else one that goes on where it ended.

        Nothing that was queued runs by itself. Raises ``DataError`` (also for a session
        that can only be read) or ``CompositionError``.
        """

        async def opened() -> Session:
            sessions = self._shared.sessions
            viewed = session_id in sessions.live  # by somebody else, who goes on with it
            session = await sessions.open(session_id)
            if session.read_only is not None:
                if not viewed:
                    await sessions.close(session)
                raise DataError(session.read_only, code="SESSION_READ_ONLY")
            return session

        life = self._lives.get(session_id)
        while life is not None:
            if not life.closed:
                return await asyncio.shield(life.ready)
            await life.ended.wait()
            life = self._lives.get(session_id)
        return await self._begin(session_id, opened, "resume", None)

    def get(self, session_id: str) -> Agent | None:
        """The live agent of a session."""
        life = self._lives.get(session_id)
        return life.agent if life is not None and not life.closed else None

    def knows(self, session_id: str) -> bool:
        """Whether an agent of the session is live, being made, or ending."""
        return session_id in self._lives

    def live(self) -> list[Agent]:
        """Every live agent."""
        lives = self._lives.values()
        return [life.agent for life in lives if life.agent and not life.closed]

    async def close(self, session_id: str) -> None:
        """Stop an agent, wait for its end and close its session."""
        life = self._lives.get(session_id)
        if life is None:
            return
        life.closed = True
        if life.agent is not None:
            life.agent.end()
        await life.ended.wait()

    async def end(self) -> None:
        """Close every agent; none can be made afterwards."""
        self._ending = True
        async with asyncio.TaskGroup() as group:
            for session_id in tuple(self._lives):
                group.create_task(self.close(session_id))

    async def _begin(
        self, session_id: str, opened: Opened, source: Source, route: Route | None
    ) -> Agent:
        if self._ending:
            raise AgentClosed("the program is stopping; no agent can be made")
        life = self._lives[session_id] = Life()
        self._tasks.create_task(
            self._run(life, session_id, opened, source, route), name=f"agent {session_id}"
        )
        return await asyncio.shield(life.ready)

    async def _run(
        self,
        life: Life,
        session_id: str,
        opened: Opened,
        source: Source,
        route: Route | None,
    ) -> None:
        try:
            async with self._agent(opened, source, route) as agent:
                if life.closed:
                    raise AgentClosed("it was closed before it was ready")
                life.agent = agent
                life.ready.set_result(agent)
                await agent.live()
        except Exception as error:  # noqa: BLE001  # told to who waits, or as a fact
            if not life.ready.done():
                life.ready.set_exception(error)
            else:
                fact = AgentError(session_id, 0, None, failure_of(error), error)
                self._shared.events.emit(fact)
        finally:
            life.ready.cancel()
            del self._lives[session_id]
            life.ended.set()

    @asynccontextmanager
    async def _agent(
        self, opened: Opened, source: Source, route: Route | None
    ) -> AsyncIterator[Agent]:
        shared = self._shared
        session = await opened()
        try:
            async with shared.joined(session.preset) as preset:
                scope = preset.child(f"agent {session.id}")
                services = shared.seen_from(scope, session.id, self._tasks)
                agent = Agent(session, scope, services, shared.default, route)
                if source == "resume":
                    await _restore(agent)
                services.events.emit(AgentCreated(session.id, source))
                try:
                    yield agent
                finally:
                    services.events.emit(AgentDisposed(session.id))
                    await scope.close()
        finally:
            await shared.sessions.close(session)


async def _restore(agent: Agent) -> None:
    """Queue again what a crash took out of the queue and put nowhere."""
    lost = await unclaimed(agent.session)
    for target in TARGETS:
        agent.inbox.put_back(target, [m for where, m in lost if where == target])
