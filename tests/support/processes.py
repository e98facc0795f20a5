"""Running real processes in tests, and looking for what is left of them."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from dsh.seams.subprocess import Collected, Process, ProcessEnd, SpawnSpec, Subprocess
from dsh_plugins.subprocess_local import process_table
from dsh_plugins.subprocess_local.launcher import Launcher
from dsh_plugins.subprocess_local.linux import Supervised

MARK = "DESK_TEST_MARK"
BASH = "/bin/bash"

# Ways to leave something behind; each needs another means to be found.
SHAPES = {
    "simple": "sleep 300",
    "pipeline": "sleep 300 | sleep 300 | cat",
    "background": "sleep 300 & sleep 300 & sleep 300",
    "nohup": "nohup sleep 300 >/dev/null 2>&1 & sleep 300",
    "own session": "setsid sleep 300 & sleep 300",
    "double fork": "(setsid bash -c 'sleep 300 & sleep 300' & ) & sleep 300",
    "daemon": "(setsid sleep 300 >/dev/null 2>&1 &); sleep 300",
    "storm": "for i in 1 2 3 4 5 6; do (setsid sh -c 'sleep 300 & sleep 300' &); done; "
    "sleep 300",
}


class Run:
    """What a finished process gave."""

    def __init__(self, end: ProcessEnd, out: Collected, err: Collected) -> None:
        self.end = end
        self.out = out
        self.err = err


class World:
    """A provider and shorter ways to use it."""

    def __init__(self, subprocess: Subprocess, launcher: Launcher) -> None:
        self.subprocess = subprocess
        self.launcher = launcher

    @property
    def supervised(self) -> Supervised:
        """The launcher that has a supervisor."""
        assert isinstance(self.launcher, Supervised)
        return self.launcher

    def spec(
        self,
        argv: list[str] | str,
        cwd: Path = Path("/"),
        *,
        limit: int = 64_000,
        grace: float = 3.0,
        env: dict[str, str] | None = None,
        stdin: bytes = b"",
        spill: Path | None = None,
        spill_max: int = 0,
        confine: dict[str, object] | None = None,
    ) -> SpawnSpec:
        return SpawnSpec(
            [BASH, "-c", argv] if isinstance(argv, str) else argv,
            cwd,
            self.subprocess.environment(env),
            stdout_max=limit,
            stderr_max=limit,
            grace=grace,
            stdin=stdin,
            spill=spill,
            spill_max=spill_max,
            confine=confine,
        )

    def spawn(self, spec: SpawnSpec) -> AbstractAsyncContextManager[Process]:
        return self.subprocess.spawn(spec)

    async def run(self, spec: SpawnSpec) -> Run:
        async with self.spawn(spec) as process:
            end = await asyncio.wait_for(process.wait(), 30)
        return Run(end, *process.collected())


def new_mark() -> str:
    """A value of :data:`MARK` by which everything that inherits it is found again."""
    return uuid.uuid4().hex


def marked(mark: str) -> list[int]:
    """Live processes that carry the mark."""
    return process_table.carriers(MARK.encode(), mark.encode())


async def until(condition: object, seconds: float = 10.0) -> None:
    """Wait for something outside of this program to become true."""
    assert callable(condition)
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def open_descriptors() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))
