"""The root of all scopes: mounts plugins, wakes those whose needs changed, explains."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import anyio

from dsh.kernel.connect import Events
from dsh.kernel.errors import DuplicateMount, KernelClosed
from dsh.kernel.mount import CURRENT, Config, Limits, Mount, Phase
from dsh.kernel.plugin import Plugin
from dsh.kernel.scope import Scope

Problem = Callable[[Mount, BaseException], None]


class MountReport:
    """A snapshot for people: labels only, no live objects."""

    def __init__(self, mount: Mount) -> None:
        needs = [(each.key, mount.nearest(each)[0]) for each in mount.plan.needs.values()]
        self.row, self.scope = mount.row, mount.scope.label
        self.plugin = f"{mount.plugin.body.__module__}:{mount.plugin.name}"
        self.phase, self.error = mount.phase.value, mount.error
        self.seconds = asyncio.get_running_loop().time() - mount.since  # in this phase
        self.offers = getattr(mount.plan.offers, "__qualname__", None)
        # Key name → the row that offers it now, or that should; "" if there is none.
        self.needs = {key.__qualname__: o.provider if o else "" for key, o in needs}
        self.missing = mount.missing()


class Kernel(AbstractAsyncContextManager["Kernel"]):
    """Owns every mount and its task.

    ``problem`` is told of each error of a plugin that nobody else sees: it fails, it is
    slow to stop, its listener raises. Without it the event loop's handler is told.
    """

    def __init__(self, problem: Problem | None = None) -> None:
        self.root = Scope(self, "global")
        self.mounts: dict[Mount, None] = {}  # in the order in which they came
        self._problem = problem
        self._tasks: set[asyncio.Task[None]] = set()  # also those of abandoned mounts
        self._behind: dict[Mount, set[Mount]] = {}
        self._watchers: list[Callable[[Mount], None]] = []
        self._moved = asyncio.Event()
        self._closed = False
        self.root.publish(Events, Events(self.root), self.root.label)

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.close()

    async def close(self) -> None:
        """Stop every mount, consumers first; returns when all are gone or abandoned."""
        self._closed = True
        await self.root.close()

    def mount(
        self,
        scope: Scope,
        row: str,
        plugin: Plugin,
        config: Config = None,
        limits: Limits | None = None,
    ) -> Mount:
        """Mount a plugin; it starts as soon as its needs are met.

        It waits until a closing mount of the same row or offered key is gone. Otherwise
        that is a :class:`DuplicateMount` or :class:`DuplicateProvider`.
        """
        if self._closed:
            raise KernelClosed(f"{row} cannot be mounted: the kernel is stopping")
        before = scope.mounts.get(row)
        if before is not None and not before.closing:
            raise DuplicateMount(f"{row} is already mounted in {scope.label}")
        mount = Mount(scope, row, plugin, config, limits or Limits())
        offers = mount.plan.offers
        holder = scope.reserve(offers, row, mount) if offers is not None else None
        life = mount.run([each for each in (before, holder) if each is not None])
        mount.task = asyncio.get_running_loop().create_task(life, name=f"mount {row}")
        mount.task.add_done_callback(self._tasks.discard)
        self._tasks.add(mount.task)
        self.mounts[mount] = None
        scope.mounts[row] = mount
        self._behind.clear()
        self.phase_changed(mount)
        return mount

    def phase_changed(self, mount: Mount) -> None:
        """A mount moved on: tell the watchers, and those who counted on its offer."""
        for watcher in tuple(self._watchers):
            watcher(mount)
        if mount.phase is Phase.GONE:
            mount.scope.forget(mount)
            del self.mounts[mount]
            self._behind.clear()
        if mount.phase in (Phase.WAITING, Phase.FAILED, Phase.GONE):
            self.changed(mount.plan.offers)
        self._moved.set()

    def changed(self, key: type | None, *, hopes: bool = True) -> None:
        """Wake who needs ``key``, and who hopes for something that may hang on it."""
        self._moved.set()
        for mount in tuple(self.mounts):
            if key in mount.keys or (hopes and mount.hopes):
                mount.poke()

    def behind(self, mount: Mount) -> set[Mount]:
        """The mounts that it needs, directly or through others."""
        if mount not in self._behind:
            found = self._behind[mount] = set()
            queue = [mount]
            for each in queue:
                for need in each.plan.needs.values():
                    _, provider = each.scope.nearest(need.key)
                    if provider is not None and provider not in found:
                        found.add(provider)
                        queue.append(provider)
        return self._behind[mount]

    def problem(self, mount: Mount | None, error: BaseException) -> None:
        """Pass an error on to whoever was asked to report it."""
        if mount is not None and self._problem is not None:
            return self._problem(mount, error)
        context = {"message": "a plugin or listener failed", "exception": error}
        return asyncio.get_running_loop().call_exception_handler(context)

    def contained(self, call: Callable[..., None]) -> Callable[..., None]:
        """``call``, whose errors are those of the plugin that is running now."""
        owner = CURRENT.get(lambda: None)

        def guarded(*arguments: object) -> None:
            try:
                call(*arguments)
            except Exception as error:  # noqa: BLE001  # one bad listener starves nobody
                self.problem(owner(), error)

        return guarded

    def watch(self, watcher: Callable[[Mount], None]) -> Callable[[], None]:
        """Call ``watcher`` for each new mount and phase; returns the way to stop that."""
        guarded = self.contained(watcher)
        self._watchers.append(guarded)
        return lambda: self._watchers.remove(guarded)

    async def settled(self, *mounts: Mount) -> None:
        """Return when each given mount (all without any) moves no further by itself."""
        while any(mount.moving() for mount in mounts or tuple(self.mounts)):
            self._moved.clear()
            await self._moved.wait()

    def report(self) -> list[MountReport]:
        """Every mount: phase, needs, who it waits for, last error, time spent."""
        return [MountReport(mount) for mount in self.mounts]
