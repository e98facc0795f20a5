"""Read models of a session: states folded from its events, one event at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from dsh.data.events import Event
from dsh.kernel import DuplicateContribution

S = TypeVar("S")


class Projection(Generic[S]):
    """A state folded from events. The object is its own key for typed look-ups.

    ``init()`` gives the state before any event and ``apply(state, event)`` the next one.
    ``apply`` is pure and fast, must return the *same* object when nothing changed, and
    never changes a state in place. A state is plain JSON, because snapshots of it are
    stored; raise ``version`` whenever the meaning of stored states changes. ``types``
    names the event types it looks at; ``None`` means all (dear: chunks are many).
    """

    __slots__ = ("apply", "init", "key", "types", "version")

    def __init__(
        self,
        key: str,
        version: int,
        init: Callable[[], S],
        apply: Callable[[S, Event], S],
        types: frozenset[str] | None = None,
    ) -> None:
        self.key = key
        self.version = version
        self.init = init
        self.apply = apply
        self.types = types


class Projections:
    """The projections that every session keeps up to date, by key.

    ``added`` is told of each new one. A session that is open when one is removed keeps
    folding it until it is closed, so that its last snapshot is complete.
    """

    def __init__(
        self,
        always: tuple[Projection[Any], ...],  # Any: they stand side by side
        added: Callable[[Projection[Any]], None],  # Any: as above
    ) -> None:
        self._always = always
        self._present: dict[str, list[Projection[Any]]] = {}  # Any: as above
        self._added = added

    @contextmanager
    def add(self, projection: Projection[Any]) -> Iterator[None]:  # Any: as above
        """Keep ``projection`` in every session while the block is open.

        Several plugins may add the same object; another one with its key raises
        :class:`DuplicateContribution`.
        """
        key = projection.key
        present = self._present.get(key, [])
        taken = any(key == core.key for core in self._always)
        if taken or any(other is not projection for other in present):
            raise DuplicateContribution(f"there is another projection {key!r}")
        self._present[key] = [*present, projection]
        if not present:
            self._added(projection)
        try:
            yield
        finally:
            self._present[key].pop()
            if not self._present[key]:
                del self._present[key]

    def __iter__(self) -> Iterator[Projection[Any]]:  # Any: as above
        yield from self._always
        for present in tuple(self._present.values()):
            yield present[0]
