"""What the writer promises: order, one thread, a barrier that means "on disk"."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from dsh.data import locks
from dsh.data.events import Event, Header
from dsh.data.locks import Lock
from dsh.data.log import LogFile, LogThread, LogWriter, event_line, verify
from dsh.errors import DataError

pytestmark = pytest.mark.anyio


def header(folder: Path) -> Header:
    return Header(1, "s1", 1, str(folder))


def line(seq: int) -> bytes:
    return event_line(Event(seq, "session/end-seed", 1, {}))


@asynccontextmanager
async def writing(path: Path, lock: Lock | None = None) -> AsyncIterator[LogWriter]:
    async with LogThread.running() as thread:
        file = LogFile(path, header(path.parent), lock)
        writer = LogWriter(thread, file, -1, lambda _: None)
        yield writer
        if writer.failed is None:
            await writer.close()
        else:
            file.close()


async def test_nothing_is_on_disk_before_the_first_event(tmp_path: Path) -> None:
    path = tmp_path / "home" / "s1" / "log.jsonl"
    async with writing(path) as writer:
        await writer.flush()
        assert not path.parent.exists()
        writer.append(line(0))
        await writer.flush()
        assert path.read_bytes().endswith(line(0))


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a POSIX matter")
async def test_only_this_user_can_read_a_log(tmp_path: Path) -> None:
    path = tmp_path / "home" / "s1" / "log.jsonl"
    async with writing(path) as writer:
        writer.append(line(0))
        await writer.flush()
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert path.parent.parent.stat().st_mode & 0o777 == 0o700


async def test_what_is_flushed_is_in_the_file_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s1" / "log.jsonl"
    async with writing(path) as writer:
        for seq in range(1000):
            writer.append(line(seq))
        await writer.flush()
        assert writer.written == 999
        assert path.read_bytes().count(b"\n") == 1001
        assert verify(path) == []


async def test_events_are_written_without_a_flush(tmp_path: Path) -> None:
    path = tmp_path / "s1" / "log.jsonl"
    async with writing(path) as writer:
        writer.append(line(0))
        with anyio.fail_after(10):
            while writer.written < 0:
                await anyio.sleep(0.001)
        assert path.read_bytes().endswith(line(0))


async def test_many_who_wait_are_served_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    syncs, begun, going_on = list[int](), threading.Event(), threading.Event()
    async with writing(tmp_path / "s1" / "log.jsonl") as writer:
        sync = writer._file.sync

        def held() -> None:
            syncs.append(writer.written)
            begun.set()
            assert going_on.wait(20)
            sync()

        monkeypatch.setattr(writer._file, "sync", held)
        async with anyio.create_task_group() as group:
            writer.append(line(0))
            group.start_soon(writer.flush)
            await anyio.to_thread.run_sync(begun.wait)
            for seq in range(1, 21):
                writer.append(line(seq))
                group.start_soon(writer.flush)
            await anyio.wait_all_tasks_blocked()
            going_on.set()
        assert writer.written == 20
    assert len(syncs) == 2


async def test_a_full_batch_does_not_wait_for_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dsh.data.log.writer.BATCH_DELAY", 60)
    async with writing(tmp_path / "s1" / "log.jsonl") as writer:
        for seq in range(64):
            writer.append(line(seq))
        with anyio.fail_after(20):
            while writer.written < 63:
                await anyio.sleep(0.001)


async def test_a_cancelled_flush_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s1" / "log.jsonl"
    async with writing(path) as writer:
        writer.append(line(0))
        async with anyio.create_task_group() as group:
            group.start_soon(writer.flush)
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        writer.append(line(1))
        await writer.flush()
    assert verify(path) == []
    assert path.read_bytes().count(b"\n") == 3


async def test_all_logs_share_one_thread_which_ends(tmp_path: Path) -> None:
    before = threading.active_count()
    async with LogThread.running() as thread:
        writers = []
        for name in ("a", "b", "c"):
            file = LogFile(tmp_path / name / "log.jsonl", header(tmp_path))
            writers.append(LogWriter(thread, file, -1, lambda _: None))
        for writer in writers:
            writer.append(line(0))
        mine = [t for t in threading.enumerate() if t.name == "dsh-log"]
        assert len(mine) == 1
        for writer in writers:
            await writer.close()
    assert not mine[0].is_alive()
    assert threading.active_count() <= before + 1  # anyio keeps a worker of its own


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
async def test_a_failed_write_stops_the_log_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.symlink_to("/dev/full")
    taken = locks.take(tmp_path / "log.lock")
    assert isinstance(taken, Lock)
    async with writing(path, taken) as writer:
        writer.append(line(0))
        with pytest.raises(DataError, match="cannot be written") as caught:
            await writer.flush()
        assert caught.value.code == "SESSION_WRITE_FAILED"
        assert caught.value.remedy
        writer.append(line(1))
        with pytest.raises(DataError):
            await writer.flush()
        assert writer.written == -1
        assert writer._pending == [line(0), line(1)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits are a POSIX matter")
async def test_a_batch_that_does_not_fit_leaves_no_half_line(tmp_path: Path) -> None:
    import resource
    import signal

    path = tmp_path / "s1" / "log.jsonl"
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        async with writing(path) as writer:
            writer.append(line(0))
            await writer.flush()
            size = path.stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
            writer.append(line(1))
            with pytest.raises(DataError):
                await writer.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)
    assert path.stat().st_size == size
    assert verify(path) == []
