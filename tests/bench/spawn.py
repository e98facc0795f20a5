"""One small command: as it is, through the supervisor, and confined."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path

from bench._table import Anchor, row, timed, usual
from dsh.seams.sandbox import Policy
from dsh.seams.subprocess import SpawnSpec
from dsh_plugins.sandbox_linux.plugin import LinuxSandbox, SandboxLinux
from dsh_plugins.sandbox_linux.probe import Verdicts
from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.plugin import LocalSubprocess

COUNT = 100
ARGV = ["/bin/bash", "-c", "echo hi"]


class Room:
    """A provider and a policy to confine by."""

    def __init__(self, root: Path, provider: LocalSubprocess) -> None:
        for name in ("workspace", "temp", "home/desktop"):
            (root / name).mkdir(parents=True)
        self.root = root
        self.provider = provider
        self.policy = Policy(
            "workspace-write",
            root / "workspace",
            temp=root / "temp",
            hidden=(root / "home/desktop",),
            read_only=(root / "home",),
        )

    def sandbox(self, config: SandboxLinux) -> LinuxSandbox:
        verdicts = Verdicts(self.root / "verdicts.json")
        return LinuxSandbox(self.provider, verdicts, config)

    async def times(self, sandbox: LinuxSandbox | None) -> list[float]:
        """Milliseconds from the wish to run the command to its collected output."""
        taken = []
        for _ in range(COUNT):
            began = time.perf_counter()
            await self._run(sandbox)
            taken.append((time.perf_counter() - began) * 1e3)
        return taken

    async def _run(self, sandbox: LinuxSandbox | None) -> None:
        argv, rules = ARGV, None
        if sandbox is not None:
            confinement = await sandbox.confine(ARGV, self.policy, self.policy.workspace)
            argv, rules = confinement.argv, confinement.rules
        spec = SpawnSpec(
            argv,
            self.policy.workspace,
            self.provider.environment(),
            stdout_max=64_000,
            stderr_max=64_000,
            grace=1.0,
            confine=rules,
        )
        async with self.provider.spawn(spec) as process:
            await process.wait()
        if process.collected()[0].text != "hi\n":
            raise SystemExit(f"it did not run: {process.collected()[1].text}")


async def main() -> None:
    plain = timed(COUNT, lambda: subprocess.run(ARGV, capture_output=True, check=True))
    anchor = Anchor("subprocess.run", usual(plain))
    launcher = Supervised()
    try:
        with tempfile.TemporaryDirectory(prefix="dsh-bench-") as folder:
            room = Room(Path(folder), LocalSubprocess(launcher, os.environ))
            await room.times(None)
            row("supervised", usual(await room.times(None)), "ms", anchor)
            for config in (SandboxLinux(), SandboxLinux(bubblewrap=[])):
                sandbox = room.sandbox(config)
                mechanism = (await sandbox.probe()).mechanism
                if mechanism != "none":
                    taken = usual(await room.times(sandbox))
                    row(f"confined by {mechanism}", taken, "ms", anchor)
    finally:
        await launcher.close()


if __name__ == "__main__":
    asyncio.run(main())
