"""Processes as on systems without a supervisor; run here, where they work as well."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh.seams.subprocess import SpawnFailed
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from dsh_plugins.subprocess_local.posix import ProcessGroups
from support.processes import MARK, SHAPES, World, marked, new_mark, until

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world() -> AsyncIterator[World]:
    launcher = ProcessGroups()
    try:
        yield World(LocalSubprocess(launcher, os.environ), launcher)
    finally:
        await launcher.close()


async def test_streams_exit_codes_and_signals(world: World) -> None:
    run = await world.run(world.spec("cat; echo err >&2; exit 3", stdin=b"in"))
    assert (run.out.text, run.err.text, run.end.exit_code) == ("in", "err\n", 3)
    assert (await world.run(world.spec("kill -TERM $$"))).end.signal == "SIGTERM"


async def test_what_cannot_start_or_be_confined_runs_nothing(
    world: World, tmp_path: Path
) -> None:
    for spec in (
        world.spec(["/no/such/program"]),
        world.spec("true", tmp_path / "gone"),
        world.spec("true", confine={"landlock": ()}),
    ):
        with pytest.raises(SpawnFailed):
            await world.run(spec)


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_shape_of_tree_ends(world: World, shape: str) -> None:
    mark = new_mark()
    async with world.spawn(world.spec(SHAPES[shape], env={MARK: mark}, grace=0.2)) as it:
        await until(lambda: marked(mark))
        await asyncio.wait_for(it.terminate(), 10)
    assert marked(mark) == []


async def test_the_background_ends_with_the_block_and_no_thread_stays(
    world: World,
) -> None:
    mark = new_mark()
    command = f"export {MARK}={mark}; (setsid sleep 300 &); echo done"
    run = await world.run(world.spec(command))
    assert run.out.text == "done\n"
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("dsh-")]
    assert marked(mark) == []
