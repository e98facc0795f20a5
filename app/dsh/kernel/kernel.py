"""The root of all scopes: mounts plugins, wakes those whose needs changed, explains."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple, ParamSpec, Self

import anyio

from dsh.kernel.errors import DuplicateMount, KernelClosed
from dsh.kernel.events import Events
from dsh.kernel.mount import CURRENT, Config, Limits, Mount, Phase
from dsh.kernel.plugin import Plugin
from dsh.kernel.scope import Offer, Scope

Problem = Callable[[Mount, BaseException], None]
Watcher = Callable[[Mount], None]
P = ParamSpec("P")


class MountReport(NamedTuple):
    """A snapshot for people: labels only, no live objects."""

    row: str
    scope: str
    plugin: str
    phase: str
    offers: str | None
    needs: dict[str, str]  # key name → the row that offers it now, or ""
    missing: dict[str, str]  # key name → the row that should offer it, or ""
    error: BaseException | None
    overran: bool
    seconds: float  # in the present phase

    @classmethod
    def of(cls, mount: Mount, now: float) -> MountReport:
        """The report of ``mount`` at loop time ``now``."""
        found = [(need, mount.nearest(need)[0]) for need in mount.plan.needs.values()]
        return cls(
            row=mount.row,
            scope=mount.scope.label,
            plugin=f"{mount.plugin.body.__module__}:{mount.plugin.name}",
            phase=mount.phase.value,
            offers=mount.plan.offers.__qualname__ if mount.plan.offers else None,
            needs={n.key.__qualname__: o.provider if o else "" for n, o in found},
            missing=mount.missing(),
            error=mount.error,
            overran=mount.overran,
            seconds=now - mount.since,
        )


class Kernel:
    """Owns every mount and its task.

    ``problem`` is told of each error that nobody else sees: a plugin that fails, one
    that is slow to stop, a listener that raises. Without it the event loop's exception
    handler is, as for what no plugin is to blame for.
    """

    def __init__(self, problem: Problem | None = None) -> None:
        self.root = Scope(self, "global")
        self.abandoned: list[str] = []
        self._problem = problem
        self._mounts: dict[Mount, None] = {}  # in the order in which they came
        self._tasks: set[asyncio.Task[None]] = set()  # also those of abandoned mounts
        self._behind: dict[Mount, set[Mount]] = {}
        self._watchers: list[Watcher] = []
        self._moved = asyncio.Event()
        self._changed: set[type | None] = set()
        self._closed = False
        self.root.publish(Offer(Events, Events(self.root), self.root.label))

    async def __aenter__(self) -> Self:
        return self

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
        offers = mount.plan.offers
        holder = scope.owner_of(offers).reserve(offers, mount) if offers else None
        scope.mounts[row] = mount
        self._mounts[mount] = None
        task = mount.begin([each for each in (previous, holder) if each is not None])
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._behind.clear()
        self.changed(offers)
        return mount

    # -- what scopes and mounts tell it ----------------------------------------

    def changed(self, key: type | None, *, hopes: bool = True) -> None:
        """Soon wake the mounts that need ``key`` and, with ``hopes``, those that hope.

        These have an optional need and wait while it is coming; what that hangs on may
        be far behind the key.
        """
        self._moved.set()
        if self._mounts:  # else there is nobody to wake
            if not self._changed:
                asyncio.get_running_loop().call_soon(self._wake)
            self._changed |= {key, None} if hopes else {key}

    def _wake(self) -> None:
        keys, self._changed = self._changed, set()
        hopes = None in keys
        for mount in tuple(self._mounts):
            if any(need.key in keys or (hopes and need.optional) for need in mount.needs):
                mount.poke()

    def phase_changed(self, mount: Mount) -> None:
        """A mount moved on: tell the watchers, and those who counted on its offer."""
        if mount.phase in (Phase.FAILED, Phase.WAITING):
            self.changed(None)
        self._moved.set()
        for watcher in tuple(self._watchers):
            watcher(mount)

    def forget(self, mount: Mount, *, abandoned: bool) -> None:
        """Drop everything that is kept about a mount that is gone."""
        if abandoned:
            self.abandoned.append(mount.row)
        if mount.scope.mounts.get(mount.row) is mount:
            del mount.scope.mounts[mount.row]
        del self._mounts[mount]
        self._behind.clear()
        offers = mount.plan.offers
        if offers is not None:
            mount.scope.owner_of(offers).release(offers, mount)
        self.changed(offers)

    def behind(self, mount: Mount) -> set[Mount]:
        """The mounts that it needs, directly or through others."""
        found = self._behind.get(mount)
        if found is None:
            found = self._behind[mount] = set()
            queue = [mount]
            for each in queue:
                providers = {each.look(need.key)[1] for need in each.plan.needs.values()}
                new = {one for one in providers if one is not None} - found
                found |= new
                queue.extend(new)
        return found

    def problem(self, mount: Mount | None, error: BaseException) -> None:
        """Pass an error on to whoever was asked to report it."""
        if mount is not None and self._problem is not None:
            self._problem(mount, error)
        else:
            report = {"message": f"{mount} failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(report)

    def contained(self, call: Callable[P, None]) -> Callable[P, None]:
        """``call``, whose errors are those of the plugin that is running now."""
        owner = CURRENT.get(lambda: None)

        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                call(*args, **kwargs)
            except Exception as error:  # noqa: BLE001  # one bad listener starves nobody
                self.problem(owner(), error)

        return guarded

    # -- looking at it ---------------------------------------------------------

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call ``watcher`` after each phase change; returns the way to stop that."""
        guarded = self.contained(watcher)
        self._watchers.append(guarded)
        return lambda: self._watchers.remove(guarded)

    async def settled(self, *mounts: Mount) -> None:
        """Return when each given mount (all without any) moves no further by itself."""
        while any(mount.moving() for mount in mounts or tuple(self._mounts)):
            self._moved.clear()
            await self._moved.wait()

    def report(self) -> list[MountReport]:
        """Every mount: phase, needs, who it waits for, last error, time spent."""
        now = asyncio.get_running_loop().time()
        return [MountReport.of(mount, now) for mount in self._mounts]
