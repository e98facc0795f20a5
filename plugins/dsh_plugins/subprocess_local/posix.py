"""Processes on macOS and other Unixes, without what only Linux has.

There is no subreaper: a process that leaves its group *and* whose parent has ended is
found only by the token in its environment.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import threading

import anyio
import psutil

from dsh.seams.subprocess import ProcessEnd
from dsh_plugins.subprocess_local.launcher import Launch, Launcher, Ticket

_TOKEN = "DSH_JOB"  # noqa: S105  # the name of the variable that marks a job's processes
_LOOK = 0.02  # seconds between two looks at a tree that is ending
_GIVE_UP = 10.0


class ProcessGroups(Launcher):
    """Each process leads a session of its own; its tree is what can be found of it."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(8)
        self._number = 0
        self._running: dict[int, tuple[Ticket, threading.Thread]] = {}

    async def start(self, launch: Launch) -> Ticket:
        self._number += 1
        ticket = Ticket(self._number)
        if launch.rules is not None:
            ticket.fail("it cannot be confined on this system")
            return ticket
        env = {**launch.env, _TOKEN: self._token_of(ticket)}
        stdin, stdout, stderr = launch.fds
        try:
            process = await anyio.to_thread.run_sync(
                lambda: subprocess.Popen(
                    launch.argv,
                    cwd=launch.cwd,
                    env=env,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            )
        except (OSError, ValueError) as error:
            ticket.fail(str(error))
            return ticket
        ticket.pid = process.pid
        loop = asyncio.get_running_loop()

        def watch() -> None:
            end = _end_of(process.wait())
            left = len(self._members(ticket))
            loop.call_soon_threadsafe(self._exited, ticket, end, left)

        thread = threading.Thread(target=watch, name="dsh-wait")
        self._running[ticket.number] = (ticket, thread)
        thread.start()
        ticket.started.set()
        return ticket

    async def end(self, ticket: Ticket, grace: float) -> None:
        with anyio.move_on_after(grace):
            await self._until_gone(ticket, signal.SIGTERM, once=True)
        with anyio.move_on_after(_GIVE_UP):
            await self._until_gone(ticket, signal.SIGKILL, once=False)
        _, thread = self._running.pop(ticket.number, (ticket, None))
        if thread is not None:
            await anyio.to_thread.run_sync(thread.join)
        ticket.exited.set()
        ticket.gone.set()

    async def close(self) -> None:
        for ticket, _ in tuple(self._running.values()):
            await self.end(ticket, 0.0)

    async def _until_gone(self, ticket: Ticket, number: int, *, once: bool) -> None:
        first = True
        while members := await anyio.to_thread.run_sync(self._members, ticket):
            if first or not once:
                for process in members:
                    try:
                        process.send_signal(number)
                    except psutil.Error:
                        continue  # gone meanwhile
            first = False
            await anyio.sleep(_LOOK)

    def _exited(self, ticket: Ticket, end: ProcessEnd, left: int) -> None:
        ticket.exit(end, left)
        if not left:
            self._running.pop(ticket.number, None)

    def _members(self, ticket: Ticket) -> list[psutil.Process]:
        """The live processes of a job: its group and session, and who bears its token."""
        found = []
        for process in psutil.process_iter(["pid", "status"]):
            try:
                if process.status() != psutil.STATUS_ZOMBIE and self._owns(
                    ticket, process
                ):
                    found.append(process)
            except (psutil.Error, ProcessLookupError):
                continue  # gone, or somebody else's
        return found

    def _owns(self, ticket: Ticket, process: psutil.Process) -> bool:
        if os.getsid(process.pid) == ticket.pid:
            return True
        return process.environ().get(_TOKEN) == self._token_of(ticket)

    def _token_of(self, ticket: Ticket) -> str:
        return f"{self._token}.{ticket.number}"


def _end_of(code: int) -> ProcessEnd:
    if code >= 0:
        return ProcessEnd(code, None)
    return ProcessEnd(None, signal.Signals(-code).name)
