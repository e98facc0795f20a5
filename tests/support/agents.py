"""The whole runtime in a real kernel with sessions on disk; the model is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from dsh.data.events import Event
from dsh.kernel import Events, Plugin, Scope
from dsh.runtime.agent import Agent, Agents, AgentsConfig, agents
from dsh.runtime.models import DefaultModel, Route
from dsh.runtime.prompt import Section, Sections
from dsh.runtime.session import Session, Sessions
from dsh.runtime.session.plugin import sessions
from dsh.runtime.tools import Execution, Outcome, Tool, Tools
from dsh.seams.llm import Models
from support.mounting import mounted
from support.scripted import Scripted, texts

ROUTE = Route("scripted", "model")


class FixedModel(DefaultModel):
    """The default route of a test."""

    def __init__(self) -> None:
        self.route = ROUTE

    def current(self) -> Route:
        return self.route

    async def set(self, route: Route) -> None:
        self.route = route


class Word(BaseModel):
    """Arguments of the tools of a test."""

    word: str = ""


Body = Callable[[str, Execution], Awaitable[Outcome]]


class Echo(Tool[Word]):
    """A tool whose body a test gives; it may overlap others if it says so."""

    name: ClassVar[str] = "echo"
    description: ClassVar[str] = "Gives a word back."

    def __init__(self, body: Body | None = None, *, parallel: bool = False) -> None:
        self.body = body
        self.parallel = parallel
        self.ran: list[str] = []

    @property
    def arguments(self) -> type[Word]:
        return Word

    async def run(self, arguments: Word, execution: Execution) -> Outcome:
        self.ran.append(arguments.word)
        if self.body is None:
            return Outcome(arguments.word)
        return await self.body(arguments.word, execution)

    def parallel_safe(self, arguments: Word) -> bool:
        return self.parallel


class Runtime:
    """What a test works with."""

    def __init__(self, root: Scope, folder: Path, model: Scripted) -> None:
        self.root = root
        self.folder = folder
        self.model = model
        self.agents = root.get(Agents)
        self.sessions = root.get(Sessions)
        self.events = root.get(Events)

    async def agent(self) -> Agent:
        """A new agent on the folder of the test."""
        return await self.agents.create(self.folder)

    async def say(self, agent: Agent, text: str) -> None:
        """Prompt it and wait until it rests."""
        agent.followup(text)
        await asyncio.wait_for(agent.idle(), 20)


@asynccontextmanager
async def runtime(
    folder: Path,
    model: Scripted,
    *plugins: Plugin,
    tool: Tool[BaseModel] | Echo | None = None,
    services: tuple[tuple[type, object], ...] = (),
    config: AgentsConfig | None = None,
) -> AsyncIterator[Runtime]:
    """Kernel, sessions, agents and a scripted model; logs are checked event by event."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    offered = ((DefaultModel, FixedModel()), *services)
    frame = (sessions, *plugins)
    async with mounted(folder / "home", *frame, services=offered) as root:
        mount = root.mount("agents", agents, config)
        await mount.settled()
        root.get(Sessions).strict = True
        with ExitStack() as stack:
            stack.enter_context(root.get(Models).add(model.id, model))
            section = Section(0, "You are tested in {{cwd}} as {{model}}.")
            stack.enter_context(root.get(Sections).add("test", section))
            if tool is not None:
                stack.enter_context(root.get(Tools).add(tool.name, tool))  # type: ignore[arg-type]  # a tool of any arguments
            yield Runtime(root, work, model)


async def log_of(session: Session) -> list[Event]:
    """Every event of a session."""
    return await session.read(0, session.tip + 1)


def kinds(events: list[Event]) -> list[str]:
    """The types of events, chunks left out."""
    return [event.type for event in events if event.type != "assistant/chunk"]


async def results(host: Runtime, wait: float = 20) -> list[Event]:
    """The results of one turn of a new agent."""
    agent = await host.agent()
    await asyncio.wait_for(host.say(agent, "go"), wait)
    return [event for event in await log_of(agent.session) if event.type == "tool/result"]


def code(event: Event) -> str | None:
    error = event.data.get("error")
    return None if error is None else str(error["code"])


def text(event: Event) -> str:
    return texts([event.data["message"]])[0]
