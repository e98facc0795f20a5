"""The program's end of the supervisor: starts it, talks to it, replaces it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import marshal
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio

from dsh.seams.subprocess import ProcessEnd
from dsh_plugins.subprocess_local import process_table
from dsh_plugins.subprocess_local.launcher import Launch, Launcher, Ticket
from dsh_plugins.subprocess_local.supervisor import LARGEST, TOKEN, Kind

HELPER_ARGUMENT = "--dsh-supervisor"
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from dsh_plugins.subprocess_local.supervisor import main; main(int(sys.argv[2]))"
)
# All that the supervisor itself needs; children of unconfined commands can read it.
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "HOME", "LD_LIBRARY_PATH", TOKEN)
_log = logging.getLogger(__name__)


def supervisor_argv() -> list[str]:
    """The command that starts a supervisor; the number of its socket comes last."""
    if getattr(sys, "frozen", False):
        return [sys.executable, HELPER_ARGUMENT]
    plugins = Path(__file__).parents[2]
    # Isolated and without site-packages: it starts in a third of the time.
    return [sys.executable, "-I", "-S", "-E", "-c", _BOOT, str(plugins)]


class Supervised(Launcher):
    """Processes started by a supervisor. A lost supervisor is replaced at the next
    start; what it left behind is found by its token and ended.
    """

    def __init__(self, argv: Sequence[str] | None = None) -> None:
        self._argv = list(argv or supervisor_argv())
        self._line: _Line | None = None
        self._lost: list[_Line] = []
        self._number = 0

    @property
    def pid(self) -> int | None:
        """The supervisor's process id."""
        return self._line.pid if self._line is not None else None

    def prepare(self) -> None:
        """Start the supervisor ahead of its first use; returns at once."""
        self._current()

    async def start(self, launch: Launch) -> Ticket:
        line = self._current()
        self._number += 1
        ticket = Ticket(self._number)
        line.tickets[ticket.number] = ticket
        env = {os.fsencode(k): os.fsencode(v) for k, v in launch.env.items()}
        env[TOKEN.encode()] = f"{line.token}.{ticket.number}".encode()
        argv = [os.fsencode(part) for part in launch.argv]
        cwd = os.fsencode(launch.cwd)
        message = (Kind.SPAWN, ticket.number, argv, env, cwd, launch.rules or {})
        await line.send(message, launch.fds)
        await ticket.started.wait()
        return ticket

    async def end(self, ticket: Ticket, grace: float) -> None:
        line = self._line
        if (
            line is not None
            and ticket.number in line.tickets
            and not ticket.gone.is_set()
        ):
            await line.send((Kind.END, ticket.number, float(grace)))
        await ticket.gone.wait()

    async def close(self) -> None:
        lines = [*self._lost, *([self._line] if self._line else [])]
        self._line, self._lost = None, []
        for line in lines:
            await line.close()

    def _current(self) -> _Line:
        if self._line is not None and self._line.lost:
            self._lost.append(self._line)
            self._line = None
        if self._line is None:
            self._line = _Line(self._argv)
        return self._line


class _Line:
    """One supervisor process and the socket to it."""

    def __init__(self, argv: list[str]) -> None:
        self.token = secrets.token_hex(8)
        self.tickets: dict[int, Ticket] = {}
        self.lost = False
        self._sweeper: threading.Thread | None = None
        self._why = "it was killed"
        self._loop = asyncio.get_running_loop()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(0)
        environment = {k: v for k, v in os.environ.items() if _kept(k)}
        with theirs:
            self._process = subprocess.Popen(  # returns after exec: about a millisecond
                [*argv, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C at a terminal is not for it
                env=environment,
            )
        self.pid = self._process.pid
        self._loop.add_reader(self._socket, self._readable)

    async def send(self, message: tuple[Any, ...], fds: Sequence[int] = ()) -> None:
        """Send one message; a lost supervisor is noticed. Any: what marshal takes."""
        data = marshal.dumps(message)
        with contextlib.ExitStack() as stack:
            if len(data) > LARGEST:
                parcel = os.memfd_create("parcel")
                stack.callback(os.close, parcel)
                with open(parcel, "wb", closefd=False) as file:  # noqa: ASYNC230  # memory
                    file.write(data)
                os.lseek(parcel, 0, os.SEEK_SET)
                data, fds = marshal.dumps((Kind.PARCEL,)), (*fds, parcel)
            while not self.lost:
                try:
                    socket.send_fds(self._socket, [data], list(fds))
                except BlockingIOError:
                    await anyio.wait_writable(self._socket)
                except OSError:
                    self._lose()
                else:
                    return

    def _readable(self) -> None:
        while not self.lost:
            try:
                data = self._socket.recv(LARGEST)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._lose()
                return
            self._hear(marshal.loads(data))  # noqa: S302  # from our own supervisor

    def _hear(self, message: tuple[object, ...]) -> None:
        match message:
            case (Kind.BROKEN, _, str(why)):
                self._why = why
            case (kind, int(number), *rest):
                ticket = self.tickets.get(number)
                if ticket is not None:
                    _note(ticket, kind, rest)
                    if ticket.gone.is_set():
                        del self.tickets[number]

    def _lose(self) -> None:
        """The supervisor is gone: its children died with it, and what shed that bond is
        searched for by its token.
        """
        self.lost = True
        self._loop.remove_reader(self._socket)
        self._socket.close()
        if self.tickets:
            _log.error("the process supervisor is gone (%s); it is replaced", self._why)
        self._sweeper = threading.Thread(target=self._sweep, name="dsh-sweep")
        self._sweeper.start()

    def _sweep(self) -> None:
        self._process.wait()
        for _ in range(1000):
            pids = process_table.carriers(TOKEN.encode(), self.token.encode())
            if not pids:
                break
            for pid in pids:
                process_table.send(pid, signal.SIGKILL)
            time.sleep(0.002)
        self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        for ticket in self.tickets.values():
            if not ticket.started.is_set():
                ticket.fail("the process supervisor is gone")
            ticket.exited.set()
            ticket.gone.set()
        self.tickets.clear()

    async def close(self) -> None:
        """Let the supervisor end everything; returns when it has."""
        if not self.lost:
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self.lost = True
        waited = self._sweeper.join if self._sweeper else self._process.wait
        await anyio.to_thread.run_sync(waited)


def _note(ticket: Ticket, kind: object, rest: list[object]) -> None:
    match (kind, *rest):
        case (Kind.STARTED, int(pid)):
            ticket.pid = pid
            ticket.started.set()
        case (Kind.FAILED, int(number), str(what)):
            ticket.fail(f"{_STAGES[what]}: {os.strerror(number)}")
        case (Kind.EXITED, int(status), int(left), bool(ran)):
            ticket.exit(_end_of(status, ran=ran), left)
        case (Kind.GONE, int(left)):
            if left:
                _log.error("%d processes of job %d cannot be ended", left, ticket.number)
            ticket.exited.set()
            ticket.gone.set()


_STAGES = {
    "fork": "no process could be made",
    "start": "the process could not be set up",
    "cwd": "its folder cannot be entered",
    "confine": "it could not be confined",
    "exec": "it cannot be executed",
}


def _end_of(status: int, *, ran: bool) -> ProcessEnd:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return ProcessEnd(code, None, ran=ran)
    try:
        return ProcessEnd(None, signal.Signals(-code).name)
    except ValueError:  # a real-time signal has no name
        return ProcessEnd(None, f"SIG{-code}")


def _kept(name: str) -> bool:
    return name in _KEPT or name.startswith(("_PYI_", "_MEI"))
