"""Who makes the cards of which session: its agent's tools, or else its preset's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import anyio

from dsh.data.events import Event
from dsh.errors import DSHError
from dsh.kernel import Scope
from dsh.runtime.agent import Agents
from dsh.runtime.presets import AgentPresets
from dsh.runtime.session import Session
from dsh.surfaces.host.sessions.presenting import Presenter
from dsh.surfaces.host.wire import SessionEvent

RECENT = 400  # events in which calls that are open are looked for


class Presenters(AbstractAsyncContextManager["Presenters"]):
    """One presenter a session. Presets that were joined for one are left at the end."""

    def __init__(self, scope: Scope, agents: Agents) -> None:
        self._scope = scope
        self._agents = agents
        self._known: dict[str, Presenter] = {}
        self._joined: dict[str, tuple[Scope, AsyncExitStack]] = {}
        self._joining = anyio.Lock()

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.keep(lambda _: False)

    def get(self, session_id: str) -> Presenter | None:
        """The presenter of a session that was asked for before."""
        return self._known.get(session_id)

    async def of(self, session: Session) -> Presenter:
        """The presenter of a session, on the tools that are right for it now."""
        async with self._joining:
            scope = await self._scope_of(session)
            known = self._known.get(session.id)
            if known is None or known.scope is not scope:
                known = Presenter(scope)
                # Results of calls that are open now will come one by one.
                for event in await session.read(session.tip + 1 - RECENT, RECENT):
                    known.present(event)
                self._known[session.id] = known
            return known

    async def shown(
        self, session: Session, events: Sequence[Event]
    ) -> list[SessionEvent]:
        """Events of a session's past, for the wire."""
        presenter = Presenter((await self.of(session)).scope)
        return await presented(presenter, session, events)

    async def keep(self, wanted: Callable[[str], bool]) -> None:
        """Give up what is kept for sessions that are not wanted."""
        async with self._joining:
            for session_id in tuple(self._known):
                if not wanted(session_id):
                    del self._known[session_id]
                    _, joined = self._joined.pop(session_id, (None, None))
                    if joined is not None:
                        await joined.aclose()

    async def _scope_of(self, session: Session) -> Scope:
        agent = self._agents.get(session.id)
        if agent is not None:
            return agent.scope
        if session.id in self._joined:
            return self._joined[session.id][0]
        presets = self._scope.find(AgentPresets)
        if presets is None:
            return self._scope
        stack = AsyncExitStack()
        try:
            scope = await stack.enter_async_context(presets.joined(session.preset))
        except DSHError:  # the preset is gone; its sessions stay readable
            return self._scope
        self._joined[session.id] = scope, stack
        return scope


async def presented(
    presenter: Presenter, session: Session, events: Sequence[Event]
) -> list[SessionEvent]:
    """Events for the wire; a result whose call came before them gets its card, too."""
    for seq in presenter.calls_before(events):
        for call in await session.read(seq, 1):
            presenter.note(call)
    return [presenter.present(event) for event in events]
