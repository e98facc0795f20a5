"""Child processes of the current execution world, each with a tree that really ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from dsh.errors import RunError


class SpawnFailed(RunError):
    """The program could not be started; nothing ran."""

    code = "SPAWN_FAILED"


class SpawnSpec:
    """A process to start. Every field is settled: the seam applies no defaults.

    ``stdout_max`` and ``stderr_max`` bound what is kept in memory (bytes, half head and
    half tail); with ``spill`` the whole stream also goes to a private file of at most
    ``spill_max`` bytes. ``grace`` is the time in seconds between the polite signal and
    the kill, and the longest drain after the direct child ended.
    """

    __slots__ = (
        "argv",
        "confine",
        "cwd",
        "env",
        "grace",
        "spill",
        "spill_max",
        "stderr_max",
        "stdin",
        "stdout_max",
    )

    def __init__(
        self,
        argv: list[str],
        cwd: Path,
        env: Mapping[str, str],
        *,
        stdout_max: int,
        stderr_max: int,
        grace: float,
        stdin: bytes = b"",
        spill: Path | None = None,
        spill_max: int = 0,
        confine: dict[str, object] | None = None,
    ) -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.stdout_max = stdout_max
        self.stderr_max = stderr_max
        self.grace = grace
        self.stdin = stdin
        self.spill = spill  # folder for the spill files
        self.spill_max = spill_max
        self.confine = confine  # Confinement.rules of the sandbox seam


class Collected:
    """What one stream gave: text with the middle left out, and how much of it.

    ``text`` is decoded with replacement (NUL too) and cut only between characters; where
    ``omitted`` bytes are left out, a line says so. It holds at most the limit's bytes
    besides that line.
    """

    __slots__ = ("omitted", "spill", "spilled", "text", "total")

    def __init__(
        self, text: str, total: int, omitted: int, spill: Path | None, spilled: int = 0
    ) -> None:
        self.text = text
        self.total = total  # bytes seen
        self.omitted = omitted  # bytes left out of ``text``
        self.spill = spill  # file with the stream from its start, if it was kept
        self.spilled = spilled  # bytes in that file: fewer than ``total`` at its cap


class ProcessEnd:
    """How the direct child ended; exactly one of code and signal is set.

    ``ran`` is false when the runner of a sandbox ended without starting the program.
    """

    __slots__ = ("exit_code", "ran", "signal")

    def __init__(
        self, exit_code: int | None, signal: str | None, *, ran: bool = True
    ) -> None:
        self.exit_code = exit_code
        self.signal = signal  # "SIGKILL" …
        self.ran = ran


class Process(ABC):
    """A running child and its whole tree."""

    pid: int

    @abstractmethod
    def output(self) -> AsyncIterator[tuple[str, str]]:
        """Live output as it comes: ("stdout" | "stderr", text). For one reader."""

    @abstractmethod
    async def wait(self) -> ProcessEnd:
        """The end of the direct child plus a short drain of its pipes."""

    @abstractmethod
    async def terminate(self) -> None:
        """Polite signal, grace, kill; returns when no process of the tree is left."""

    @abstractmethod
    def collected(self) -> tuple[Collected, Collected]:
        """What stdout and stderr gave so far."""


class Subprocess(ABC):
    """Starts processes. One provider per world."""

    @abstractmethod
    def spawn(self, spec: SpawnSpec) -> AbstractAsyncContextManager[Process]:
        """A block in which the process runs.

        Leaving the block ends the whole tree: what still runs in the background is asked
        to stop, given a second at most, and killed. Raises :class:`SpawnFailed`.
        """

    @abstractmethod
    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment for children: the person's, without secrets, ``DSH_*`` names
        and the bundle's own variables, and with the login shell's PATH; then ``extra``.
        """

    @abstractmethod
    async def find(self, command: str) -> Path | None:
        """The executable that a bare name means on the children's PATH."""
