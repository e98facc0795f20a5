"""The subprocess seam on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio

from dsh.kernel import plugin
from dsh.seams.subprocess import Process, SpawnSpec, Subprocess
from dsh_plugins.subprocess_local import environment
from dsh_plugins.subprocess_local.launcher import Launcher
from dsh_plugins.subprocess_local.process import started


class LocalSubprocess(Subprocess):
    """Processes of this machine, each with a tree that really ends."""

    def __init__(self, launcher: Launcher, environ: Mapping[str, str]) -> None:
        self._launcher = launcher
        self._environ = environment.inherited(environ, environment.bundle_folder())
        self._login_path = ""

    def spawn(self, spec: SpawnSpec) -> AbstractAsyncContextManager[Process]:
        return started(self._launcher, spec)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        env = dict(self._environ)
        current = env.get("PATH", os.defpath)
        env["PATH"] = environment.merged_path(self._login_path, current)
        env.update(extra or {})
        return env

    async def find(self, command: str) -> Path | None:
        path = self.environment()["PATH"]
        found = await anyio.to_thread.run_sync(lambda: shutil.which(command, path=path))
        return Path(found) if found else None

    async def ask_login_shell(self) -> None:
        """Complete PATH when the program was not started from a shell."""
        from dsh_plugins.subprocess_local import login  # rarely needed, never on Windows

        if login.looks_bare(self._environ):
            self._login_path = await login.login_path(self) or ""


def _launcher() -> Launcher:
    if sys.platform == "win32":
        from dsh_plugins.subprocess_local.windows import JobObjects

        return JobObjects()
    if sys.platform != "linux":
        from dsh_plugins.subprocess_local.posix import ProcessGroups

        return ProcessGroups()
    from dsh_plugins.subprocess_local.linux import Supervised

    supervised = Supervised()
    supervised.prepare()
    return supervised


@plugin
async def subprocess_local() -> AsyncIterator[Subprocess]:
    """Offer processes of this machine; at the end not one of them is left."""
    launcher = _launcher()
    provider = LocalSubprocess(launcher, os.environ)
    try:
        async with anyio.create_task_group() as tasks:
            if sys.platform != "win32":
                tasks.start_soon(provider.ask_login_shell)
            yield provider
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await launcher.close()
