"""Two ways to connect that need no reference: facts to listen to, decisions to wrap.

The dataclass of a fact is its topic; errors of listeners are contained. A hook is a
decision that passes through around-wrappers with ``call_next``; errors propagate.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Self, TypeVar

from dsh.kernel.scope import Scope, Scoped

E = TypeVar("E")
P = TypeVar("P")
R = TypeVar("R")

Listener = Callable[[E], None]
Next = Callable[[P], Awaitable[R]]
Wrapper = Callable[[P, Next[P, R]], Awaitable[R]]


class Hook(Generic[P, R]):
    """A decision about a ``P`` that ends in an ``R``. The object is the key."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<hook {self.name}>"


class Events(Scoped):
    """Facts and hooks, seen from one scope.

    What is emitted or run in a scope reaches the listeners and wrappers of that scope
    and of those above it; siblings never hear of it.
    """

    def __init__(self, scope: Scope, failed: Callable[[Exception], None]) -> None:
        self._scope = scope
        self._failed = failed
        # Any: each list belongs to one topic or hook, whose type argument the public
        # methods tie to the callable they store.
        self._listeners: dict[type, list[tuple[Scope, Listener[Any]]]] = {}
        self._wrappers: dict[object, list[tuple[Scope, Wrapper[Any, Any]]]] = {}

    def at(self, scope: Scope) -> Self:
        """The same events, seen from ``scope``."""
        view = copy.copy(self)
        view._scope = scope
        return view

    @contextmanager
    def on(self, topic: type[E], listener: Listener[E]) -> Iterator[None]:
        """Call ``listener`` for each fact of this type while the block is open."""
        with _entry(self._listeners, topic, (self._scope, listener)):
            yield

    def emit(self, fact: object) -> None:
        """Tell a fact. Listeners run at once, in order of registration, contained."""
        reached = set(self._scope.chain())
        for scope, listener in tuple(self._listeners.get(type(fact), ())):
            if scope in reached:
                try:
                    listener(fact)
                except Exception as error:  # noqa: BLE001  # one bad listener starves nobody
                    self._failed(error)

    @contextmanager
    def wrap(self, hook: Hook[P, R], wrapper: Wrapper[P, R]) -> Iterator[None]:
        """Put ``wrapper`` around a decision while the block is open."""
        with _entry(self._wrappers, hook, (self._scope, wrapper)):
            yield

    async def run(self, hook: Hook[P, R], payload: P, core: Next[P, R]) -> R:
        """Decide: outermost is the farthest scope's first wrapper, innermost ``core``."""
        depth = {scope: rank for rank, scope in enumerate(self._scope.chain())}
        rows = [row for row in self._wrappers.get(hook, ()) if row[0] in depth]
        rows.sort(key=lambda row: -depth[row[0]])  # stable: registration order inside
        step = core
        for _, wrapper in reversed(rows):
            step = _bind(wrapper, step)
        return await step(payload)

    def count(self) -> int:
        """How many listeners and wrappers are registered, in all scopes."""
        tables = (self._listeners.values(), self._wrappers.values())
        return sum(len(rows) for table in tables for rows in table)


def _bind(wrapper: Wrapper[P, R], following: Next[P, R]) -> Next[P, R]:
    async def step(payload: P) -> R:
        return await wrapper(payload, following)

    return step


K = TypeVar("K")
V = TypeVar("V")


@contextmanager
def _entry(table: dict[K, list[V]], key: K, value: V) -> Iterator[None]:
    table.setdefault(key, []).append(value)
    try:
        yield
    finally:
        rows = table[key]
        rows.remove(value)
        if not rows:
            del table[key]
