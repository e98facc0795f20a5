"""A place where services are offered and looked up: agent, then preset, then global."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeVar

from dsh.kernel.errors import DuplicateProvider, ServiceMissing

if TYPE_CHECKING:
    from dsh.kernel.kernel import Kernel
    from dsh.kernel.mount import Config, Mount
    from dsh.kernel.plugin import Plugin

T = TypeVar("T")


@dataclass(eq=False)
class Offer:
    """A published service and the mounts that use it.

    The provider withdraws it first and ends only when every user has given it back:
    consumers stop before their provider.
    """

    key: type
    value: object
    provider: str
    users: set[Mount] = field(default_factory=set)
    _returned: asyncio.Event = field(default_factory=asyncio.Event)

    def give_back(self, user: Mount) -> None:
        """End one use, if it has not ended before."""
        self.users.discard(user)
        self._returned.set()

    async def drained(self) -> None:
        """Return when nobody uses the value any more."""
        while self.users:
            self._returned.clear()
            await self._returned.wait()


class Scoped:
    """A service that each user sees from its own scope (registries, events)."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def at(self, scope: Scope) -> Self:
        """The same service, seen from ``scope``: a copy that shares what it refers to."""
        view = copy.copy(self)
        view._scope = scope
        return view


@dataclass(eq=False, repr=False)
class Scope:
    """One level of the chain. Lookups go from here to the root, nearest first.

    ``isolate`` names the keys that stay inside; with ``None`` all of them do. A key that
    is not isolated belongs to the nearest scope above that keeps it.
    """

    kernel: Kernel
    label: str
    parent: Scope | None = None
    isolate: frozenset[type] | None = None
    mounts: dict[str, Mount] = field(default_factory=dict)
    _offers: dict[type, Offer] = field(default_factory=dict)
    _reserved: dict[type, Mount] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<scope {self.label}>"

    def chain(self) -> Iterator[Scope]:
        """This scope and those above it, nearest first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def child(self, label: str, isolate: frozenset[type] | None = None) -> Scope:
        """A scope below this one. It needs no closing unless something is mounted."""
        return Scope(self.kernel, label, self, isolate)

    def owner_of(self, key: type) -> Scope:
        """The scope in which ``key`` is offered when it is offered from here."""
        scope = self
        while scope.parent and scope.isolate is not None and key not in scope.isolate:
            scope = scope.parent
        return scope

    def nearest(self, key: type) -> tuple[Offer | None, Mount | None]:
        """The offer in force for ``key`` and the mount that has reserved it, if any.

        A nearer reservation hides a farther offer even before it is active; otherwise
        the result would depend on the order in which plugins start.
        """
        for scope in self.chain():
            offer, mount = scope._offers.get(key), scope._reserved.get(key)
            if offer is not None or mount is not None:
                return offer, mount
        return None, None

    def find(self, key: type[T]) -> T | None:
        """The service now offered for ``key``, seen from here; ``None`` without one."""
        offer, _ = self.nearest(key)
        value = self.view(offer) if offer is not None else None
        assert value is None or isinstance(value, key)
        return value

    def get(self, key: type[T]) -> T:
        """As :meth:`find`, but raises :class:`ServiceMissing`."""
        value = self.find(key)
        if value is None:
            raise ServiceMissing(f"nothing offers {key.__qualname__} in {self.label}")
        return value

    def view(self, offer: Offer) -> object:
        """What a user in this scope receives for an offer."""
        value = offer.value
        return value.at(self.owner_of(offer.key)) if isinstance(value, Scoped) else value

    def mount(self, row: str, plugin: Plugin, config: Config = None) -> Mount:
        """Mount ``plugin`` here under the id ``row``; see :meth:`Kernel.mount`."""
        return self.kernel.mount(self, row, plugin, config)

    @contextmanager
    def offered(self, key: type[T], value: T) -> Iterator[None]:
        """Offer a value that no plugin provides (what the frame itself brings).

        The block does not wait for the users of the value: close their mounts first.
        """
        self._refuse_second(key, self.label)
        offer = Offer(key, value, self.label)
        self.publish(offer)
        try:
            yield
        finally:
            self.withdraw(offer)

    async def close(self) -> None:
        """Close every mount here and below; returns when all are gone."""
        mounts = [m for m in self.kernel._mounts if self in m.scope.chain()]
        for mount in mounts:
            mount.discard()
        for mount in mounts:
            await mount.gone()

    # -- for mounts ------------------------------------------------------------

    def reserve(self, key: type, mount: Mount) -> Mount | None:
        """Keep ``key`` for ``mount``. Returns a closing holder to wait for, if any."""
        self._refuse_second(key, mount.row)
        holder = self._reserved.get(key)
        self._reserved[key] = mount
        return holder

    def release(self, key: type, mount: Mount) -> None:
        """Give a reservation up, unless a successor already holds it."""
        if self._reserved.get(key) is mount:
            del self._reserved[key]

    def publish(self, offer: Offer) -> None:
        """Make an offer visible and wake those who may use it."""
        self._offers[offer.key] = offer
        self.kernel.changed(offer.key, hopes=False)

    def withdraw(self, offer: Offer) -> None:
        """Hide an offer; its users stop and give it back."""
        del self._offers[offer.key]
        self.kernel.changed(offer.key)

    def _refuse_second(self, key: type, row: str) -> None:
        holder = self._reserved.get(key)
        if key in self._offers if holder is None else not holder.closing:
            other = self.label if holder is None else holder.row
            raise DuplicateProvider(f"{row} and {other} both offer {key.__qualname__}")
