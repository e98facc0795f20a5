"""One plugin in one place, whose whole life belongs to one task."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel

from dsh.kernel.errors import StartTimedOut
from dsh.kernel.offer import Offer

if TYPE_CHECKING:
    from dsh.kernel.plugin import Plugin
    from dsh.kernel.scope import Scope

Config = BaseModel | Mapping[str, object] | None
Held = dict[str, Offer | None]


class Phase(enum.Enum):
    """Where a mount is in its life."""

    WAITING = "waiting"
    STARTING = "starting"
    ACTIVE = "active"
    STOPPING = "stopping"
    FAILED = "failed"
    GONE = "gone"


class Limits:
    """How long a plugin may take, in seconds."""

    def __init__(
        self, start: float = 30.0, grace: float = 3.0, abandon: float = 3.0
    ) -> None:
        self.start = start  # to reach its yield
        self.grace = grace  # to release, counted from the return of the last lease
        self.abandon = (
            abandon  # after its release was cancelled, before it is left behind
        )


class Mount:
    """A plugin mounted under a row id.

    It waits for its needs, runs, and stops when a need changes, when its config changes
    or when it is closed. A failed mount keeps its error and tries again only when its
    config or a need changes, or when :meth:`restart` is called.
    """

    def __init__(
        self, scope: Scope, row: str, plugin: Plugin, config: Config, limits: Limits
    ) -> None:
        self.scope = scope
        self.row = row
        self.plugin = plugin
        self.plan = plugin.plan()
        self.limits = limits
        self.phase = Phase.WAITING
        self.error: BaseException | None = None
        self.overran = False
        self.since = asyncio.get_running_loop().time()
        self._config = config
        self._generation = 0
        self._wanted = True
        self._held: Held = {}
        self._leased: list[Offer] = []
        self._failed_with: tuple[int, Held] | None = None
        self._interrupted: BaseException | None = None
        self._wake = asyncio.Event()
        self._gone = asyncio.Event()
        self._predecessors: list[Mount] = []
        self._task: asyncio.Task[None] | None = None

    # -- what others do with it ------------------------------------------------

    @property
    def closing(self) -> bool:
        """True once the mount is on its way out for good."""
        return not self._wanted

    def discard(self) -> None:
        """Ask the mount to stop for good; :meth:`gone` waits for it."""
        self._wanted = False
        self.poke()

    async def close(self) -> None:
        """Stop for good and wait for it. Not to be called from inside the plugin."""
        self.discard()
        await self.gone()

    async def gone(self) -> None:
        """Return when nothing of the plugin runs any more (or it was abandoned)."""
        await self._gone.wait()

    def update(self, config: Config) -> None:
        """Restart with another config."""
        self._config = config
        self.restart()

    def restart(self) -> None:
        """Start again, also after a failure."""
        self._generation += 1
        self.poke()

    async def settled(self) -> None:
        """Return when the mount is active, failed or gone, or cannot start for now."""
        await self.scope.kernel.settled(self)

    def missing(self) -> dict[str, str]:
        """Unmet needs: key name → the row it waits for, or an empty string."""
        found: dict[str, str] = {}
        for need in self.plan.needs.values():
            offer, mount = self.scope.nearest(need.key)
            waits = mount is not None and mount.coming() if need.optional else True
            if offer is None and waits:
                found[need.key.__qualname__] = mount.row if mount else ""
        return found

    def coming(self, seen: frozenset[Mount] = frozenset()) -> bool:
        """Whether the offer can be expected without anybody's doing."""
        if self.closing or self.phase in (Phase.FAILED, Phase.GONE) or self in seen:
            return False
        if self.phase in (Phase.STARTING, Phase.ACTIVE):
            return True
        for need in self.plan.needs.values():
            offer, mount = self.scope.nearest(need.key)
            if need.optional or offer is not None:
                continue
            if mount is None or not mount.coming(seen | {self}):
                return False
        return True

    # -- its life --------------------------------------------------------------

    def begin(self, predecessors: list[Mount]) -> asyncio.Task[None]:
        """Start the task that owns this mount. The kernel calls it once and owns it."""
        self._predecessors = predecessors
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._run(), name=f"mount {self.row}")
        return self._task

    def poke(self) -> None:
        """Something this mount depends on may have changed."""
        self._wake.set()
        if self.phase is Phase.STARTING and self._stale():
            self._interrupt(asyncio.CancelledError())

    async def _run(self) -> None:
        try:
            for predecessor in self._predecessors:
                await predecessor.gone()
            self._predecessors = []
            while self._wanted:
                self._wake.clear()
                held = self._ready()
                if held is None:
                    await self._wake.wait()
                else:
                    await self._life(held)
        finally:
            self._leave()

    def _leave(self) -> None:
        self._return_leases()
        self._enter(Phase.GONE)
        self.scope.kernel.forget(self)
        self._gone.set()

    def _enter(self, phase: Phase) -> None:
        if self._gone.is_set():
            return  # it was abandoned; nobody may take it for alive again
        self.phase = phase
        self.since = asyncio.get_running_loop().time()
        self.scope.kernel.phase_changed(self)

    def _ready(self) -> Held | None:
        held: Held = {}
        for name, need in self.plan.needs.items():
            offer, mount = self.scope.nearest(need.key)
            if offer is None and (
                not need.optional or (mount is not None and mount.coming({self}))
            ):
                return None
            held[name] = offer
        if self._failed_with == (self._generation, held):
            return None
        return held

    def _stale(self) -> bool:
        if not self._wanted or self._generation != self._started_as:
            return True
        for name, need in self.plan.needs.items():
            offer, _ = self.scope.nearest(need.key)
            if offer is not self._held[name]:
                return True
        return False

    async def _life(self, held: Held) -> None:
        self._started_as = self._generation
        self._held, self._interrupted, self.error = held, None, None
        self._failed_with = None
        self._take_leases()
        self._enter(Phase.STARTING)
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(self.limits.start, self._start_timed_out)
        alarms = [deadline]
        try:
            async with self.plugin.enter(self._arguments()) as value:
                deadline.cancel()
                await self._started(value)
                alarms.append(loop.call_later(self.limits.grace, self._overrun))
        except asyncio.CancelledError:
            self._absorb()
        except Exception as error:  # noqa: BLE001  # a plugin may raise anything
            self.error = error
        finally:
            for alarm in alarms:
                alarm.cancel()
            self._return_leases()
        self._ended()

    def _ended(self) -> None:
        if isinstance(self._interrupted, StartTimedOut):
            self.error = self._interrupted
        if self.error is None:
            self._enter(Phase.WAITING)
            return
        if self.phase is Phase.STARTING:
            self._failed_with = (self._started_as, self._held)
            self._enter(Phase.FAILED)
        else:  # it ran and only its release failed: that does not stop the next life
            self._enter(Phase.WAITING)
        self.scope.kernel.problem(self, self.error)

    async def _started(self, value: object) -> None:
        """From the plugin's yield to the moment its own release may begin."""
        await self._swallow_late_interrupt()
        offer = None
        if self.plan.offers is not None and not self._stale():
            offer = Offer(self.plan.offers, value, self.row)
            self.scope.owner_of(offer.key).publish(offer)
        if not self._stale():
            self._enter(Phase.ACTIVE)
        while not self._stale():
            self._wake.clear()
            await self._wake.wait()
        self._enter(Phase.STOPPING)
        if offer is not None:
            self.scope.owner_of(offer.key).withdraw(offer)
            await offer.drained()

    async def _swallow_late_interrupt(self) -> None:
        # An interrupt that arrives when the plugin has just reached its yield must not
        # be thrown into it: code after a bare yield would be skipped.
        if self._interrupted is None:
            return
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self._absorb()
        self._interrupted = None

    def _arguments(self) -> dict[str, object]:
        arguments: dict[str, object] = {
            name: None if offer is None else self.scope.view(offer)
            for name, offer in self._held.items()
        }
        if self.plan.config is not None:
            config = self._config
            if not isinstance(config, self.plan.config):
                config = self.plan.config.model_validate(config or {})
            arguments["config"] = config
        return arguments

    def _take_leases(self) -> None:
        self._leased = [offer for offer in self._held.values() if offer is not None]
        for offer in self._leased:
            offer.take()

    def _return_leases(self) -> None:
        while self._leased:
            self._leased.pop().give_back()

    # -- limits ----------------------------------------------------------------

    def _interrupt(self, reason: BaseException) -> None:
        if self._interrupted is None and self._task is not None:
            self._interrupted = reason
            self._task.cancel()

    def _absorb(self) -> None:
        if self._interrupted is None:
            raise  # noqa: PLE0704  # somebody else's cancellation: called from an except
        if self._task is not None:
            self._task.uncancel()

    def _start_timed_out(self) -> None:
        seconds = self.limits.start
        message = f"{self.row} did not start within {seconds:g} s"
        self._interrupt(StartTimedOut(message))

    def _overrun(self) -> None:
        """The release takes too long: say so, let the others go on, then cancel it.

        The cancellation is delivered once (edge, not level), so clean-up further out in
        the plugin may still await.
        """
        self.overran = True
        self.scope.kernel.problem(self, TimeoutError(f"{self.row} is slow to stop"))
        self._return_leases()
        self._interrupt(asyncio.CancelledError())
        loop = asyncio.get_running_loop()
        loop.call_later(self.limits.abandon, self._abandon)

    def _abandon(self) -> None:
        if self.closing and not self._gone.is_set():
            self.scope.kernel.abandon(self)
            self._leave()
