"""A process gets what it was given, and we get what it gave."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from dsh.seams.subprocess import SpawnFailed
from support.processes import World

pytestmark = pytest.mark.anyio


async def test_streams_and_exit_code_come_separately(world: World) -> None:
    run = await world.run(world.spec("echo out; echo err >&2; exit 3"))
    assert (run.out.text, run.err.text) == ("out\n", "err\n")
    assert (run.end.exit_code, run.end.signal) == (3, None)


async def test_a_signal_is_named(world: World) -> None:
    run = await world.run(world.spec("kill -KILL $$"))
    assert (run.end.exit_code, run.end.signal) == (None, "SIGKILL")


async def test_input_is_empty_unless_data_is_given(world: World) -> None:
    assert (await world.run(world.spec(["cat"]))).out.text == ""
    run = await world.run(world.spec(["cat"], stdin=b"some \xc3\xa9 words"))
    assert run.out.text == "some \u00e9 words"


async def test_the_folder_and_the_arguments_arrive_unchanged(
    world: World, tmp_path: Path
) -> None:
    odd = "a b\n'\"$HOME\u00e9 \udcff*"
    script = "import os, sys; print(os.getcwd()); print(ascii(sys.argv[1]))"
    run = await world.run(world.spec([sys.executable, "-c", script, odd], tmp_path))
    assert run.out.text == f"{tmp_path}\n{odd!a}\n"


async def test_a_command_too_big_for_one_message_still_runs(world: World) -> None:
    words = ["x" * 100_000] * 5
    run = await world.run(
        world.spec(
            [sys.executable, "-c", "import sys; print(sum(map(len, sys.argv)))", *words]
        )
    )
    assert run.out.text == "500002\n"


async def test_what_cannot_start_says_why_and_runs_nothing(
    world: World, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for argv, why in (
        (["/no/such/program"], "No such file"),
        (["no-such-program-anywhere"], "No such file"),
        ([str(plain)], "Permission denied"),
        ([sys.executable, "x" * 200_000], "too long"),
    ):
        with pytest.raises(SpawnFailed, match=why):
            await world.run(world.spec(argv))
    with pytest.raises(SpawnFailed, match="folder"):
        await world.run(world.spec("true", tmp_path / "nowhere"))


async def test_the_program_finds_no_descriptor_but_its_own(
    world: World, tmp_path: Path
) -> None:
    with (tmp_path / "open").open("w") as held:
        assert held.fileno() > 2
        run = await world.run(world.spec("ls /proc/self/fd"))
    assert run.out.text.split() == ["0", "1", "2", "3"]  # 3 is what ls reads


async def test_signals_have_their_ordinary_meaning(world: World) -> None:
    ignored = int(signal.SIGPIPE)
    run = await world.run(world.spec("grep SigIgn /proc/self/status"))
    mask = int(run.out.text.split()[1], 16)
    assert not mask & 1 << (ignored - 1)
    assert (await world.run(world.spec("yes | head -n 1"))).out.text == "y\n"


async def test_many_processes_run_side_by_side(world: World) -> None:
    async with (
        world.spawn(world.spec("sleep 0.2; echo slow")) as slow,
        world.spawn(world.spec("echo fast")) as fast,
    ):
        assert (await fast.wait()).exit_code == 0
        assert (await slow.wait()).exit_code == 0
        assert slow.collected()[0].text == "slow\n"
