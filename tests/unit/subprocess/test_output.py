"""Output is bounded in memory, exact in its counts and whole characters."""

from __future__ import annotations

import asyncio
import resource
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_plugins.subprocess_local.capture import Stream
from support.processes import World

pytestmark = pytest.mark.anyio

MB = 1_000_000


def fed(*chunks: bytes, limit: int, spill: Path | None = None, most: int = 0) -> Stream:
    stream = Stream(limit, spill, most)
    for chunk in chunks:
        stream.feed(memoryview(chunk))
    stream.close()
    return stream


def test_output_of_exactly_the_limit_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "spill"
    got = fed(b"abc", b"defgh", limit=8, spill=file, most=100).collected()
    assert (got.text, got.omitted, got.spill) == ("abcdefgh", 0, None)
    assert not file.exists()


def test_one_byte_more_leaves_the_middle_out_and_keeps_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "spill"
    got = fed(b"abc", b"def", b"ghi", limit=8, spill=file, most=100).collected()
    assert got.text.startswith("abcd\n")
    assert got.text.endswith("\nfghi")
    assert (got.total, got.omitted, got.spilled) == (9, 1, 9)
    assert file.read_bytes() == b"abcdefghi"
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_file_ends_at_its_cap_and_counting_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "spill"
    got = fed(b"0123456789" * 10, b"x" * 50, limit=8, spill=file, most=25).collected()
    assert (got.total, got.spilled) == (150, 25)
    assert file.read_bytes() == b"0123456789012345678901234"


def test_a_file_that_cannot_be_written_costs_the_file_only(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "folder"
    got = fed(b"x" * 100, b"y" * 100, limit=8, spill=missing, most=999).collected()
    assert (got.total, got.spill) == (200, None)


@given(
    text=st.text(alphabet="a\u00e9\u6f22\U0001f600", max_size=60),
    limit=st.integers(0, 40),
    cuts=st.lists(st.integers(0, 200), max_size=5),
)
@settings(max_examples=300)
def test_no_cut_tears_a_character_and_every_byte_is_accounted_for(
    text: str, limit: int, cuts: list[int]
) -> None:
    data = text.encode()
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    got = fed(*chunks, limit=limit).collected()
    assert "\ufffd" not in got.text
    assert got.total == len(data)
    if got.omitted:
        head, _, rest = got.text.partition("\n[\u2026 ")
        tail = rest.partition("]\n")[2]
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len((head + tail).encode()) == len(data) - got.omitted <= limit
    else:
        assert got.text == text


@given(data=st.binary(max_size=400), limit=st.integers(0, 200))
@settings(max_examples=200)
def test_bytes_that_are_no_text_stay_within_the_limit(data: bytes, limit: int) -> None:
    got = fed(data, limit=limit).collected()
    assert "\0" not in got.text
    kept = got.text.replace(f"\n[\u2026 {got.omitted:,} bytes left out \u2026]\n", "")
    assert len(kept.encode()) <= limit
    assert got.total == len(data)


async def test_a_flood_does_not_grow_the_program(world: World, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    command = "yes 0123456789 | head -c 300000000"
    spec = world.spec(command, spill=tmp_path, spill_max=8 * MB)
    run = await world.run(spec)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert run.out.total == 300 * MB
    assert run.out.omitted == 300 * MB - 64_000
    assert run.out.spill is not None
    assert run.out.spill.stat().st_size == run.out.spilled == 8 * MB
    assert grown < 50_000  # KiB


async def test_a_watcher_sees_output_while_the_process_runs(
    world: World, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    command = f"echo one; until [ -e {gate} ]; do sleep 0.01; done; echo two >&2"
    async with world.spawn(world.spec(command)) as process:
        seen = []
        async with asyncio.timeout(20):
            async for stream, text in process.output():
                seen.append((stream, text))
                gate.touch()
                if stream == "stderr":
                    break
        assert seen == [("stdout", "one\n"), ("stderr", "two\n")]
        await process.wait()


async def test_a_slow_watcher_holds_nobody_up_and_reads_what_was_dropped(
    world: World,
) -> None:
    async with world.spawn(world.spec("yes | head -c 20000000; echo end")) as process:
        await asyncio.wait_for(process.wait(), 20)
        seen = "".join([text async for _, text in process.output()])
    assert "bytes not shown" in seen
    assert seen.endswith("end\n")
    assert len(seen) < 100_000
