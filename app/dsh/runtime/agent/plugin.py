"""The plugin that offers the agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from dsh.kernel import Events, Next, Scope, plugin
from dsh.runtime.agent.agents import Agents
from dsh.runtime.agent.shared import AgentsConfig, Shared
from dsh.runtime.models import DefaultModel
from dsh.runtime.presets import AgentPresets
from dsh.runtime.prompt import Contexts, Sections
from dsh.runtime.session import Sessions
from dsh.runtime.stopping import STOPPING
from dsh.runtime.tools.definition import Tools
from dsh.seams.approval import Approvals
from dsh.seams.llm import Models


@plugin
async def agents(
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
) -> AsyncIterator[Agents]:
    """Agents on sessions; at the end every one has stopped and closed its session."""
    shared = Shared(
        sessions,
        events,
        models,
        tools,
        sections,
        contexts,
        default,
        approvals,
        presets,
        scope,
        config,
    )
    async with asyncio.TaskGroup() as tasks:
        service = Agents(shared, tasks)

        async def stopping(nothing: None, call_next: Next[None, None]) -> None:
            await service.end()
            await call_next(nothing)

        try:
            with events.wrap(STOPPING, stopping):
                yield service
        finally:
            await service.end()
