"""Confinement: which files a command may change, and what really enforces it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal

from dsh.errors import RunError

Mode = Literal["read-only", "workspace-write", "danger-full-access"]

# Which modes are strictly wider than one; an escalation must name one of them.
WIDER: dict[str, tuple[Mode, ...]] = {
    "read-only": ("workspace-write", "danger-full-access"),
    "workspace-write": ("danger-full-access",),
    "danger-full-access": (),
}


class SandboxUnavailable(RunError):
    """No mechanism on this machine can enforce the mode; nothing was run."""

    code = "SANDBOX_UNAVAILABLE"


class Policy:
    """What one call is confined to; part of the resolved request.

    ``temp`` is the private temporary folder of the session, the same for shell and file
    tools. ``hidden`` may not be seen at all (the program's own data), ``read_only`` may
    be seen but never changed even where a root would allow it.
    """

    __slots__ = ("hidden", "mode", "network", "read_only", "temp", "workspace")

    def __init__(
        self,
        mode: Mode,
        workspace: Path,
        *,
        temp: Path,
        network: bool = True,
        hidden: tuple[Path, ...] = (),
        read_only: tuple[Path, ...] = (),
    ) -> None:
        self.mode = mode
        self.workspace = workspace
        self.temp = temp
        self.network = network
        self.hidden = hidden
        self.read_only = read_only

    def widened(self, mode: Mode) -> Policy:
        """The same policy under another mode."""
        return Policy(
            mode,
            self.workspace,
            temp=self.temp,
            network=self.network,
            hidden=self.hidden,
            read_only=self.read_only,
        )

    def writable_roots(self) -> tuple[Path, ...]:
        """The folders that may be changed; none in read-only mode but the temp."""
        if self.mode == "read-only":
            return (self.temp,)
        return (self.workspace, self.temp)


class Enforcement:
    """What a mechanism was found to enforce by really running it here."""

    __slots__ = ("gaps", "level", "mechanism")

    def __init__(
        self,
        mechanism: Literal["bubblewrap", "landlock", "none"],
        level: Literal["full", "partial", "none"],
        gaps: tuple[str, ...] = (),
    ) -> None:
        self.mechanism = mechanism
        self.level = level
        self.gaps = gaps  # named, stable words such as "metadata-outside"


class Confinement:
    """How to start one command confined: the argv to run and what its child applies.

    ``rules`` is what the supervisor's forked child applies to itself before exec
    (Landlock, seccomp); opaque to callers.
    """

    __slots__ = ("argv", "denials", "enforcement", "rules")

    def __init__(
        self,
        argv: list[str],
        enforcement: Enforcement,
        *,
        rules: dict[str, object] | None = None,
        denials: tuple[str, ...] = (),
    ) -> None:
        self.argv = argv
        self.enforcement = enforcement
        self.rules = rules
        self.denials = denials  # stderr signatures of a denied access, lower case


class Sandbox(ABC):
    """Confines commands. One provider per world; fails closed."""

    @abstractmethod
    async def probe(self) -> Enforcement:
        """What is enforced here; found once by really running each mechanism."""

    @abstractmethod
    async def confine(self, argv: list[str], policy: Policy, cwd: Path) -> Confinement:
        """How to run ``argv`` in the folder ``cwd`` under ``policy``.

        Raises :class:`SandboxUnavailable`, also for a workspace that contains the
        program's home where the mechanism cannot carve that out; never returns an
        unconfined command for a confined mode. ``danger-full-access`` is not for here:
        do not confine it.
        """

    @abstractmethod
    async def failed(self) -> SandboxUnavailable:
        """The error for a command whose runner failed (``ProcessEnd.ran`` is false);
        what was found out about the mechanisms is forgotten and found out again.
        """


class SandboxPolicy(ABC):
    """Settles the policy of a call from the session's mode, its folder and the home."""

    @abstractmethod
    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        """The policy in force for a session (a `dsh.runtime.session.Session`).

        ``mode`` overrides the session's mode for one call (a granted escalation).
        """

    @abstractmethod
    def mode_of(self, session: object) -> Mode:
        """The session's mode: its last ``sandbox/mode`` event, else the default."""
