"""A command that writes without end: how fast it is read, and what that costs memory."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

from bench._table import Anchor, row
from dsh.seams.subprocess import SpawnSpec
from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.plugin import LocalSubprocess

MEGABYTES = 2000
ARGV = ["/usr/bin/head", "-c", f"{MEGABYTES}M", "/dev/zero"]


def memory() -> float:
    """Megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def plain() -> float:
    """Megabytes a second of a loop that reads and forgets."""
    began = time.perf_counter()
    with subprocess.Popen(ARGV, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        while process.stdout.read(1 << 20):
            pass
    return MEGABYTES * 1.048576 / (time.perf_counter() - began)


async def main() -> None:
    anchor = Anchor("reading and forgetting", plain())
    launcher = Supervised()
    try:
        provider = LocalSubprocess(launcher, os.environ)
        spec = SpawnSpec(
            ARGV, Path("/"), {}, stdout_max=64_000, stderr_max=64_000, grace=1.0
        )
        before, began = memory(), time.perf_counter()
        async with provider.spawn(spec) as process:
            await process.wait()
        rate = MEGABYTES * 1.048576 / (time.perf_counter() - began)
        grown = memory() - before
        if process.collected()[0].total != MEGABYTES << 20:
            raise SystemExit("bytes are missing")
    finally:
        await launcher.close()
    row(f"{MEGABYTES / 1000:g} GB of output", rate, "MB/s", anchor, "≥ 300 MB/s")
    row("memory that it took", grown, "MB", Anchor("the wish", 50), "≤ 50 MB")


if __name__ == "__main__":
    asyncio.run(main())
