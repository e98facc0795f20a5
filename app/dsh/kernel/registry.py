"""Contributions under a key, layered by scope: the nearest one wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from dsh.kernel.errors import DuplicateContribution
from dsh.kernel.scope import Scope, Scoped

K = TypeVar("K")
V = TypeVar("V")


class Registry(Scoped, Generic[K, V]):
    """Subclass it, offer one instance, and let plugins contribute with a block::

        class Tools(Registry[str, Tool]): ...

        with tools.add("bash", bash):
            yield

    A contribution belongs to the scope of the plugin that makes it and goes with its
    block. The same key twice in one scope raises :class:`DuplicateContribution`.
    """

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._layers: dict[Scope, dict[K, V]] = {}
        self._watchers: list[Callable[[], None]] = []

    @contextmanager
    def add(self, key: K, value: V) -> Iterator[None]:
        """Contribute ``value`` while the block is open."""
        layer = self._layers.setdefault(self._scope, {})
        if key in layer:
            message = f"{key!r} is already registered in {self._scope.label}"
            raise DuplicateContribution(message)
        layer[key] = value
        self._changed()
        try:
            yield
        finally:
            del layer[key]
            if not layer:
                del self._layers[self._scope]
            self._changed()

    def get(self, key: K) -> V | None:
        """The nearest contribution for ``key``."""
        for scope in self._scope.chain():
            layer = self._layers.get(scope)
            if layer is not None and key in layer:
                return layer[key]
        return None

    def items(self) -> dict[K, V]:
        """All that is visible from here; nearer layers shadow farther ones."""
        merged: dict[K, V] = {}
        for scope in reversed(tuple(self._scope.chain())):
            merged.update(self._layers.get(scope, {}))
        return merged

    @contextmanager
    def watched(self, watcher: Callable[[], None]) -> Iterator[None]:
        """Call ``watcher`` after each change in any scope while the block is open."""
        guarded = self._scope.kernel.contained(watcher)
        self._watchers.append(guarded)
        try:
            yield
        finally:
            self._watchers.remove(guarded)

    def count(self) -> int:
        """How many contributions there are, in all scopes."""
        return sum(len(layer) for layer in self._layers.values())

    def _changed(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()
