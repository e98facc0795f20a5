"""One plugin in one place, whose whole life belongs to one task."""

from __future__ import annotations

import asyncio
import enum
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import anyio
from pydantic import BaseModel

from dsh.kernel.errors import NotAPlugin, StartTimedOut, StopTimedOut
from dsh.kernel.plugin import Need, Plugin
from dsh.kernel.scope import Offer, Scope

Config = BaseModel | Mapping[str, object] | None
Held = dict[str, Offer | None]

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

    It waits for its needs, runs, and stops when a need changes, when its config changes
    or when it is closed. A failed mount keeps its error and tries again only when its
    config or a need changes, or when :meth:`restart` is called.
    """

    scope: Scope
    row: str
    plugin: Plugin
    config: Config
    limits: Limits
    phase: Phase = Phase.WAITING
    error: BaseException | None = None
    overran: bool = False
    closing: bool = False  # on its way out for good
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _gone: asyncio.Event = field(default_factory=asyncio.Event)
    _held: Held = field(default_factory=dict)  # by the present life, or the failed one
    _outdated: bool = False  # that life or failure is to be replaced
    _interrupted: bool = False  # a cancellation of ours may be on its way
    _hung: bool = False  # it ignored the cancellation
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self.plan = self.plugin.plan()
        self.needs = tuple(self.plan.needs.values())
        self.since = asyncio.get_running_loop().time()

    def discard(self) -> None:
        """Ask the mount to stop for good; :meth:`gone` waits for it."""
        self.closing = True
        if self._hung:
            self._leave()
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
        self.config = config
        self.restart()

    def restart(self) -> None:
        """Start again, also after a failure."""
        self._outdated = True
        self.poke()

    async def settled(self) -> None:
        """Return when the mount is active, failed or gone, or cannot start for now."""
        await self.scope.kernel.settled(self)

    def look(self, key: type) -> tuple[Offer | None, Mount | None]:
        """As :meth:`Scope.nearest`; what a mount offers itself it finds above."""
        own = key is self.plan.offers
        scope = self.scope.owner_of(key).parent if own else self.scope
        return scope.nearest(key) if scope is not None else (None, None)

    def nearest(self, need: Need) -> tuple[Offer | None, Mount | None]:
        """What meets a need, and who provides it or is going to.

        An optional need finds nothing when its provider needs this mount in turn: they
        would wait for, or restart, each other for ever.
        """
        offer, provider = self.look(need.key)
        if need.optional and provider and self in self.scope.kernel.behind(provider):
            return None, None
        return offer, provider

    def missing(self) -> dict[str, str]:
        """What it waits for: key name → the row that should offer it, or "".

        That includes an optional need whose provider is coming: so nothing starts twice.
        """
        return {
            need.key.__qualname__: provider.row if provider else ""
            for need in self.needs
            for offer, provider in [self.nearest(need)]
            if offer is None and (not need.optional or (provider and provider.coming()))
        }

    def coming(self, known: dict[Mount, bool] | None = None) -> bool:
        """Whether it is active or is going to be without anybody's doing."""
        known = {} if known is None else known
        if self in known:
            return known[self]
        known[self] = False  # whoever needs itself never comes
        if (
            self.closing
            or self._hung
            or (self.phase is Phase.FAILED and not self.stale())
        ):
            return False
        known[self] = self.phase in (Phase.STARTING, Phase.ACTIVE) or all(
            need.optional or offer or (provider and provider.coming(known))
            for need in self.needs
            for offer, provider in [self.look(need.key)]
        )
        return known[self]

    def stale(self) -> bool:
        """Whether the present life, or the last failure, is no longer the right one."""
        return self.closing or self._outdated or self._found() != self._held

    def moving(self) -> bool:
        """Whether something is about to happen to it without anybody's doing."""
        if self._hung or self.phase is Phase.GONE:
            return False
        if self.phase is Phase.WAITING and not self.closing:
            return self.coming()
        return self.phase in (Phase.STARTING, Phase.STOPPING) or self.stale()

    def _found(self) -> Held:
        return {name: self.nearest(need)[0] for name, need in self.plan.needs.items()}

    # -- its life --------------------------------------------------------------

    def begin(self, predecessors: list[Mount]) -> asyncio.Task[None]:
        """Start the task that owns this mount. The kernel calls it once and owns it."""
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._run(predecessors), name=f"mount {self.row}")
        return self._task

    def poke(self) -> None:
        """Something this mount depends on may have changed."""
        self._wake.set()
        if self.phase is Phase.STARTING and self.stale():
            self._outdated = True
            self._interrupt()

    async def _run(self, predecessors: list[Mount]) -> None:
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
                    await self._life()
                else:
                    await self._wake.wait()
        finally:
            self._leave()

    async def _life(self) -> None:
        self._outdated, self.error = False, None
        self._held = self._found()
        for offer in filter(None, self._held.values()):
            offer.users.add(self)
        self._enter(Phase.STARTING)
        late = StartTimedOut(f"{self.row} did not start in {self.limits.start:g} s")
        self._alarm(self.limits.start, partial(self._interrupt, late))
        error: BaseException | None = None
        try:
            async with self.plugin.enter(self._arguments()) as value:
                self._alarm()
                await self._calm()  # code after a bare yield must not be skipped
                await self._serve(value)
        except asyncio.CancelledError:
            if self._task.cancelling() > int(self._interrupted):
                raise  # somebody ends this task: the loop is stopping
            error = self.error
        except (Exception, SystemExit, BaseExceptionGroup) as raised:  # noqa: BLE001  # a plugin may raise anything
            error = _only(raised)
        finally:
            self._alarm()
            self._return_leases()
        await self._calm()
        self._ended(error)

    async def _serve(self, value: object) -> None:
        """From the plugin's yield to the moment its own release may begin."""
        offer = None
        key = self.plan.offers
        try:
            if key is not None and not self.stale():
                if not isinstance(value, key):
                    raise NotAPlugin(f"{self.row} yielded a {type(value).__qualname__}")
                offer = Offer(key, value, self.row)
                self.scope.owner_of(key).publish(offer)
            if not self.stale():
                self._enter(Phase.ACTIVE)
            while not self.stale():
                self._wake.clear()
                await self._wake.wait()
            self._outdated = True
        finally:
            self._enter(Phase.STOPPING)
            if offer is not None:
                self.scope.owner_of(offer.key).withdraw(offer)
                # A failure may have cancelled the plugin's own task group; its consumers
                # stop before it all the same.
                with anyio.CancelScope(shield=True):
                    await offer.drained()
            slow = StopTimedOut(f"{self.row} is slow to stop")
            self._alarm(self.limits.grace, partial(self._interrupt, slow))

    def _ended(self, error: BaseException | None) -> None:
        stale = self.stale()  # then an error does not stand in the way of the next life
        if error is None and not stale:
            error = NotAPlugin(f"{self.row} ended although nobody asked it to")
        self._hung = False
        self._enter(Phase.WAITING if stale else Phase.FAILED)
        if error is not None and error is not self.error:
            self._tell(error)

    def _leave(self) -> None:
        if not self._gone.is_set():
            self._alarm()
            self._return_leases()
            self._enter(Phase.GONE)
            self.scope.kernel.forget(self, abandoned=self._hung)
            self._gone.set()

    def _enter(self, phase: Phase) -> None:
        if self._gone.is_set():
            return  # it was abandoned; nobody may take it for alive again
        if phase in (Phase.WAITING, Phase.GONE):
            self._held = {}  # keeps nothing of another plugin alive
        self.phase = phase
        self.since = asyncio.get_running_loop().time()
        self.scope.kernel.phase_changed(self)

    def _arguments(self) -> dict[str, object]:
        arguments: dict[str, object] = {
            name: self.scope.view(offer) if offer is not None else None
            for name, offer in self._held.items()
        }
        schema, config = self.plan.config, self.config
        if schema is not None:
            typed = isinstance(config, schema)
            arguments["config"] = config if typed else schema.model_validate(config or {})
        elif config:
            raise NotAPlugin(f"{self.plugin.name} takes no config")
        return arguments

    def _return_leases(self) -> None:
        for offer in filter(None, self._held.values()):
            offer.give_back(self)

    def _tell(self, error: BaseException) -> None:
        self.error = error
        self.scope.kernel.problem(self, error)

    # -- limits ----------------------------------------------------------------

    def _alarm(
        self, seconds: float = 0, action: Callable[[], None] | None = None
    ) -> None:
        """Set the timer anew; without an action, only stop it."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(seconds, action) if action is not None else None

    def _interrupt(self, reason: StartTimedOut | StopTimedOut | None = None) -> None:
        """Cancel the task once: clean-up further out in the plugin may still await."""
        if self._interrupted:
            return
        self._interrupted = True
        self._task.cancel()
        self._alarm(self.limits.abandon, self._give_up)
        if self.phase is Phase.STOPPING:
            self.overran = True
            self._return_leases()  # the others go on without it
        if reason is not None:
            self._tell(reason)

    def _give_up(self) -> None:
        """The plugin ignores its cancellation: go on without it."""
        self._hung = True
        self._return_leases()
        if self.error is None:
            self._tell(StopTimedOut(f"{self.row} ignores its cancellation"))
        if self.closing:
            self._leave()
        else:
            self._enter(Phase.FAILED)

    async def _calm(self) -> None:
        """Take an interrupt back, whether or not it has been delivered."""
        if self._interrupted:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
            self._interrupted = False
            if self._task.uncancel():
                raise asyncio.CancelledError  # there was another one, not ours


def _only(error: BaseException) -> BaseException:
    """The one error in a task group's wrapping; a true group stays as it is."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
