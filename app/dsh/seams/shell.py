"""The shell: request → resolved command → result with independent facts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

from dsh.seams.sandbox import Enforcement, Policy
from dsh.seams.subprocess import Collected


class ShellRequest:
    """What a caller asks for; whatever is ``None`` is settled by ``resolve``."""

    __slots__ = ("command", "env", "policy", "spill", "timeout", "workdir")

    def __init__(
        self,
        command: str,
        *,
        workdir: Path | None = None,
        timeout: float | None = None,
        env: Mapping[str, str] | None = None,
        policy: Policy | None = None,
        spill: Path | None = None,
    ) -> None:
        self.command = command
        self.workdir = workdir
        self.timeout = timeout  # seconds
        self.env = env
        self.policy = policy
        self.spill = spill


class ShellCommand:
    """A command with nothing left to guess."""

    __slots__ = ("command", "env", "policy", "spill", "timeout", "workdir")

    def __init__(
        self,
        command: str,
        workdir: Path,
        timeout: float,
        env: Mapping[str, str],
        policy: Policy | None,
        spill: Path | None,
    ) -> None:
        self.command = command
        self.workdir = workdir
        self.timeout = timeout
        self.env = env
        self.policy = policy  # None: the provider does not confine
        self.spill = spill


class SandboxFacts:
    """What confinement a run had, and whether it was refused something."""

    __slots__ = ("denied", "enforcement", "mode")

    def __init__(
        self, mode: str, enforcement: Enforcement | None, *, denied: bool
    ) -> None:
        self.mode = mode
        self.enforcement = enforcement
        self.denied = denied


class ShellResult:
    """Independent facts: a command may time out and still exit 0."""

    __slots__ = (
        "aborted",
        "exit_code",
        "sandbox",
        "seconds",
        "signal",
        "stderr",
        "stdout",
        "timed_out",
        "timeout",
    )

    def __init__(
        self,
        *,
        exit_code: int | None,
        signal: str | None,
        timed_out: bool,
        aborted: bool,
        timeout: float,
        seconds: float,
        stdout: Collected,
        stderr: Collected,
        sandbox: SandboxFacts | None,
    ) -> None:
        self.exit_code = exit_code
        self.signal = signal
        self.timed_out = timed_out
        self.aborted = aborted
        self.timeout = timeout
        self.seconds = seconds
        self.stdout = stdout
        self.stderr = stderr
        self.sandbox = sandbox


Output = Callable[[str, str], None]  # stream name ("stdout" | "stderr"), text


class Shell(ABC):
    """Runs command lines in the current execution world. One provider per world."""

    confines: bool = False  # whether requests without a policy are given one

    @abstractmethod
    def resolve(self, request: ShellRequest) -> ShellCommand:
        """Settle every default once. Raises ``RunError`` for an unusable request."""

    @abstractmethod
    async def run(
        self, command: ShellCommand, output: Output | None = None
    ) -> ShellResult:
        """Run to the end and return the facts; a non-zero exit is not an error.

        Cancelling the caller ends the whole tree first. Raises ``SandboxUnavailable``
        and ``SpawnFailed``.
        """
