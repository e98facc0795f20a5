"""What all agents share, and the view of it that each one gets from its own scope."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from pydantic import BaseModel

from dsh.kernel import Events, Scope
from dsh.runtime.agent.facts import ToolOutput
from dsh.runtime.loop.services import Services
from dsh.runtime.models import DefaultModel
from dsh.runtime.presets import AgentPresets
from dsh.runtime.prompt import Contexts, Sections
from dsh.runtime.session import Sessions
from dsh.runtime.tools.definition import Tools
from dsh.runtime.tools.scheduler import ToolRuntime
from dsh.seams.approval import Approvals
from dsh.seams.llm import Models


class AgentsConfig(BaseModel, frozen=True, defer_build=True):
    """Limits of every agent."""

    max_parallel_tools: int = 10
    max_steps: int = 1000  # of one turn
    stop_grace: float = 5.0  # seconds a stopped tool body may take to end


class Shared:
    """The services that every agent gets a view of."""

    __slots__ = (
        "approvals",
        "config",
        "contexts",
        "default",
        "events",
        "models",
        "presets",
        "scope",
        "sections",
        "sessions",
        "tools",
    )

    def __init__(
        self,
        sessions: Sessions,
        events: Events,
        models: Models,
        tools: Tools,
        sections: Sections,
        contexts: Contexts,
        default: DefaultModel,
        approvals: Approvals | None,
        presets: AgentPresets | None,
        scope: Scope,
        config: AgentsConfig,
    ) -> None:
        self.sessions = sessions
        self.events = events
        self.models = models
        self.tools = tools
        self.sections = sections
        self.contexts = contexts
        self.default = default
        self.approvals = approvals
        self.presets = presets
        self.scope = scope  # where agents live when there are no presets
        self.config = config

    def joined(self, preset: str | None) -> AbstractAsyncContextManager[Scope]:
        """The scope that agents of a preset live in."""
        return self._global() if self.presets is None else self.presets.joined(preset)

    @asynccontextmanager
    async def _global(self) -> AsyncIterator[Scope]:
        yield self.scope

    def seen_from(
        self, scope: Scope, session_id: str, tasks: asyncio.TaskGroup
    ) -> Services:
        """The services as an agent in ``scope`` sees them."""
        events = self.events.at(scope)

        def output(call_id: str, stream: str, text: str) -> None:
            events.emit(ToolOutput(session_id, call_id, stream, text))

        runtime = ToolRuntime(
            events,
            self.tools.at(scope),
            self.approvals,
            tasks.create_task,
            output,
            parallel=self.config.max_parallel_tools,
            grace=self.config.stop_grace,
        )
        return Services(
            events,
            self.models.at(scope),
            self.sections.at(scope),
            self.contexts.at(scope),
            runtime,
            self.config.max_steps,
        )
