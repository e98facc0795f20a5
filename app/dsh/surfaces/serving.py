"""Boots the composition that serves a page, and stops it again."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from dsh.composition.boot import Boot, booted
from dsh.composition.profiles import Composition
from dsh.kernel import Events
from dsh.seams.gateway import HostEvent, Snapshots
from dsh.seams.native_shell import NativeShell
from dsh.surfaces import start
from dsh.surfaces.host.plugin import Host
from dsh.surfaces.host.stopping import Stopper
from dsh.surfaces.host.wire import OpenFolder
from dsh.surfaces.loop import leave_soon
from dsh.surfaces.services import REGISTRIES
from dsh.surfaces.window.instance import Arguments, Reply, answer_later_starts

SETTLE_SECONDS = 3.0

logger = logging.getLogger(__name__)


class Serving(Stopper):
    """One run of the host, from boot to stop."""

    def __init__(
        self,
        composition: Composition,
        folder: Path | None = None,
        services: tuple[tuple[type, object], ...] = (),
    ) -> None:
        self._composition = composition
        self._folder = str(folder) if folder is not None else None
        self._services = services
        self._stopping = anyio.Event()

    def stop(self) -> None:
        """Begin to stop; from the loop's thread."""
        leave_soon()
        self._stopping.set()

    async def run(self, ready: Callable[[Reply], None]) -> None:
        """Serve until :meth:`stop`. ``ready`` is called once the page can be opened.

        Raises ``CompositionError`` when there is no host to serve it.
        """
        async with booted(
            self._composition,
            features=frozenset({"server"}),
            problem=log_problem,
            registries=REGISTRIES,
            services=((Stopper, self), *self._services),
        ) as boot:
            host = await boot.service(Host)
            # Who is told at once calls at once; a row that hangs is not waited for.
            with anyio.move_on_after(SETTLE_SECONDS):
                await boot.settled(ours=True)
            ready(self._reply(boot, host))
            start.over()
            snapshots = boot.kernel.root.get(Snapshots)
            with snapshots.add("openFolder", self._asked_folder):
                async with anyio.create_task_group() as group:
                    group.start_soon(
                        answer_later_starts, boot.home, self._answering(boot, host)
                    )
                    await self._stopping.wait()
                    group.cancel_scope.cancel()

    def _reply(self, boot: Boot, host: Host) -> Reply:
        return Reply(
            window=boot.kernel.root.find(NativeShell) is not None,
            url=host.url(),
            origin=host.origin,
            pid=os.getpid(),
        )

    def _answering(
        self, boot: Boot, host: Host
    ) -> Callable[[Arguments], Awaitable[Reply]]:
        async def answer(arguments: Arguments) -> Reply:
            shell = boot.kernel.root.find(NativeShell)
            if shell is not None and not arguments.headless:
                await anyio.to_thread.run_sync(shell.focus)
            if arguments.folder is not None:
                self._open(boot, host, arguments.folder)
            return self._reply(boot, host)

        return answer

    def _open(self, boot: Boot, host: Host, folder: str) -> None:
        """Have the page open a folder; one that connects later is told then."""
        if host.hub.clients:
            fact = HostEvent("host/open-folder", OpenFolder(path=folder))
            boot.kernel.root.get(Events).emit(fact)
        else:
            self._folder = folder

    async def _asked_folder(self) -> object:
        folder, self._folder = self._folder, None
        return folder


def log_problem(row: str, error: BaseException) -> None:
    """Write down what a plugin could not do."""
    logger.error("%s: %s", row, error, exc_info=error)
