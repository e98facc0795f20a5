"""A running process: its pipes, its output and its end, from start to last trace."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import anyio

from dsh.seams.subprocess import Collected, Process, ProcessEnd, SpawnFailed, SpawnSpec
from dsh_plugins.subprocess_local.capture import Stream
from dsh_plugins.subprocess_local.launcher import Launch, Launcher, Ticket
from dsh_plugins.subprocess_local.live import Live
from dsh_plugins.subprocess_local.reader import Reader

if sys.platform == "linux":
    import fcntl

_PIPE_BYTES = 1 << 20  # the most that Linux gives to everybody
_DRAIN = 0.25  # seconds for what is still in the pipes when the direct child has ended
_LEAVING = 1.0  # most seconds of grace for what a left block finds in the background
_spills = itertools.count(1)


@contextlib.asynccontextmanager
async def started(launcher: Launcher, spec: SpawnSpec) -> AsyncIterator[Process]:
    """A block in which the process runs, as the seam promises it."""
    with contextlib.ExitStack() as theirs:
        stdin = _input(spec.stdin, theirs)
        out, out_write = _pipe(theirs)
        err, err_write = _pipe(theirs)
        process = _Running(launcher, spec, out, err)
        try:
            fds = (stdin, out_write, err_write)
            launch = Launch(spec.argv, spec.cwd, dict(spec.env), fds, spec.confine)
            with anyio.CancelScope(shield=True):  # a second: it has begun to exist
                ticket = await launcher.start(launch)
        except BaseException:
            process.abandon()
            raise
    if ticket.failure is not None:
        process.abandon()
        message = f"{spec.argv[0]} was not started: {ticket.failure}"
        raise SpawnFailed(message)
    process.begin(ticket)
    try:
        yield process
    finally:
        with anyio.CancelScope(shield=True):
            await process.finish()


class _Running(Process):
    def __init__(self, launcher: Launcher, spec: SpawnSpec, out: int, err: int) -> None:
        self._launcher = launcher
        self._grace = spec.grace
        self._live = Live()
        self._fds = (out, err)
        number = next(_spills)
        self._out = Stream(
            spec.stdout_max, _spill(spec, number, "stdout"), spec.spill_max
        )
        self._err = Stream(
            spec.stderr_max, _spill(spec, number, "stderr"), spec.spill_max
        )

    def abandon(self) -> None:
        """Nothing was started."""
        for fd in self._fds:
            os.close(fd)

    def begin(self, ticket: Ticket) -> None:
        """It runs: read what it writes."""
        self._ticket = ticket
        self.pid = ticket.pid
        out, err = self._fds
        self._reader = Reader({out: self._take_out, err: self._take_err})
        self._reader.start()

    def _take_out(self, data: memoryview) -> None:
        self._out.feed(data)
        self._live.push("stdout", data)

    def _take_err(self, data: memoryview) -> None:
        self._err.feed(data)
        self._live.push("stderr", data)

    def output(self) -> AsyncIterator[tuple[str, str]]:
        return self._live.watch()

    async def wait(self) -> ProcessEnd:
        await self._ticket.exited.wait()
        with anyio.move_on_after(min(_DRAIN, self._grace)):
            await self._reader.over.wait()
        self._live.finish()
        return self._ticket.end

    async def terminate(self) -> None:
        await self._launcher.end(self._ticket, self._grace)

    def collected(self) -> tuple[Collected, Collected]:
        return self._out.collected(), self._err.collected()

    async def finish(self) -> None:
        """End what is left of the tree and release everything."""
        if not self._ticket.gone.is_set():
            await self._launcher.end(self._ticket, min(self._grace, _LEAVING))
        with anyio.move_on_after(_DRAIN):
            await self._reader.over.wait()
        await self._reader.stop()
        self._live.finish()
        self._out.close()
        self._err.close()


def _input(data: bytes, theirs: contextlib.ExitStack) -> int:
    """A descriptor to read ``data`` from; it is never a terminal."""
    if not data:
        fd = os.open(os.devnull, os.O_RDONLY)
        theirs.callback(os.close, fd)
        return fd
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  # the stack closes it
    theirs.callback(file.close)
    while data:
        data = data[file.write(data) :]
    file.seek(0)
    return file.fileno()


def _pipe(theirs: contextlib.ExitStack) -> tuple[int, int]:
    """Our end to read from, their end to write to."""
    read, write = os.pipe()
    theirs.callback(os.close, write)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # the user's share of pipe memory is used up
            fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return read, write


def _spill(spec: SpawnSpec, number: int, stream: str) -> Path | None:
    if spec.spill is None:
        return None
    return spec.spill / f"output-{os.getpid()}-{number}-{stream}.log"
