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
    """A published service. Its provider ends when it is withdrawn and nobody uses it."""

    key: type
    value: object
    provider: str
    users: set[Mount] = field(default_factory=set)
    returned: asyncio.Event = field(default_factory=asyncio.Event)

    async def drained(self) -> None:
        while self.users:
            self.returned.clear()
            await self.returned.wait()


class Scoped:
    """A service that each user sees from its own scope (registries, events)."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def at(self, scope: Scope) -> Self:
        """The same service, seen from ``scope``: a copy that shares what it refers to."""
        view = copy.copy(self)
        view._scope = scope
        return view


@dataclass(eq=False)
class Scope:
    """One level of the chain. Lookups go from here to the root, nearest first.

    ``isolate`` names the keys that stay inside; with ``None`` all of them do. A key that
    is not isolated belongs to the nearest scope above that keeps it.
    """

    kernel: Kernel = field(repr=False)
    label: str
    parent: Scope | None = None
    isolate: frozenset[type] | None = None
    mounts: dict[str, Mount] = field(default_factory=dict, repr=False)
    _offers: dict[type, Offer] = field(default_factory=dict, repr=False)
    _reserved: dict[type, Mount] = field(default_factory=dict, repr=False)

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

        A reservation hides what is farther; else the order of starts would matter.
        """
        for scope in self.chain():
            offer, mount = scope._offers.get(key), scope._reserved.get(key)
            if offer is not None or mount is not None:
                return offer, mount
        return None, None

    def find(self, key: type[T]) -> T | None:
        """The service now offered for ``key``, seen from here; ``None`` without one."""
        value = self.view(self.nearest(key)[0])
        assert value is None or isinstance(value, key)
        return value

    def get(self, key: type[T]) -> T:
        """As :meth:`find`, but raises :class:`ServiceMissing`."""
        if (value := self.find(key)) is None:
            raise ServiceMissing(f"nothing offers {key.__qualname__} in {self.label}")
        return value

    def view(self, offer: Offer | None) -> object:
        """What a user in this scope receives for an offer."""
        value = offer.value if offer is not None else None
        if offer is not None and isinstance(value, Scoped):
            return value.at(self.owner_of(offer.key))
        return value

    def mount(self, row: str, plugin: Plugin, config: Config = None) -> Mount:
        """Mount ``plugin`` here under the id ``row``; see :meth:`Kernel.mount`."""
        return self.kernel.mount(self, row, plugin, config)

    async def close(self) -> None:
        """Close every mount here and below; returns when all are gone."""
        mounts = [each for each in self.kernel.mounts if self in each.scope.chain()]
        for mount in mounts:
            mount.discard()
        for mount in mounts:
            await mount.gone()

    @contextmanager
    def offered(self, key: type[T], value: T) -> Iterator[None]:
        """Offer a value of the frame's own. Close the mounts that use it first."""
        self.reserve(key, self.label)
        offer = self.publish(key, value, self.label)
        try:
            yield
        finally:
            self.withdraw(offer)

    def reserve(self, key: type, row: str, mount: Mount | None = None) -> Mount | None:
        """Keep a key, or refuse. Returns a closing holder to wait for, if any."""
        owner = self.owner_of(key)
        holder = owner._reserved.get(key)
        if not holder.closing if holder is not None else key in owner._offers:
            other = holder.row if holder is not None else owner.label
            raise DuplicateProvider(f"{row} and {other} both offer {key.__qualname__}")
        if mount is not None:
            owner._reserved[key] = mount
        return holder

    def forget(self, mount: Mount) -> None:
        """Give up the row and key of a mount, unless a successor already holds them."""
        key = mount.plan.offers
        if self.mounts.get(mount.row) is mount:
            del self.mounts[mount.row]
        if key is not None and self.owner_of(key)._reserved.get(key) is mount:
            del self.owner_of(key)._reserved[key]

    def publish(self, key: type, value: object, row: str) -> Offer:
        """Make an offer and wake those who may use it."""
        offer = self.owner_of(key)._offers[key] = Offer(key, value, row)
        self.kernel.changed(key, hopes=False)
        return offer

    def withdraw(self, offer: Offer) -> None:
        """Hide an offer; its users stop and give it back."""
        offers = self.owner_of(offer.key)._offers
        if offers.get(offer.key) is offer:
            del offers[offer.key]
        self.kernel.changed(offer.key)
