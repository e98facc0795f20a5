"""A host with sessions and agents in a real kernel, and clients without a socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
from pydantic import BaseModel

from dsh.composition.presets import presets
from dsh.kernel import Mount, Plugin, Scope
from dsh.runtime.agent import Agents
from dsh.runtime.session import Session, Sessions
from dsh.runtime.tools import Tool
from dsh.seams.gateway import Gateway
from dsh.surfaces.host.feed import Feed
from dsh.surfaces.host.hub import Hub
from dsh.surfaces.host.plugin import Host, host
from dsh.surfaces.host.session_methods import session_methods
from dsh.surfaces.host.socket import SessionSource
from dsh_plugins.workspaces import workspaces
from support.agents import Echo, runtime
from support.scripted import Scripted, says

Item = dict[str, Any]  # Any: JSON


class Client:
    """What waits for one client, taken out as it is looked at."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.seen: list[Item] = []

    def items(self) -> list[Item]:
        """Everything so far, oldest first."""
        taken, self.feed._items = self.feed._items, []
        self.seen += [json.loads(payload) for payload in taken]
        return self.seen

    async def until(self, type_: str, count: int = 1) -> Item:
        """The item of a type that comes as the ``count``-th."""
        with anyio.fail_after(20):
            while len(found := [i for i in self.items() if i["type"] == type_]) < count:
                await anyio.sleep(0.005)
        return found[count - 1]

    def events(self) -> list[int]:
        """The seqs as a page keeps them: of the last snapshot, and what followed."""
        known: list[int] = []
        for found in self.items():
            if found["type"] == "session/snapshot":
                known = [event["seq"] for event in found["data"]["events"]]
                known = [*range(found["data"]["lastSeq"] + 1)] if known else []
            elif found["type"] == "session/event" and found["seq"] > max(
                known, default=-1
            ):
                known.append(found["seq"])
        return known


class Room:
    """What a test works with."""

    def __init__(self, root: Scope, folder: Path, methods: Mount) -> None:
        self.root = root
        self.folder = folder
        self.methods = methods
        self.agents = root.get(Agents)
        self.sessions = root.get(Sessions)

    @property
    def hub(self) -> Hub:
        """The hub of the running host."""
        return self.root.get(Host).hub

    @property
    def source(self) -> SessionSource:
        """What the socket asks for sessions."""
        return self.root.get(SessionSource)

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client while it is connected."""
        with self.hub.client() as feed:
            yield Client(feed)

    async def call(
        self, path: str, /, **request: object
    ) -> Any:  # Any: the response model
        """Call a method of the table."""
        method = self.root.get(Gateway).get(path)
        assert method is not None, path
        return await method.handler(method.request.model_validate(request))

    async def stored(self, preset: str | None = None, prompts: int = 1) -> str:
        """The id of a session that ended in order and is not live."""
        agent = await self.agents.create(self.folder, preset=preset)
        for number in range(prompts):
            agent.followup(f"task {number}")
            await agent.idle()
        await self.agents.close(agent.id)
        return agent.id


def filled(session: Session, count: int) -> None:
    """Append events that mean nothing."""
    for _ in range(count):
        session.append("session/title", TITLE)


TITLE = {"title": "t", "messageSeqs": [], "source": {"kind": "user"}}


@asynccontextmanager
async def room(
    folder: Path,
    *plugins: Plugin,
    model: Scripted | None = None,
    tool: Tool[BaseModel] | Echo | None = None,
) -> AsyncIterator[Room]:
    """Everything from the log to the methods of the page, without a listening client."""
    scripted = model or Scripted(*[says("Yes.")] * 20)
    frame = (presets, workspaces, host, *plugins)
    async with runtime(folder, scripted, *frame, tool=tool) as running:
        methods = running.root.mount("session-methods", session_methods)
        await methods.settled()
        assert methods.error is None, methods.error
        yield Room(running.root, running.folder, methods)


async def eventually(condition: Callable[[], object]) -> None:
    """Return when the condition holds."""
    with anyio.fail_after(20):
        while not condition():
            await anyio.sleep(0.005)
