"""A home with real sessions, the provider of approvals, and perhaps a desk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dsh.data.events import Event
from dsh.data.paths import Home
from dsh.kernel import Events, Kernel, plugin
from dsh.runtime.session import Session, Sessions
from dsh.runtime.session.plugin import sessions
from dsh.seams.approval import Approvals
from dsh.seams.gateway import Gateway, HostEvent, Snapshots
from dsh_plugins.approvals import approvals, approvals_host


class Room:
    """What a test needs of the mounted program."""

    def __init__(self, kernel: Kernel, workspace: Path) -> None:
        self.kernel = kernel
        self.events = kernel.root.get(Events)
        self.sessions = kernel.root.get(Sessions)
        self.approvals = kernel.root.get(Approvals)
        self.gateway = kernel.root.get(Gateway)
        self.workspace = workspace
        self.told: list[HostEvent] = []

    async def session(self) -> Session:
        return await self.sessions.create(self.workspace)

    async def call(self, path: str, **fields: object) -> Any:  # Any: its own response
        method = self.gateway.get(path)
        assert method is not None
        return await method.handler(method.request.model_validate(fields))

    async def waiting(self) -> list[Any]:  # Any: models of the plugin
        return list((await self.call("approval/list")).approvals)

    async def logged(self, session: Session) -> list[Event]:
        return await session.read(0, 100)


@asynccontextmanager
async def room(home: Path, *, desk: bool = True) -> AsyncIterator[Room]:
    @plugin
    async def place() -> AsyncIterator[Home]:
        yield Home(home)

    workspace = home.parent / "workspace"
    workspace.mkdir(exist_ok=True)
    async with Kernel() as kernel:
        with (
            kernel.root.offered(Gateway, Gateway(kernel.root)),
            kernel.root.offered(Snapshots, Snapshots(kernel.root)),
        ):
            for body in (place, sessions, approvals, *([approvals_host] if desk else [])):
                kernel.root.mount(body.name, body)
            await kernel.settled()
            made = Room(kernel, workspace)
            with made.events.on(HostEvent, made.told.append):
                yield made
            await kernel.close()
