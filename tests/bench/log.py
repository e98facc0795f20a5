"""The session log: accepting events, the barrier, and folding a long log again."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

from bench._table import Anchor, median, row, timed, usual
from dsh.data.events import Event, Header
from dsh.data.log import LogFile, LogThread, LogWriter, event_line, read_window
from dsh.runtime.session.loading import load

EVENTS = 100_000
FLUSHES = 100


def event(seq: int) -> Event:
    """Chunks of an answer, as most of a real log is, with prompts in between."""
    if seq % 100:
        piece = {"type": "text-delta", "index": 0, "text": f"some words {seq} "}
        data = {"turn": 1, "step": 1, "chunk": piece}
        return Event(seq, "assistant/chunk", 1_700_000_000_000 + seq, data)
    return Event(seq, "session/title", 1_700_000_000_000, {"title": f"title {seq}"})


async def write(path: Path) -> list[float]:
    """Write the log; returns milliseconds of accepting all, and of each barrier."""
    header = Header(1, "bench", 1, str(path.parent))
    async with LogThread.running() as thread:
        writer = LogWriter(thread, LogFile(path, header), -1, lambda _: None)
        began = time.perf_counter()
        for seq in range(EVENTS - FLUSHES):
            writer.append(event_line(event(seq)))
        taken = [(time.perf_counter() - began) * 1e3]
        await writer.flush()
        for seq in range(EVENTS - FLUSHES, EVENTS):
            writer.append(event_line(event(seq)))
            began = time.perf_counter()
            await writer.flush()
            taken.append((time.perf_counter() - began) * 1e3)
        await writer.close()
    return taken


def synced(folder: Path) -> float:
    """Milliseconds of a write and a sync by themselves."""
    descriptor = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def once() -> None:
        os.write(descriptor, b"x" * 150)
        os.fdatasync(descriptor)

    try:
        return median(timed(FLUSHES, once))
    finally:
        os.close(descriptor)


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dsh-bench-", dir=Path.cwd()) as folder:
        path = Path(folder, "log", "log.jsonl")
        events = [event(seq).data for seq in range(EVENTS - FLUSHES)]
        dumped = usual(timed(1, lambda: [json.dumps(data) for data in events]))
        accepted, *barriers = await write(path)
        disk = Anchor("write and sync alone", synced(Path(folder)))
        lines = path.read_bytes().splitlines()
        parsed = usual(timed(3, lambda: [json.loads(line) for line in lines]))
        folded = usual(timed(3, lambda: load(path, ())))
        mark = load(path, ()).fold.mark(EVENTS - 200)
        last = timed(9, lambda: read_window(path, mark, EVENTS - 200, 200))
    each = accepted / (EVENTS - FLUSHES) * 1e3
    stock = Anchor("json.dumps of its data", dumped / (EVENTS - FLUSHES) * 1e3)
    row("accepting an event", each, "µs", stock)
    row("barrier after one event, median", median(barriers), "ms", disk)
    whole = Anchor("json.loads of every line", parsed)
    row(f"cold fold of {EVENTS:,} events", folded, "ms", whole, "≤ 1000 ms")
    row("reading its last 200", usual(last), "ms", whole, "≤ 100 ms")


if __name__ == "__main__":
    asyncio.run(main())
