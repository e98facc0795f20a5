"""Loading and unloading, however often, leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import anyio
import psutil
import pytest

from dsh.kernel import Events, Hook, Kernel, Next, Plugin, Registry, Scope, plugin
from unit.kernel.parts import Files, Problems, Shell, broken, kept, phase

pytestmark = pytest.mark.anyio

CYCLES = 500


@dataclass(frozen=True)
class Said:
    """A fact."""


class Tools(Registry[str, str]):
    """A registry."""


ALLOW: Hook[str, bool] = Hook("allow")


async def allow(line: str, call_next: Next[str, bool]) -> bool:
    return await call_next(line)


@plugin
async def busy(events: Events, tools: Tools) -> AsyncIterator[Shell]:
    """Owns one of everything that can be left behind."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=-1)
    with (
        child,
        Path("/dev/null").open() as file,
        events.on(Said, lambda fact: file.flush()),
        events.wrap(ALLOW, allow),
        tools.add("bash", "runs commands"),
    ):
        thread.start()
        async with asyncio.TaskGroup() as tasks:
            background = tasks.create_task(anyio.sleep_forever())
            yield Shell()
            background.cancel()
        end.set()
        thread.join()
        child.kill()


@plugin
async def consumer(shell: Shell, tools: Tools) -> AsyncIterator[Files]:
    """Depends on it."""
    with tools.add("read", "reads files"):
        yield Files()


def left(kernel: Kernel, tools: Tools) -> dict[str, int]:
    """Everything that could be left behind."""
    me = psutil.Process()
    return {
        "tasks": len(asyncio.all_tasks()),
        "threads": threading.active_count(),
        "files": me.num_fds() if hasattr(me, "num_fds") else 0,
        "children": len(me.children(recursive=True)),
        "listeners": kept(kernel.root.get(Events)),
        "contributions": kept(tools),
        "mounts": len(kernel.report()),
        "rows": len(kernel.root.mounts),
        "mount objects": sum(type(each).__name__ == "Mount" for each in gc.get_objects()),
    }


async def cycle(scope: Scope) -> None:
    provider, user = scope.mount("busy", busy), scope.mount("user", consumer)
    await scope.kernel.settled()
    assert (phase(provider), phase(user)) == ("active", "active")
    await provider.close()
    await user.settled()
    assert phase(user) == "waiting"
    await user.close()


async def test_500_loads_and_unloads_leave_everything_as_it_was(
    kernel: Kernel, problems: Problems
) -> None:
    tools = Tools(kernel.root)
    with kernel.root.offered(Tools, tools):
        await cycle(kernel.root)
        gc.collect()
        before = left(kernel, tools)
        for _ in range(CYCLES):
            await cycle(kernel.root.child("agent", frozenset()))
        gc.collect()
        assert left(kernel, tools) == before
    assert problems == []


MODULE = """
from collections.abc import AsyncIterator
from pydantic import BaseModel
from dsh.kernel import Events, plugin
from unit.kernel.parts import Shell
from unit.kernel.test_unloading import Said

class Config(BaseModel, frozen=True):
    name: str = "mine"

class Mine(Shell):
    pass

def heard(fact: Said) -> None:
    raise ValueError("heard")

@plugin
async def mine(events: Events, config: Config) -> AsyncIterator[Shell]:
    with events.on(Said, heard):
        yield Mine(config.name)
"""


def loaded(folder: Path) -> ModuleType:
    """A plugin's module as the loader makes it: fresh, and in no table."""
    file = folder / "mine.py"
    file.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("mine", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mine"] = module  # where annotations are looked up
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["mine"]
    return module


def watched(module: ModuleType) -> dict[str, weakref.ref[object]]:
    """Tells whether anything of it is alive: a function keeps no module object."""
    kept = {name: weakref.ref(each) for name, each in vars(module).items() if mine(each)}
    assert sorted(kept) == ["Config", "Mine", "heard", "mine"]
    return {"module": weakref.ref(module), **kept}


def mine(each: object) -> bool:
    return getattr(each, "__module__", "") == "mine" or isinstance(each, Plugin)


def alive(watched: dict[str, weakref.ref[object]]) -> list[str]:
    gc.collect()
    return [name for name, reference in watched.items() if reference() is not None]


async def mounted_once(kernel: Kernel, folder: Path) -> dict[str, weakref.ref[object]]:
    """Load, mount and unload it; return what tells whether it is still alive."""
    module = loaded(folder)
    mount = kernel.root.mount("mine", module.mine)
    await kernel.settled()
    assert phase(mount) == "active"
    kernel.root.get(Events).emit(Said())
    await mount.close()
    return watched(module)


@plugin
async def content(shell: Shell | None) -> AsyncIterator[None]:
    """Likes it."""
    yield


@plugin
async def failing(shell: Shell) -> AsyncIterator[None]:
    """Fails on it."""
    broken(OSError("no use"))
    yield


@plugin
async def hanging(shell: Shell) -> AsyncIterator[None]:
    """Starts a task that outlives the call, in the context of whoever calls."""
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.sleep_forever)
        yield
        group.cancel_scope.cancel()


@pytest.mark.parametrize("user", [content, failing, hanging])
async def test_the_module_of_an_unloaded_plugin_can_be_collected(
    kernel: Kernel, problems: Problems, tmp_path: Path, user: Plugin
) -> None:
    kernel.root.mount("user", user)
    watch = await mounted_once(kernel, tmp_path)
    await kernel.settled()
    problems.clear()  # an error's traceback keeps what it went through
    assert alive(watch) == []


async def test_a_successor_keeps_nothing_of_its_predecessor_alive(
    kernel: Kernel, tmp_path: Path
) -> None:
    module = loaded(tmp_path)
    watch = watched(module)
    old = kernel.root.mount("mine", module.mine)
    await old.settled()
    old.discard()
    new = kernel.root.mount("mine", loaded(tmp_path).mine)
    await new.settled()
    assert phase(new) == "active"
    del old, module
    assert alive(watch) == []
