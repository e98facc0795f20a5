"""Folders are registered once, whatever they are called, and never touched."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dsh.data.paths import Home
from dsh.errors import SurfaceError
from dsh.kernel import Events, Kernel, plugin
from dsh.seams.gateway import Gateway, HostEvent, Snapshots
from dsh.seams.sandbox import (
    Confinement,
    Enforcement,
    Policy,
    Sandbox,
    SandboxUnavailable,
)
from dsh.seams.workspaces import Workspaces, WorkspaceUnknown
from dsh_plugins.workspaces import workspaces
from dsh_plugins.workspaces.register import _same_folder

pytestmark = pytest.mark.anyio


class Desktop:
    def __init__(self, kernel: Kernel) -> None:
        self.registry = kernel.root.get(Workspaces)
        self._gateway = kernel.root.get(Gateway)
        self.told: list[HostEvent] = []

    async def call(self, name: str, **fields: object) -> Any:  # Any: its own response
        method = self._gateway.get(f"workspace/{name}")
        assert method is not None
        return await method.handler(method.request.model_validate(fields))

    async def titles(self) -> list[str]:
        return [row.title for row in (await self.call("list")).workspaces]


@asynccontextmanager
async def desktop(home: Path, sandbox: Sandbox | None = None) -> AsyncIterator[Desktop]:
    @plugin
    async def place() -> AsyncIterator[Home]:
        yield Home(home)

    async with Kernel() as kernel:
        with (
            kernel.root.offered(Gateway, Gateway(kernel.root)),
            kernel.root.offered(Snapshots, Snapshots(kernel.root)),
        ):
            kernel.root.mount("place", place)
            if sandbox is not None:
                kernel.root.mount("sandbox", offering(sandbox))
            kernel.root.mount("workspaces", workspaces)
            await kernel.settled()
            made = Desktop(kernel)
            with kernel.root.get(Events).on(HostEvent, made.told.append):
                yield made
            await kernel.close()


def offering(sandbox: Sandbox) -> Any:  # Any: a plugin
    @plugin
    async def confining() -> AsyncIterator[Sandbox]:
        yield sandbox

    return confining


async def test_one_folder_is_one_workspace_whatever_it_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    async with desktop(tmp_path / "home") as at:
        first = await at.call("create", path=str(folder))
        for name in (f"{folder}/", str(tmp_path / "link"), f"{tmp_path}/./link/../ws"):
            again = await at.call("create", path=name)
            assert again.workspace_id == first.workspace_id
        assert await at.titles() == ["ws"]
        assert (first.path, first.missing, first.order) == (str(folder), False, 0)
        assert [event.type for event in at.told] == ["host/workspaces"]
        assert at.registry.by_path(folder) is at.registry.get(first.workspace_id)


async def test_folders_come_back_in_the_persons_order(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
    async with desktop(tmp_path / "home") as at:
        ids = {}
        for name in "abc":
            made = await at.call("create", path=str(tmp_path / name))
            ids[name] = made.workspace_id
        assert await at.titles() == ["c", "b", "a"]  # the newest comes first
        await at.call("reorder", workspaceIds=[ids["a"], "unknown"])
        assert await at.titles() == ["a", "c", "b"]
        renamed = await at.call("rename", workspaceId=ids["c"], title="  My\n project ")
        assert renamed.title == "My project"
        await at.call("rename", workspaceId=ids["a"], title="   ")
        await at.call("remove", workspaceId=ids["b"])
    assert (tmp_path / "b").is_dir()
    (tmp_path / "a").rmdir()
    async with desktop(tmp_path / "home") as at:
        rows = (await at.call("list")).workspaces
        assert [(row.title, row.missing, row.order) for row in rows] == [
            ("a", True, 0),
            ("My project", False, 1),
        ]
        with pytest.raises(WorkspaceUnknown):
            await at.call("remove", workspaceId=ids["b"])


@pytest.mark.parametrize(
    "path", ["none", "file", "circle", "", "a\0b", "ws", "~nobody/x"]
)
async def test_what_is_no_folder_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "circle").symlink_to("circle")
    whole = path if path in ("", "ws", "~nobody/x") else str(tmp_path / path)
    async with desktop(tmp_path / "home") as at:
        with pytest.raises(SurfaceError) as caught:
            await at.call("create", path=whole)
        assert caught.value.code == "DIRECTORY_NOT_FOUND"
        assert at.told == []
    assert not (tmp_path / "home/desktop/state/workspaces.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": 2, "workspaces": []}',
        b'{"workspaces": [{"id": 1}]}',
    ],
)
async def test_a_broken_list_is_put_aside_not_lost(
    tmp_path: Path, content: bytes
) -> None:
    state = tmp_path / "home/desktop/state"
    state.mkdir(parents=True)
    (state / "workspaces.json").write_bytes(content)
    (tmp_path / "ws").mkdir()
    async with desktop(tmp_path / "home") as at:
        assert await at.titles() == []
        await at.call("create", path=str(tmp_path / "ws"))
        assert await at.titles() == ["ws"]
    [aside] = state.glob("workspaces.json.broken-*")
    assert aside.read_bytes() == content
    stored = json.loads((state / "workspaces.json").read_bytes())
    assert [row["title"] for row in stored["workspaces"]] == ["ws"]


async def test_two_programs_on_one_home_do_not_undo_each_others_changes(
    tmp_path: Path,
) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    async with desktop(tmp_path / "home") as one, desktop(tmp_path / "home") as other:
        await one.call("create", path=str(tmp_path / "a"))
        await other.call("create", path=str(tmp_path / "b"))
        assert await other.titles() == ["b", "a"]


def test_spellings_of_one_folder_are_told_by_the_file_system(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "alias").symlink_to("ws")  # as a name in other case where case is ignored
    assert _same_folder(tmp_path / "ws", tmp_path / "alias")
    assert not _same_folder(tmp_path / "ws", tmp_path / "WS-none")


class Carver(Sandbox):
    """A mechanism that can, or cannot, keep a folder inside a workspace safe."""

    def __init__(self, *, able: bool) -> None:
        self._able = able

    async def probe(self) -> Enforcement:
        return Enforcement("landlock", "partial")

    async def confine(self, argv: list[str], policy: Policy, cwd: Path) -> Confinement:
        if not self._able:
            raise SandboxUnavailable("cannot", remedy="choose another folder")
        return Confinement(argv, await self.probe())

    async def failed(self) -> SandboxUnavailable:
        return SandboxUnavailable("failed")


@pytest.mark.parametrize("able", [True, False])
async def test_a_folder_around_the_home_needs_a_mechanism_that_carves_it_out(
    tmp_path: Path, able: bool
) -> None:
    (tmp_path / "beside").mkdir()
    async with desktop(tmp_path / "home", Carver(able=able)) as at:
        await at.call("create", path=str(tmp_path / "beside"))
        if able:
            await at.call("create", path=str(tmp_path))
            return
        with pytest.raises(SurfaceError) as caught:
            await at.call("create", path=str(tmp_path))
        assert caught.value.code == "WORKSPACE_CONTAINS_HOME"
        assert caught.value.remedy == "choose another folder"
        assert await at.titles() == ["beside"]
