"""An agent with the real shell, sandbox and bash tool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dsh.data.events import Event
from dsh.kernel import Plugin
from dsh.runtime.agent import Agent
from dsh_plugins.approvals import approvals
from dsh_plugins.sandbox_linux import sandbox_linux
from dsh_plugins.sandbox_policy import sandbox_policy
from dsh_plugins.shell_bash import bash_confined
from dsh_plugins.spill_local import spill_local
from dsh_plugins.subprocess_local.plugin import subprocess_local
from dsh_plugins.tool_bash import tool_bash
from support.agents import Runtime, log_of, runtime
from support.scripted import Answer, Scripted, calls, says

WORLD: tuple[Plugin, ...] = (
    subprocess_local,
    sandbox_linux,
    spill_local,
    sandbox_policy,
    bash_confined,
    approvals,
    tool_bash,
)


def bash(command: str, **more: object) -> tuple[str, dict[str, object]]:
    """A call of the tool."""
    return "bash", {"command": command, "description": "does something", **more}


@asynccontextmanager
async def shell_agent(
    folder: Path, *answers: Answer, plugins: tuple[Plugin, ...] = WORLD
) -> AsyncIterator[tuple[Runtime, Agent]]:
    """A runtime whose model gives these answers and then rests."""
    model = Scripted(*answers, endless=lambda: says("done"))
    async with runtime(folder, model, *plugins) as host:
        yield host, await host.agent()


async def results(agent: Agent) -> list[Event]:
    """The results of all calls of a session."""
    return [event for event in await log_of(agent.session) if event.type == "tool/result"]


def text_of(event: Event) -> str:
    """The text of a result."""
    content: list[Any] = event.data["message"]["content"]  # Any: a block of the log
    return "".join(part["text"] for part in content[0]["content"])


async def ran(folder: Path, command: str, **more: object) -> tuple[str, Event]:
    """Run one command through the whole pipeline; its text and its event."""
    async with shell_agent(folder, calls(bash(command, **more))) as (host, agent):
        await host.say(agent, "go")
        (event,) = await results(agent)
        return text_of(event), event
