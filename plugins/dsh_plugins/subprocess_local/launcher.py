"""How a process is really started and ended here; what it gives is captured elsewhere."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path

from dsh.seams.subprocess import ProcessEnd


class Ticket:
    """One started process as its launcher reports on it; used from the loop's thread."""

    __slots__ = ("end", "exited", "failure", "gone", "left", "number", "pid", "started")

    def __init__(self, number: int) -> None:
        self.number = number
        self.pid = -1
        self.failure: str | None = None  # why nothing was started
        self.started = asyncio.Event()  # it runs, or it failed to
        self.end = ProcessEnd(None, "SIGKILL")  # until something better is known
        self.exited = asyncio.Event()  # the direct child has ended
        self.left = 1  # processes of the tree that were left when it ended
        self.gone = asyncio.Event()  # no process of the tree is left

    def fail(self, why: str) -> None:
        """Nothing was started."""
        self.failure = why
        self.left = 0
        for event in (self.started, self.exited, self.gone):
            event.set()

    def exit(self, end: ProcessEnd, left: int) -> None:
        """The direct child has ended."""
        self.end, self.left = end, left
        self.exited.set()
        if not left:
            self.gone.set()


class Launch:
    """What to start, in the system's own terms; the descriptors stay the caller's."""

    __slots__ = ("argv", "cwd", "env", "fds", "rules")

    def __init__(
        self,
        argv: list[str],
        cwd: Path,
        env: dict[str, str],
        fds: tuple[int, int, int],
        rules: dict[str, object] | None,
    ) -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.fds = fds  # stdin, stdout, stderr
        self.rules = rules


class Launcher(ABC):
    """Starts processes whose trees it can end."""

    @abstractmethod
    async def start(self, launch: Launch) -> Ticket:
        """Start it; returns when it runs or has failed."""

    @abstractmethod
    async def end(self, ticket: Ticket, grace: float) -> None:
        """Ask politely, kill after ``grace`` seconds; returns when nothing is left."""

    @abstractmethod
    async def close(self) -> None:
        """End whatever is left and release everything."""
