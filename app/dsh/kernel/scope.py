"""A place where services are offered and looked up: agent, then preset, then global."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self, TypeVar

from dsh.kernel.errors import DuplicateProvider, ServiceMissing
from dsh.kernel.offer import Offer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from dsh.kernel.kernel import Kernel
    from dsh.kernel.mount import Mount
    from dsh.kernel.plugin import Plugin

T = TypeVar("T")


class Scoped(ABC):
    """A service that each user sees from its own scope (registries, events)."""

    @abstractmethod
    def at(self, scope: Scope) -> Self:
        """The same service, seen from and contributing to ``scope``."""


class Scope:
    """One level of the chain. Lookups go from here to the root, nearest first.

    ``isolate`` names the keys that stay inside; with ``None`` all of them do. A key that
    is not isolated belongs to the nearest scope above that keeps it.
    """

    def __init__(
        self,
        kernel: Kernel,
        label: str,
        parent: Scope | None = None,
        isolate: frozenset[type] | None = None,
    ) -> None:
        self.kernel = kernel
        self.label = label
        self.parent = parent
        self.mounts: dict[str, Mount] = {}
        self._isolate = isolate
        self._offers: dict[type, Offer] = {}
        self._reserved: dict[type, Mount] = {}

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
        for scope in self.chain():
            if scope.parent is None or scope._isolate is None or key in scope._isolate:
                return scope
        raise AssertionError("a chain always ends in a root")

    def nearest(self, key: type) -> tuple[Offer | None, Mount | None]:
        """The offer in force for ``key``, or the mount that has reserved it, or neither.

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
        if offer is None:
            return None
        value = self.view(offer)
        assert isinstance(value, key)
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

    def mount(
        self,
        row: str,
        plugin: Plugin,
        config: BaseModel | Mapping[str, object] | None = None,
    ) -> Mount:
        """Mount ``plugin`` here under the id ``row``; see :meth:`Kernel.mount`."""
        return self.kernel.mount(self, row, plugin, config)

    @contextmanager
    def offered(self, key: type[T], value: T) -> Iterator[None]:
        """Offer a value that no plugin provides (what the frame itself brings)."""
        self.publish(Offer(key, value, self.label))
        try:
            yield
        finally:
            self.withdraw(self._offers[key])

    # -- for mounts ------------------------------------------------------------

    def reserve(self, key: type, mount: Mount) -> Mount | None:
        """Keep ``key`` for ``mount``. Returns a closing holder to wait for, if any."""
        holder = self._reserved.get(key)
        taken = holder is not None and not holder.closing
        if taken or (holder is None and key in self._offers):
            other = holder.row if holder is not None else self.label
            message = f"{mount.row} and {other} both offer {key.__qualname__}"
            raise DuplicateProvider(message)
        self._reserved[key] = mount
        return holder

    def release(self, key: type, mount: Mount) -> None:
        """Give a reservation up, unless a successor already holds it."""
        if self._reserved.get(key) is mount:
            del self._reserved[key]
            self.kernel.poke(key, spread=True)

    def publish(self, offer: Offer) -> None:
        """Make an offer visible and wake those who may use it."""
        self._offers[offer.key] = offer
        self.kernel.poke(offer.key)

    def withdraw(self, offer: Offer) -> None:
        """Hide an offer; its users stop and return their leases."""
        del self._offers[offer.key]
        self.kernel.poke(offer.key)

    async def close(self) -> None:
        """Close every mount of this scope and return when all are gone."""
        for mount in tuple(self.mounts.values()):
            mount.discard()
        for mount in tuple(self.mounts.values()):
            await mount.gone()
