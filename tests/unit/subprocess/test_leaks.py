"""Any number of processes leaves no descriptor, thread or process here."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dsh.seams.subprocess import SpawnFailed
from dsh_plugins.subprocess_local import process_table
from support.processes import World, open_descriptors

pytestmark = pytest.mark.anyio


async def test_two_hundred_processes_leave_nothing(world: World, tmp_path: Path) -> None:
    await world.run(world.spec("true"))
    before = (open_descriptors(), threading.active_count())
    assert world.supervised.pid is not None
    theirs = Path(f"/proc/{world.supervised.pid}/fd")
    held = len(list(theirs.iterdir()))
    for number in range(200):
        command = "sleep 300 & echo x" if number % 50 == 0 else "echo x"
        assert (await world.run(world.spec(command, stdin=b"y"))).out.text == "x\n"
        if number % 20 == 0:
            with pytest.raises(SpawnFailed):
                await world.run(world.spec(["/no/such/program"]))
    assert (open_descriptors(), threading.active_count()) == before
    assert len(list(theirs.iterdir())) == held
    assert process_table.children(world.supervised.pid) == []
