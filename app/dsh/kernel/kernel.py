"""The root of all scopes: mounts plugins, wakes those whose needs changed, explains."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from pydantic import BaseModel

from dsh.kernel.errors import DuplicateMount, KernelClosed
from dsh.kernel.events import Events
from dsh.kernel.mount import Config, Limits, Mount, Phase
from dsh.kernel.plugin import Plugin
from dsh.kernel.report import MountReport
from dsh.kernel.scope import Scope

Problem = Callable[[Mount, BaseException], None]
Watcher = Callable[[Mount], None]


class Kernel:
    """Owns every mount and its task.

    ``problem`` is told of each error that nobody else sees: a plugin that fails, one
    that is slow to stop, a listener that raises.
    """

    def __init__(self, problem: Problem | None = None) -> None:
        self.root = Scope(self, "global")
        self.abandoned: list[str] = []
        self._report = problem
        self._mounts: dict[Mount, asyncio.Task[None]] = {}
        self._needing: dict[type, set[Mount]] = {}
        self._watchers: list[Watcher] = []
        self._moved = asyncio.Event()
        self._closed = False

    async def __aenter__(self) -> Self:
        self._events = self.root.offered(Events, Events(self.root, self._listener_failed))
        self._events.__enter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.shield(self.close())

    async def close(self) -> None:
        """Stop every mount, consumers first; returns when all are gone or abandoned."""
        self._closed = True
        mounts = tuple(self._mounts)
        for mount in mounts:
            mount.discard()
        for mount in mounts:
            await mount.gone()

    def mount(
        self,
        scope: Scope,
        row: str,
        plugin: Plugin,
        config: BaseModel | Mapping[str, object] | None = None,
        limits: Limits | None = None,
    ) -> Mount:
        """Mount a plugin; it starts as soon as its needs are met.

        Raises :class:`DuplicateMount`, :class:`DuplicateProvider` or
        :class:`NotAPlugin` before any side effect. A mount that replaces one of the same
        row, or of the same offered key, waits until that one is gone.
        """
        if self._closed:
            raise KernelClosed(f"{row} cannot be mounted: the kernel is stopping")
        previous = scope.mounts.get(row)
        if previous is not None and not previous.closing:
            raise DuplicateMount(f"{row} is already mounted in {scope.label}")
        mount = Mount(scope, row, plugin, config, limits or Limits())
        holder = None
        offers = mount.plan.offers
        if offers is not None:
            holder = scope.owner_of(offers).reserve(offers, mount)
        scope.mounts[row] = mount
        for need in mount.plan.needs.values():
            self._needing.setdefault(need.key, set()).add(mount)
        self._mounts[mount] = mount.begin([m for m in (previous, holder) if m])
        if offers is not None:
            self.poke(offers, spread=True)
        return mount

    # -- what mounts tell it ---------------------------------------------------

    def poke(self, key: type, *, spread: bool = False) -> None:
        """Wake the mounts that need ``key``; with ``spread``, also those behind them.

        Behind them are those that wait for an *optional* need because it was coming.
        """
        seen: set[type] = set()
        queue = [key]
        while queue:
            current = queue.pop()
            seen.add(current)
            for mount in tuple(self._needing.get(current, ())):
                mount.poke()
                offers = mount.plan.offers
                if spread and offers is not None and offers not in seen:
                    queue.append(offers)

    def phase_changed(self, mount: Mount) -> None:
        """A mount moved on: tell the watchers, and those who counted on its offer."""
        self._moved.set()
        if mount.plan.offers is not None and mount.phase in (Phase.FAILED, Phase.WAITING):
            self.poke(mount.plan.offers, spread=True)
        for watcher in tuple(self._watchers):
            watcher(mount)

    def forget(self, mount: Mount) -> None:
        """Drop everything that is kept about a mount that is gone."""
        for need in mount.plan.needs.values():
            waiting = self._needing.get(need.key, set())
            waiting.discard(mount)
            if not waiting:
                self._needing.pop(need.key, None)
        if mount.scope.mounts.get(mount.row) is mount:
            del mount.scope.mounts[mount.row]
        self._mounts.pop(mount, None)
        offers = mount.plan.offers
        if offers is not None:
            mount.scope.owner_of(offers).release(offers, mount)

    def abandon(self, mount: Mount) -> None:
        """A mount ignored its cancellation: name it and go on without it."""
        self.abandoned.append(mount.row)

    def problem(self, mount: Mount, error: BaseException) -> None:
        """Pass an error on to whoever was asked to report it."""
        if self._report is not None:
            self._report(mount, error)

    def _listener_failed(self, error: Exception) -> None:
        for mount in self._mounts:  # the root has no mount of its own to name
            self.problem(mount, error)
            return

    # -- looking at it ---------------------------------------------------------

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call ``watcher`` after each phase change; returns the way to stop that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    async def settled(self, *mounts: Mount) -> None:
        """Return when each given mount (all without any) moves no further by itself."""
        while any(_moving(mount) for mount in mounts or tuple(self._mounts)):
            self._moved.clear()
            await self._moved.wait()

    def report(self) -> list[MountReport]:
        """Every mount: phase, needs, who it waits for, last error, time spent."""
        now = asyncio.get_running_loop().time()
        return [MountReport.of(mount, now) for mount in self._mounts]


def _moving(mount: Mount) -> bool:
    if mount.phase in (Phase.FAILED, Phase.GONE):
        return False
    if mount.phase is Phase.WAITING:
        return mount.coming()
    return mount.phase is not Phase.ACTIVE


__all__ = ["Config", "Kernel", "Problem"]
