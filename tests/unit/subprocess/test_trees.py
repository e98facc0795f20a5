"""Nothing that was started survives: not the block, not terminate, not a crash."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dsh.seams.subprocess import SpawnFailed
from dsh_plugins.subprocess_local import process_table
from support.processes import MARK, SHAPES, World, marked, new_mark, until

pytestmark = pytest.mark.anyio

ROUNDS = 3


@pytest.mark.parametrize("shape", SHAPES)
async def test_terminate_ends_every_shape_of_tree(world: World, shape: str) -> None:
    for _ in range(ROUNDS):
        mark = new_mark()
        spec = world.spec(SHAPES[shape], env={MARK: mark}, grace=0.2)
        async with world.spawn(spec) as process:
            await until(lambda mark=mark: marked(mark))
            await asyncio.wait_for(process.terminate(), 10)
            assert marked(mark) == []
            end = await process.wait()
            assert end.signal in ("SIGTERM", "SIGKILL")


async def test_leaving_the_block_ends_what_runs_in_the_background(world: World) -> None:
    mark = new_mark()
    run = await world.run(world.spec("sleep 300 & echo done", env={MARK: mark}))
    assert (run.out.text, run.end.exit_code) == ("done\n", 0)
    assert marked(mark) == []


@pytest.mark.parametrize("redirected", [">/dev/null", "2>/dev/null", "&>/dev/null"])
async def test_the_end_does_not_wait_for_whoever_holds_a_pipe(
    world: World, redirected: str
) -> None:
    mark = new_mark()
    command = f"sleep 300 {redirected} & echo done"
    run = await world.run(world.spec(command, env={MARK: mark}))
    assert run.out.text == "done\n"
    assert marked(mark) == []


async def test_a_daemon_that_shed_every_mark_is_ended_too(
    world: World, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    daemon = f"setsid env -i sh -c 'echo $$ >{note}; exec sleep 300' >/dev/null 2>&1 &"
    command = f"({daemon}); until [ -s {note} ]; do sleep 0.01; done"
    await world.run(world.spec(command))
    assert not Path(f"/proc/{note.read_text().strip()}").exists()


async def test_another_job_is_left_alone(world: World) -> None:
    mark = new_mark()
    spec = world.spec(SHAPES["double fork"], env={MARK: mark})
    async with world.spawn(spec):
        await until(lambda: len(marked(mark)) >= 4)
        before = set(marked(mark))
        await world.run(world.spec("(setsid sleep 300 &) & sleep 300 & true"))
        assert set(marked(mark)) >= before
    assert marked(mark) == []


async def test_time_is_given_to_end_politely(world: World) -> None:
    command = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.01; done"
    async with world.spawn(world.spec(command, grace=10)) as process:
        async for _, text in process.output():
            if "up" in text:
                break
        await process.terminate()
        assert (await process.wait()).exit_code == 7
        assert process.collected()[0].text == "up\nbye\n"


async def test_what_ignores_politeness_is_killed_after_the_grace(world: World) -> None:
    command = "trap '' TERM; echo up; while :; do sleep 0.01; done"
    async with world.spawn(world.spec(command, grace=0.1)) as process:
        async for _, text in process.output():
            if "up" in text:
                break
        await asyncio.wait_for(process.terminate(), 10)
        assert (await process.wait()).signal == "SIGKILL"


async def test_cancelling_the_caller_ends_the_tree_first(world: World) -> None:
    mark = new_mark()

    async def run() -> None:
        async with world.spawn(world.spec("sleep 300", env={MARK: mark})) as process:
            await process.wait()

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(run())
        await until(lambda: marked(mark))
        task.cancel()
    assert marked(mark) == []


@pytest.mark.parametrize("delay", [0, 0.0003, 0.001, 0.002, 0.004, 0.008, 0.02])
async def test_no_moment_of_cancelling_leaves_anything(
    world: World, delay: float
) -> None:
    mark = new_mark()
    command = f"trap '' TERM; {SHAPES['background']}"

    async def run() -> None:
        async with world.spawn(world.spec(command, env={MARK: mark}, grace=0.1)) as it:
            await it.wait()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(5):
            task = tasks.create_task(run())
            await asyncio.sleep(delay)
            for _ in range(3):
                task.cancel()
                await asyncio.sleep(delay / 3)
    assert marked(mark) == []
    assert world.supervised.pid is not None
    assert process_table.children(world.supervised.pid) == []


PROGRAM = """
import asyncio, os, sys
from pathlib import Path
from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from support.processes import SHAPES, World

async def main():
    launcher = Supervised()
    world = World(LocalSubprocess(launcher, os.environ), launcher)
    async def one(command):
        async with world.spawn(world.spec(command)) as process:
            await process.wait()
    async with asyncio.TaskGroup() as tasks:
        for command in SHAPES.values():
            tasks.create_task(one(command))

asyncio.run(main())
"""


async def test_a_killed_program_leaves_nothing_behind() -> None:
    mark = new_mark()
    env = {**os.environ, MARK: mark, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], env=env) as program:
        await until(lambda: len(marked(mark)) >= 30, 30)
        program.kill()
    await until(lambda: not marked(mark))


async def test_a_killed_supervisor_leaves_nothing_behind_and_is_replaced(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    mark = new_mark()
    ends = []

    async def one(command: str) -> None:
        async with world.spawn(world.spec(command, env={MARK: mark})) as process:
            ends.append(await process.wait())

    async with asyncio.TaskGroup() as tasks:
        for command in SHAPES.values():
            tasks.create_task(one(command))
        await until(lambda: len(marked(mark)) >= 30, 30)
        assert world.supervised.pid is not None
        os.kill(world.supervised.pid, signal.SIGKILL)
    assert marked(mark) == []
    assert {end.signal for end in ends} == {"SIGKILL"}
    assert "supervisor" in caplog.text
    assert (await world.run(world.spec("echo again"))).out.text == "again\n"


async def test_nothing_starts_without_a_supervisor(world: World) -> None:
    world.supervised._argv = ["/bin/false"]
    with pytest.raises(SpawnFailed):
        await world.run(world.spec("true"))


async def test_the_supervisor_ends_when_its_program_lets_go(world: World) -> None:
    await world.run(world.spec("true"))
    pid = world.supervised.pid
    started = time.monotonic()
    await world.launcher.close()
    assert not Path(f"/proc/{pid}").exists()
    assert time.monotonic() - started < 5
