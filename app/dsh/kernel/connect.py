"""Ways to connect without a reference: facts, decisions and contributions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from dsh.kernel.errors import DuplicateContribution
from dsh.kernel.scope import Scope, Scoped

E = TypeVar("E")
P = TypeVar("P")
R = TypeVar("R")
K = TypeVar("K")
V = TypeVar("V")

Listener = Callable[[E], None]
Next = Callable[[P], Awaitable[R]]
Wrapper = Callable[[P, Next[P, R]], Awaitable[R]]
Block = AbstractContextManager[None]


@dataclass(frozen=True, eq=False)
class Hook(Generic[P, R]):
    """A decision about a ``P`` that ends in an ``R``. The object is the key."""

    name: str


class Events(Scoped):
    """Facts and decisions: they reach their own scope and those above, no siblings."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        # By topic or hook. Any: the methods below tie the types of the two.
        self._rows: WeakKeyDictionary[object, list[tuple[Scope, Callable[..., Any]]]]
        self._rows = WeakKeyDictionary()

    def on(self, topic: type[E], listener: Listener[E]) -> Block:
        """Call ``listener`` for each fact of this very type while the block is open."""
        guarded = self._scope.kernel.contained(listener)
        return _listed(self._rows.setdefault(topic, []), (self._scope, guarded))

    def emit(self, fact: object) -> None:
        """Tell a fact. Listeners run at once, in order of registration, contained."""
        for scope, listener in tuple(self._rows.get(type(fact), ())):
            if scope in self._scope.chain():
                listener(fact)

    def wrap(self, hook: Hook[P, R], wrapper: Wrapper[P, R]) -> Block:
        """Put ``wrapper`` around a decision while the block is open."""
        return _listed(self._rows.setdefault(hook, []), (self._scope, wrapper))

    async def run(self, hook: Hook[P, R], payload: P, core: Next[P, R]) -> R:
        """Decide. Outermost is the farthest scope's first wrapper; errors propagate."""
        rows = self._rows.get(hook, [])
        chain = self._scope.chain()
        for wrapper in [w for near in chain for at, w in reversed(rows) if at is near]:
            core = _bind(wrapper, core)
        return await core(payload)


def _bind(wrapper: Wrapper[P, R], following: Next[P, R]) -> Next[P, R]:
    return lambda payload: wrapper(payload, following)


@contextmanager
def _listed(rows: list[V], row: V) -> Iterator[None]:
    rows.append(row)
    try:
        yield
    finally:
        rows.remove(row)


class Registry(Scoped, Generic[K, V]):
    """Contributions under a key, the nearest scope's first. Subclass it to offer it."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._layers: dict[Scope, dict[K, V]] = {}
        self._watchers: list[Callable[[], None]] = []

    @contextmanager
    def add(self, key: K, value: V) -> Iterator[None]:
        """Contribute ``value``; :class:`DuplicateContribution` if this layer has one."""
        layer = self._layers.setdefault(self._scope, {})
        if key in layer:
            raise DuplicateContribution(f"{self._scope.label} already has {key!r}")
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
        return self.items().get(key)

    def items(self) -> dict[K, V]:
        """All that is visible from here; nearer layers shadow farther ones."""
        merged: dict[K, V] = {}
        for scope in reversed(tuple(self._scope.chain())):
            merged.update(self._layers.get(scope, {}))
        return merged

    def watched(self, watcher: Callable[[], None]) -> Block:
        """Call ``watcher`` after each change in any scope while the block is open."""
        return _listed(self._watchers, self._scope.kernel.contained(watcher))

    def _changed(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()
