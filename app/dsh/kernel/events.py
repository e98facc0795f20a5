"""Two ways to connect that need no reference: facts to listen to, decisions to wrap.

The dataclass of a fact is its topic; errors of listeners are contained. A hook is a
decision that passes through around-wrappers with ``call_next``; errors propagate.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar

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

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        # Any: rows belong to one topic or hook, whose types the methods below tie.
        self._rows: dict[object, list[tuple[Scope, Callable[..., Any]]]] = {}

    def on(self, topic: type[E], listener: Listener[E]) -> AbstractContextManager[None]:
        """Call ``listener`` for each fact of this very type while the block is open."""
        return self._registered(topic, self._scope.kernel.contained(listener))

    def emit(self, fact: object) -> None:
        """Tell a fact. Listeners run at once, in order of registration, contained."""
        rows = self._rows.get(type(fact), ())
        reached = set(self._scope.chain()) if rows else ()
        for scope, listener in tuple(rows):
            if scope in reached:
                listener(fact)

    def wrap(
        self, hook: Hook[P, R], wrapper: Wrapper[P, R]
    ) -> AbstractContextManager[None]:
        """Put ``wrapper`` around a decision while the block is open."""
        return self._registered(hook, wrapper)

    async def run(self, hook: Hook[P, R], payload: P, core: Next[P, R]) -> R:
        """Decide: outermost is the farthest scope's first wrapper, innermost ``core``."""
        rows = self._rows.get(hook, ())
        step = core
        for scope in self._scope.chain():
            for place, wrapper in reversed(rows):
                if place is scope:
                    step = _bind(wrapper, step)
        return await step(payload)

    def count(self) -> int:
        """How many listeners and wrappers are registered, in all scopes."""
        return sum(map(len, self._rows.values()))

    @contextmanager
    def _registered(self, key: object, call: Callable[..., Any]) -> Iterator[None]:
        rows, row = self._rows.setdefault(key, []), (self._scope, call)
        rows.append(row)
        try:
            yield
        finally:
            rows.remove(row)
            if not rows:
                del self._rows[key]


def _bind(wrapper: Wrapper[P, R], following: Next[P, R]) -> Next[P, R]:
    async def step(payload: P) -> R:
        return await wrapper(payload, following)

    return step
