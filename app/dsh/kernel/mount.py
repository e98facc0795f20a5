"""One plugin in one place, whose whole life belongs to one task."""

from __future__ import annotations

import asyncio
import enum
import weakref
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

import anyio
from pydantic import BaseModel

from dsh.errors import KernelError
from dsh.kernel.errors import NotAPlugin, StartTimedOut
from dsh.kernel.plugin import Need, Plugin
from dsh.kernel.scope import Offer, Scope

Config = BaseModel | Mapping[str, object] | None

# Whose code runs, also in the tasks that it starts. Weak: a context may outlive a plugin.
CURRENT: ContextVar[Callable[[], Mount | None]] = ContextVar("CURRENT")


class Phase(enum.Enum):
    """Where a mount is in its life."""

    WAITING = "waiting"
    STARTING = "starting"
    ACTIVE = "active"
    STOPPING = "stopping"
    FAILED = "failed"
    GONE = "gone"


class Limits(NamedTuple):
    """How long a plugin may take, in seconds."""

    start: float = 30.0  # to reach its yield
    grace: float = 3.0  # to release, counted from the return of the last lease
    abandon: float = 3.0  # to end after it was cancelled


@dataclass(eq=False, repr=False)
class Mount:
    """A plugin mounted under a row id.

    It waits for its needs, runs, and stops when a need or its config changes or when it
    is closed. A failed mount tries again only then, or when it is asked to restart.
    """

    scope: Scope
    row: str
    plugin: Plugin
    config: Config
    limits: Limits
    phase: Phase = Phase.WAITING
    error: BaseException | None = None
    closing: bool = False  # on its way out for good
    hung: bool = False  # it ignores its cancellation
    task: asyncio.Task[None] = field(init=False)  # the kernel starts and owns it
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _gone: asyncio.Event = field(default_factory=asyncio.Event)
    _held: dict[str, Offer | None] = field(default_factory=dict)
    _outdated: bool = False  # the present life or failure is to be replaced

    def __post_init__(self) -> None:
        self.plan = self.plugin.plan()
        self.keys = frozenset(need.key for need in self.plan.needs.values())
        self.hopes = any(need.optional for need in self.plan.needs.values())
        self._loop = asyncio.get_running_loop()
        self.since = self._loop.time()

    def discard(self) -> None:
        """Ask the mount to stop for good; :meth:`gone` waits for it."""
        self.closing = True
        if self.hung:
            self._enter(Phase.GONE)
        self.poke()

    async def gone(self) -> None:
        """Return when nothing of the plugin runs any more (or it was abandoned)."""
        await self._gone.wait()

    async def close(self) -> None:
        """Stop for good and wait for it. Not to be called from inside the plugin."""
        self.discard()
        await self.gone()

    def restart(self) -> None:
        """Start again, also after a failure."""
        self._outdated = True
        self.poke()

    def update(self, config: Config) -> None:
        """Restart with another config."""
        self.config = config
        self.restart()

    async def settled(self) -> None:
        """Return when the mount is active, failed or gone, or cannot start for now."""
        await self.scope.kernel.settled(self)

    def nearest(self, need: Need) -> tuple[Offer | None, Mount | None]:
        """What meets a need, and who provides it or is going to.

        An optional need does without who needs this mount in turn: they would restart
        each other for ever.
        """
        offer, provider = self.scope.nearest(need.key)
        if need.optional and provider and self in self.scope.kernel.behind(provider):
            return None, None
        return offer, provider

    def missing(self) -> dict[str, str]:
        """What it waits for: key name → the row that should offer it, or "".

        An optional need counts while its provider is coming: so nothing starts twice.
        """
        return {
            need.key.__qualname__: provider.row if provider else ""
            for need in self.plan.needs.values()
            for offer, provider in [self.nearest(need)]
            if offer is None and (not need.optional or (provider and provider.coming()))
        }

    def coming(self, known: dict[Mount, bool] | None = None) -> bool:
        """Whether it is active or is going to be without anybody's doing."""
        known = {} if known is None else known
        if self in known:
            return known[self]
        known[self] = False  # whoever needs itself never comes
        if self.closing or self.hung or (self.phase is Phase.FAILED and not self.stale()):
            return False
        known[self] = self.phase in (Phase.STARTING, Phase.ACTIVE) or all(
            need.optional or offer or (provider and provider.coming(known))
            for need in self.plan.needs.values()
            for offer, provider in [self.scope.nearest(need.key)]
        )
        return known[self]

    def moving(self) -> bool:
        """Whether something is about to happen to it without anybody's doing."""
        if self.phase is Phase.WAITING and not self.closing:
            return self.coming()
        still = self.phase in (Phase.ACTIVE, Phase.FAILED) and not self.stale()
        return not (still or self.hung or self.phase is Phase.GONE)

    def stale(self) -> bool:
        """Whether the present life, or the last failure, is no longer the right one."""
        return self.closing or self._outdated or self._found() != self._held

    def _found(self) -> dict[str, Offer | None]:
        return {name: self.nearest(need)[0] for name, need in self.plan.needs.items()}

    def poke(self) -> None:
        """Something this mount depends on may have changed."""
        self._wake.set()
        if self.phase is Phase.STARTING and self.stale():
            self._outdated = True
            self._cut()

    async def run(self, predecessors: list[Mount]) -> None:
        """Wait until the predecessors are gone, then live until discarded."""
        CURRENT.set(weakref.ref(self))
        try:
            while predecessors:  # emptied, so that none is kept alive
                await predecessors.pop().gone()
            while not self.closing:
                self._wake.clear()
                if self.phase is Phase.FAILED and self.stale():
                    self.error = None
                    self._enter(Phase.WAITING)
                if self.phase is Phase.WAITING and not self.missing():
                    self._ended(await self._life())
                else:
                    await self._wake.wait()
        finally:
            self._enter(Phase.GONE)

    async def _life(self) -> BaseException | None:
        self._outdated, self.error = False, None
        self._held = self._found()
        for offer in filter(None, self._held.values()):
            offer.users.add(self)
        try:
            async with asyncio.timeout(None) as self._limit:
                late = StartTimedOut(f"{self.row} does not start")
                self._timer = self._loop.call_later(self.limits.start, self._cut, late)
                self._enter(Phase.STARTING)
                async with self.plugin.enter(self._arguments()) as value:
                    self._timer.cancel()
                    if not self._limit.expired():
                        self._limit.reschedule(None)
                    await self._serve(value)
        except asyncio.CancelledError:
            if self.task.cancelling():
                raise  # somebody ends this task: the loop is stopping
        except (Exception, SystemExit, BaseExceptionGroup) as error:  # noqa: BLE001  # a plugin may raise anything
            cut = self._limit.expired() and isinstance(error, TimeoutError)
            return self.error if cut else error
        finally:
            self._timer.cancel()
        return None

    async def _serve(self, value: object) -> None:
        """From the plugin's yield to the moment its own release may begin."""
        key, offer = self.plan.offers, None
        try:
            if key is not None and not isinstance(value, key):
                raise NotAPlugin(f"{self.row} yielded a {type(value).__qualname__}")
            if not self.stale():
                offer = self.scope.publish(key, value, self.row) if key else None
                self._enter(Phase.ACTIVE)
            while not self.stale():
                self._wake.clear()
                await self._wake.wait()
            self._outdated = True
        finally:
            self._enter(Phase.STOPPING)
            if offer is not None:
                self.scope.withdraw(offer)
                # Also when a failure has cancelled the plugin's own task group.
                with anyio.CancelScope(shield=True):
                    await offer.drained()
            slow = KernelError(f"{self.row} is slow to stop", code="STOP_TIMED_OUT")
            self._timer = self._loop.call_later(self.limits.grace, self._cut, slow)

    def _ended(self, error: BaseException | None) -> None:
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]  # a task group's wrapping says nothing
        stale = self.stale()  # then an error does not stand in the way of the next life
        if error is None and not stale:
            error = NotAPlugin(f"{self.row} ended although nobody asked it to")
        self.hung = False
        self._enter(Phase.WAITING if stale else Phase.FAILED)
        if error is not None and error is not self.error:
            self._tell(error)

    def _enter(self, phase: Phase) -> None:
        if self._gone.is_set():
            return  # it was abandoned; nobody may take it for alive again
        self.phase = phase
        self.since = self._loop.time()
        if phase in (Phase.WAITING, Phase.FAILED, Phase.GONE):
            self._return_leases()
        if phase in (Phase.WAITING, Phase.GONE):
            self._held = {}  # keeps nothing of another plugin alive
        self.scope.kernel.phase_changed(self)
        if phase is Phase.GONE:
            self._gone.set()

    def _tell(self, error: BaseException) -> None:
        self.error = error
        self.scope.kernel.problem(self, error)

    def _return_leases(self) -> None:
        for offer in filter(None, self._held.values()):
            offer.users.discard(self)
            offer.returned.set()

    def _arguments(self) -> dict[str, object]:
        schema, config = self.plan.config, self.config
        given = {name: self.scope.view(offer) for name, offer in self._held.items()}
        if schema is not None:
            fits = isinstance(config, schema)
            given["config"] = config if fits else schema.model_validate(config or {})
        elif config:
            raise NotAPlugin(f"{self.plugin.name} takes no config")
        return given

    def _cut(self, reason: KernelError | None = None) -> None:
        """Cancel the plugin once: clean-up further out in it may still await."""
        if not self._limit.expired():
            self._limit.reschedule(0)
        elif self.phase is Phase.STARTING:
            return  # it knows
        self._timer.cancel()
        self._timer = self._loop.call_later(self.limits.abandon, self._give_up)
        if self.phase is Phase.STOPPING:
            self._return_leases()  # the others go on without it
        if reason is not None:
            self._tell(reason)

    def _give_up(self) -> None:
        """The plugin ignores its cancellation: go on without it."""
        self.hung = True
        self._enter(Phase.GONE if self.closing else Phase.FAILED)
        if self.error is None:
            self._tell(KernelError(f"{self.row} hangs", code="STOP_TIMED_OUT"))
