"""Linux's process table, as far as ending trees needs it. Standard library only."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

GIVE_UP = 10.0  # seconds of killing before survivors are reported instead


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    found: list[int] = []
    try:
        with os.scandir(f"/proc/{pid}/task") as threads:
            for thread in threads:
                found += map(int, _read(f"{thread.path}/children").split())
    except OSError:
        pass  # it is gone, and its children are its reaper's now
    return found


def descendants(pid: int) -> list[int]:
    """Everything below a process, nearest first."""
    found = children(pid)
    for child in found:  # grows while it is walked
        found += children(child)
    return found


def reaped() -> Iterator[tuple[int, int]]:
    """Collect the children that have ended: pid and wait status."""
    try:
        while (end := os.waitpid(-1, os.WNOHANG))[0]:
            yield end
    except ChildProcessError:
        return


def send(pid: int, number: int) -> None:
    """Signal a process that may be gone."""
    # It is gone meanwhile, or a set-user-id program that is not ours to end.
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def end_everything() -> None:
    """Kill and reap until the calling process has no child left."""
    until = time.monotonic() + GIVE_UP
    while time.monotonic() < until:
        for pid in descendants(os.getpid()):
            send(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def session_of(pid: int) -> int:
    """The session id; 0 for a process that is gone."""
    fields = _stat(pid)
    return int(fields[3]) if fields else 0


def born(pid: int) -> int:
    """When the process started, in clock ticks since boot; 0 when it is gone."""
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def name_of(pid: int) -> bytes:
    """The name of the program that runs, at most 15 bytes."""
    try:
        return _read(f"/proc/{pid}/comm").strip()
    except OSError:
        return b""


def variable(pid: int, name: bytes) -> bytes:
    """A variable of the environment that the process was started with."""
    try:
        entries = _read(f"/proc/{pid}/environ").split(b"\0")
    except OSError:
        return b""
    mark = name + b"="
    return next((e[len(mark) :] for e in entries if e.startswith(mark)), b"")


def carriers(name: bytes, start: bytes) -> list[int]:
    """All live processes of which variable ``name`` begins with ``start``."""
    with os.scandir("/proc") as entries:
        pids = [int(entry.name) for entry in entries if entry.name.isdigit()]
    return [
        pid
        for pid in pids
        if variable(pid, name).startswith(start) and _stat(pid)[:1] not in ([], [b"Z"])
    ]


def _stat(pid: int) -> list[bytes]:
    """The fields of ``/proc/PID/stat`` from the state on."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def _read(path: str) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
        return file.read()
