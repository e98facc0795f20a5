"""Processes on Windows, each in a job object. Not run by our tests.

Children of a member are members. A job is killed when its last handle closes, so nothing
survives the program however that ends. Work that a service does on request (WMI, tasks
of the scheduler) is out of reach.
"""

from __future__ import annotations

import asyncio
import ctypes
import msvcrt
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from ctypes import wintypes

import anyio

from dsh.seams.subprocess import ProcessEnd
from dsh_plugins.subprocess_local.launcher import Launch, Launcher, Ticket

assert sys.platform == "win32"

_CREATE_SUSPENDED = 0x4
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS, _ACCOUNTING = 9, 1
_LOOK = 0.02  # seconds between two looks at a job that is ending
_GIVE_UP = 10.0

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_ntdll = ctypes.WinDLL("ntdll")

Feed = Callable[[memoryview], None]


class _ExtendedLimits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("sizes", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("io", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


class _Accounting(ctypes.Structure):
    """``JOBOBJECT_BASIC_ACCOUNTING_INFORMATION``."""

    _fields_ = (
        ("times", ctypes.c_int64 * 4),
        ("faults", wintypes.DWORD),
        ("total", wintypes.DWORD),
        ("active", wintypes.DWORD),
        ("terminated", wintypes.DWORD),
    )


class _Job:
    """One job object and the process that was put into it."""

    def __init__(self) -> None:
        self.handle = wintypes.HANDLE(_kernel32.CreateJobObjectW(None, None))
        limits = _ExtendedLimits()
        limits.flags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        if not _kernel32.SetInformationJobObject(
            self.handle, _EXTENDED_LIMITS, ctypes.byref(limits), size
        ):
            raise ctypes.WinError(ctypes.get_last_error())

    def adopt(self, process: subprocess.Popen[bytes]) -> None:
        """Take a suspended process in and let it run."""
        handle = int(process._handle)  # type: ignore[attr-defined]  # Popen keeps it there
        if not _kernel32.AssignProcessToJobObject(self.handle, wintypes.HANDLE(handle)):
            process.kill()
            raise ctypes.WinError(ctypes.get_last_error())
        _ntdll.NtResumeProcess(wintypes.HANDLE(handle))

    def active(self) -> int:
        """How many processes are in the job."""
        facts = _Accounting()
        size = ctypes.sizeof(facts)
        _kernel32.QueryInformationJobObject(
            self.handle, _ACCOUNTING, ctypes.byref(facts), size, None
        )
        return int(facts.active)

    def terminate(self) -> None:
        """End every process of the job."""
        _kernel32.TerminateJobObject(self.handle, 1)

    def close(self) -> None:
        """Give the handle back; what is left in the job ends with it."""
        _kernel32.CloseHandle(self.handle)


class JobObjects(Launcher):
    """Processes in job objects. There is no polite signal without a console."""

    def __init__(self) -> None:
        self._number = 0
        self._running: dict[int, tuple[Ticket, _Job, threading.Thread]] = {}

    async def start(self, launch: Launch) -> Ticket:
        self._number += 1
        ticket = Ticket(self._number)
        if launch.rules is not None:
            ticket.fail("it cannot be confined on this system")
            return ticket
        try:
            job = _Job()
            process = await anyio.to_thread.run_sync(_suspended, launch)
            job.adopt(process)
        except (OSError, ValueError) as error:
            ticket.fail(str(error))
            return ticket
        ticket.pid = process.pid
        loop = asyncio.get_running_loop()

        def watch() -> None:
            code = process.wait()
            loop.call_soon_threadsafe(self._exited, ticket, job, code)

        thread = threading.Thread(target=watch, name="dsh-wait")
        self._running[ticket.number] = (ticket, job, thread)
        thread.start()
        ticket.started.set()
        return ticket

    async def end(self, ticket: Ticket, grace: float) -> None:
        del grace
        entry = self._running.pop(ticket.number, None)
        if entry is None:
            return
        _, job, thread = entry
        with anyio.move_on_after(_GIVE_UP):
            while job.active():
                job.terminate()
                await anyio.sleep(_LOOK)
        await anyio.to_thread.run_sync(thread.join)
        job.close()
        ticket.exited.set()
        ticket.gone.set()

    async def close(self) -> None:
        for ticket, _, _ in tuple(self._running.values()):
            await self.end(ticket, 0.0)

    def _exited(self, ticket: Ticket, job: _Job, code: int) -> None:
        # Never quiescent by itself: the handle has to be given back by ``end``.
        ticket.exit(ProcessEnd(code, None), max(1, job.active()))


def _suspended(launch: Launch) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = launch.fds
    return subprocess.Popen(
        launch.argv,
        cwd=launch.cwd,
        env=launch.env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        creationflags=_CREATE_SUSPENDED | subprocess.CREATE_NO_WINDOW,
    )


class ThreadedReader:
    """Reads pipes to their ends, a thread each: they cannot be polled here."""

    def __init__(self, feeds: dict[int, Feed]) -> None:
        self._loop = asyncio.get_running_loop()
        self._left = len(feeds)
        self._threads = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in feeds.items()
        ]
        self.over = asyncio.Event()

    def start(self) -> None:
        """Begin to read."""
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Return when every pipe has reached its end: the job is gone by now."""
        for thread in self._threads:
            await anyio.to_thread.run_sync(thread.join)

    def _read(self, fd: int, feed: Feed) -> None:
        msvcrt.setmode(fd, os.O_BINARY)
        while data := os.read(fd, 1 << 16):
            feed(memoryview(data))
        os.close(fd)
        self._loop.call_soon_threadsafe(self._ended)

    def _ended(self) -> None:
        self._left -= 1
        if not self._left:
            self.over.set()
