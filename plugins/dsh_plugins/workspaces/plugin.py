"""The service and the methods `workspace/*`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from dsh.data.paths import Home
from dsh.errors import SurfaceError
from dsh.kernel import Events, plugin
from dsh.seams.gateway import Empty, Gateway, HostEvent, Method, Snapshots
from dsh.seams.sandbox import Policy, Sandbox, SandboxUnavailable
from dsh.seams.workspaces import Workspace, Workspaces
from dsh_plugins.workspaces import wire
from dsh_plugins.workspaces.register import Register

R = TypeVar("R")


class StoredWorkspaces(Workspaces):
    """The registry over its file in the home."""

    def __init__(self, register: Register, events: Events, carves: Carves) -> None:
        self._register = register
        self._events = events
        self._carves = carves
        self._alone = anyio.Lock()

    def list(self) -> list[Workspace]:
        """All of them, in the person's order."""
        return [*self._register.rows]

    def get(self, workspace_id: str) -> Workspace:
        """Raises ``WorkspaceUnknown``."""
        return self._register.find(workspace_id)

    def by_path(self, path: Path) -> Workspace | None:
        """The workspace whose real path this is."""
        rows = self._register.rows
        return next((row for row in rows if row.path == path), None)

    async def create(self, path: Path) -> Workspace:
        """Register a folder. Raises DIRECTORY_NOT_FOUND or WORKSPACE_CONTAINS_HOME."""
        await self._carves.check(path)
        return await self.change(lambda: self._register.create(path))

    async def change(self, work: Callable[[], R]) -> R:
        """Change the file in a thread, then tell every client what is there now."""
        async with self._alone:
            before = _facts(self.list())
            result = await anyio.to_thread.run_sync(work)
            if _facts(self.list()) != before:
                self._events.emit(HostEvent("host/workspaces", await self.seen()))
            return result

    async def seen(self) -> wire.WorkspaceList:
        """The list as the page sees it."""
        rows = self.list()
        return await anyio.to_thread.run_sync(lambda: _views(rows))

    async def seen_one(self, workspace: Workspace) -> wire.Workspace:
        """One of them as the page sees it."""
        found = [
            w for w in (await self.seen()).workspaces if w.workspace_id == workspace.id
        ]
        return found[0] if found else _view(workspace, 0)


class Carves:
    """Whether the sandbox keeps the program's home safe inside a workspace."""

    def __init__(self, home: Home, sandbox: Sandbox | None) -> None:
        self._home = home
        self._sandbox = sandbox

    async def check(self, path: Path) -> None:
        """Raise WORKSPACE_CONTAINS_HOME when commands there could reach the home."""
        inside = await anyio.to_thread.run_sync(self._contains_home, path)
        sandbox = self._sandbox
        if not inside or sandbox is None or (await sandbox.probe()).level == "none":
            return  # without any mechanism no confined command runs anywhere
        policy = Policy(
            "workspace-write",
            path,
            temp=path,
            hidden=(self._home.desktop,),
            read_only=(self._home.root,),
        )
        try:
            await sandbox.confine(["true"], policy, path)
        except SandboxUnavailable as error:
            message = f"{path} contains the data of this program, which would be exposed"
            raise SurfaceError(
                message, code="WORKSPACE_CONTAINS_HOME", remedy=error.remedy
            ) from error

    def _contains_home(self, path: Path) -> bool:
        try:
            return self._home.root.resolve().is_relative_to(path.expanduser().resolve())
        except (OSError, RuntimeError, ValueError):
            return False  # whoever opens it will say what is wrong


class Methods:
    """The handlers of `workspace/*`."""

    def __init__(self, register: Register, workspaces: StoredWorkspaces) -> None:
        self._register = register
        self._workspaces = workspaces

    def table(self) -> tuple[Method, ...]:
        """What the gateway offers."""
        one, all_ = wire.Workspace, wire.WorkspaceList
        return (
            Method("workspace", "list", Empty, all_, self.list),
            Method("workspace", "create", wire.CreateWorkspace, one, self.create),
            Method("workspace", "rename", wire.RenameWorkspace, one, self.rename),
            Method("workspace", "remove", wire.RemoveWorkspace, Empty, self.remove),
            Method("workspace", "reorder", wire.ReorderWorkspaces, all_, self.reorder),
        )

    async def list(self, request: Empty) -> wire.WorkspaceList:
        del request
        return await self._workspaces.seen()

    async def create(self, request: wire.CreateWorkspace) -> wire.Workspace:
        made = await self._workspaces.create(Path(request.path))
        return await self._workspaces.seen_one(made)

    async def rename(self, request: wire.RenameWorkspace) -> wire.Workspace:
        id_, title = request.workspace_id, request.title
        await self._workspaces.change(lambda: self._register.rename(id_, title))
        return await self._workspaces.seen_one(self._workspaces.get(id_))

    async def remove(self, request: wire.RemoveWorkspace) -> Empty:
        id_ = request.workspace_id
        await self._workspaces.change(lambda: self._register.remove(id_))
        return Empty()

    async def reorder(self, request: wire.ReorderWorkspaces) -> wire.WorkspaceList:
        ids = request.workspace_ids
        await self._workspaces.change(lambda: self._register.reorder(ids))
        return await self._workspaces.seen()


def _facts(rows: list[Workspace]) -> list[tuple[str, Path, str]]:
    return [(row.id, row.path, row.title) for row in rows]


def _views(rows: list[Workspace]) -> wire.WorkspaceList:
    return wire.WorkspaceList(workspaces=[_view(row, n) for n, row in enumerate(rows)])


def _view(row: Workspace, order: int) -> wire.Workspace:
    return wire.Workspace(
        workspace_id=row.id,
        path=str(row.path),
        title=row.title,
        missing=not row.path.is_dir(),
        order=order,
    )


@plugin
async def workspaces(
    home: Home,
    events: Events,
    gateway: Gateway,
    snapshots: Snapshots,
    sandbox: Sandbox | None,
) -> AsyncIterator[Workspaces]:
    """The registry of the home, for the page and for whoever needs a folder's title."""
    register = Register(home.state / "workspaces.json")
    await anyio.to_thread.run_sync(register.load)
    provider = StoredWorkspaces(register, events, Carves(home, sandbox))

    async def seen() -> object:
        return (await provider.seen()).model_dump(mode="json", by_alias=True)[
            "workspaces"
        ]

    with (
        gateway.methods(*Methods(register, provider).table()),
        snapshots.add("workspaces", seen),
    ):
        yield provider
