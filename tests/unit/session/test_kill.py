"""Killed at any moment, a session keeps every event it acknowledged."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path

import pytest

from dsh.data.log import Scan, open_header, verify
from unit.session.appender import append_for_ever
from unit.session.story import sessions_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="starts processes by fork"),
]

RUNS = 40


def killed_after(home: Path, promises_wanted: int) -> int:
    """Let a process append, kill it, and return the last seq it was promised."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["unit.session.appender"])
    here, there = context.Pipe(duplex=False)
    with here, there:
        process = context.Process(target=append_for_ever, args=(str(home), there))
        process.start()
        there.close()
        promised = -1
        for _ in range(promises_wanted):
            assert here.poll(30)
            promised = here.recv()
        process.kill()
        process.join()
        assert process.exitcode == -9
        while here.poll():  # promises that were on their way
            try:
                promised = here.recv()
            except EOFError:
                break
        process.close()
    return promised


async def test_a_kill_loses_no_acknowledged_event_and_the_next_run_goes_on(
    tmp_path: Path,
) -> None:
    tip = -1
    for run in range(RUNS):
        promised = killed_after(tmp_path, run % 9 + 1)
        found = list(tmp_path.glob("desktop/sessions/*/s1/log.jsonl"))
        assert found or promised == -1
        if not found or not found[0].stat().st_size:
            continue
        (path,) = found
        scan = Scan(path, open_header(path)[1])
        for _ in scan:
            pass
        assert scan.damage is None
        assert promised >= tip
        assert scan.end.seq > promised
        tip = scan.end.seq - 1
    assert tip > RUNS
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.open("s1")
        assert session.read_only is None
        assert session.tip == tip
    assert verify(path) == []
