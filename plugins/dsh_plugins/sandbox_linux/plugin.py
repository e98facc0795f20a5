"""The sandbox seam on Linux: a ladder of mechanisms, each proved before it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from pydantic import BaseModel

from dsh.data.paths import Home
from dsh.kernel import plugin
from dsh.seams.sandbox import (
    Confinement,
    Enforcement,
    Policy,
    Sandbox,
    SandboxUnavailable,
)
from dsh.seams.subprocess import Subprocess
from dsh_plugins.sandbox_linux import bubblewrap
from dsh_plugins.sandbox_linux.bubblewrap import Bubblewrap
from dsh_plugins.sandbox_linux.landlock import Landlock, abi
from dsh_plugins.sandbox_linux.probe import Confine, Verdicts, confines

_REMEDY = (
    "Install bubblewrap with the system's package manager and allow it to make user "
    "namespaces (on Ubuntu its AppArmor profile does), or use a kernel with Landlock "
    "(6.2 or newer). Full access runs commands without confinement."
)


class SandboxLinux(BaseModel, frozen=True, defer_build=True):
    """Which mechanisms may be used. The order is fixed: the strongest that works."""

    bubblewrap: list[Path] | None = None  # executables to try; null: the known places
    landlock: bool = True


class LinuxSandbox(Sandbox):
    """Bubblewrap if it works here, else Landlock, else nothing runs."""

    def __init__(
        self, subprocess: Subprocess, verdicts: Verdicts, config: SandboxLinux
    ) -> None:
        self._subprocess = subprocess
        self._verdicts = verdicts
        self._config = config
        self._lock = anyio.Lock()
        self._found: Confine | None = None
        self._enforcement = Enforcement("none", "none")
        self._probed = False

    async def probe(self) -> Enforcement:
        await self._settle()
        return self._enforcement

    async def confine(self, argv: list[str], policy: Policy, cwd: Path) -> Confinement:
        if policy.mode == "danger-full-access":
            raise ValueError("full access is not to be confined")
        await self._settle()
        if self._found is None:
            message = "no mechanism on this machine can confine commands"
            raise SandboxUnavailable(message, remedy=_REMEDY)
        where = cwd.resolve()  # noqa: ASYNC240  # microseconds, and no command waits
        return self._found(argv, _resolved(policy), where)

    async def failed(self) -> SandboxUnavailable:
        self._verdicts.forget()
        self._probed = False
        message = "the sandbox could not be set up; the command was not run"
        return SandboxUnavailable(message, remedy=_REMEDY)

    async def _settle(self) -> None:
        if self._probed:
            return
        async with self._lock:
            if not self._probed:
                self._found, self._enforcement = await self._first_that_works()
                self._probed = True

    async def _first_that_works(self) -> tuple[Confine | None, Enforcement]:
        configured = self._config.bubblewrap
        runners = bubblewrap.candidates() if configured is None else configured
        for executable in runners:
            try:
                runner = Bubblewrap(executable)
            except SandboxUnavailable:
                break  # an unknown architecture
            if await self._works(str(executable), runner.confine):
                return runner.confine, bubblewrap.ENFORCEMENT
        if self._config.landlock:
            try:
                landlock = Landlock(abi())
            except SandboxUnavailable:
                return None, Enforcement("none", "none")
            rules = _without_cwd(landlock)
            if await self._works("landlock", rules):
                return rules, landlock.enforcement
        return None, Enforcement("none", "none")

    async def _works(self, name: str, confine: Confine) -> bool:
        try:
            known = self._verdicts.load(name)
        except OSError:  # the executable is not there
            return False
        if known is None:
            known = await confines(self._subprocess, confine)
            self._verdicts.store(name, good=known)
        return known


def _without_cwd(landlock: Landlock) -> Confine:
    return lambda argv, policy, _: landlock.confine(argv, policy)


def _resolved(policy: Policy) -> Policy:
    """The policy in terms of real paths: mounts and rules follow no links."""
    return Policy(
        policy.mode,
        policy.workspace.resolve(),
        temp=policy.temp.resolve(),
        network=policy.network,
        hidden=tuple(path.resolve() for path in policy.hidden),
        read_only=tuple(path.resolve() for path in policy.read_only),
    )


@plugin
async def sandbox_linux(
    subprocess: Subprocess, home: Home, config: SandboxLinux
) -> AsyncIterator[Sandbox]:
    """Offer confinement; mechanisms are proved when the first command needs one."""
    yield LinuxSandbox(subprocess, Verdicts(home.state / "sandbox.json"), config)
