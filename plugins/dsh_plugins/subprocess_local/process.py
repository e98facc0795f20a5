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
from dsh_plugins.subprocess_local.lasting import uninterrupted
from dsh_plugins.subprocess_local.launcher import Launch, Launcher, Ticket
from dsh_plugins.subprocess_local.live import Live

if sys.platform == "win32":
    from dsh_plugins.subprocess_local.windows import ThreadedReader as Reader
else:
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
    process = _Running(launcher, spec)
    try:
        await uninterrupted(process.start())
        yield process
    finally:
        await uninterrupted(process.finish())


class _Running(Process):
    def __init__(self, launcher: Launcher, spec: SpawnSpec) -> None:
        self._launcher = launcher
        self._spec = spec
        self._live = Live()
        self._ticket: Ticket | None = None
        self._reader: Reader | None = None
        number = next(_spills)
        out, err = _spill(spec, number, "stdout"), _spill(spec, number, "stderr")
        self._out = Stream(spec.stdout_max, out, spec.spill_max)
        self._err = Stream(spec.stderr_max, err, spec.spill_max)

    async def start(self) -> None:
        """Start it and read what it writes. Raises :class:`SpawnFailed`."""
        spec = self._spec
        with contextlib.ExitStack() as theirs:
            stdin = _input(spec.stdin, theirs)
            out, out_write = _pipe(theirs)
            err, err_write = _pipe(theirs)
            self._reader = Reader({out: self._take_out, err: self._take_err})
            self._reader.start()
            fds = (stdin, out_write, err_write)
            launch = Launch(spec.argv, spec.cwd, dict(spec.env), fds, spec.confine)
            self._ticket = await self._launcher.start(launch)
        if self._ticket.failure is not None:
            raise SpawnFailed(f"{spec.argv[0]} was not started: {self._ticket.failure}")
        self.pid = self._ticket.pid

    def _take_out(self, data: memoryview) -> None:
        self._out.feed(data)
        self._live.push("stdout", data)

    def _take_err(self, data: memoryview) -> None:
        self._err.feed(data)
        self._live.push("stderr", data)

    def output(self) -> AsyncIterator[tuple[str, str]]:
        return self._live.watch()

    async def wait(self) -> ProcessEnd:
        assert self._ticket is not None
        assert self._reader is not None
        await self._ticket.exited.wait()
        with anyio.move_on_after(min(_DRAIN, self._spec.grace)):
            await self._reader.over.wait()
        self._live.finish()
        return self._ticket.end

    async def terminate(self) -> None:
        assert self._ticket is not None
        await self._launcher.end(self._ticket, self._spec.grace)

    def collected(self) -> tuple[Collected, Collected]:
        return self._out.collected(), self._err.collected()

    async def finish(self) -> None:
        """End what is left of the tree and release everything."""
        ticket, reader = self._ticket, self._reader
        if ticket is not None and not ticket.gone.is_set():
            await self._launcher.end(ticket, min(self._spec.grace, _LEAVING))
        if reader is not None:
            with anyio.move_on_after(_DRAIN):
                await reader.over.wait()
            await reader.stop()
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
