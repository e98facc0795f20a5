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

    ``changed`` is told of each one that comes (True) or goes (False).
    """

    # Any: projections of different states stand side by side here.

    def __init__(
        self,
        always: tuple[Projection[Any], ...],  # Any: as above
        changed: Callable[[Projection[Any], bool], None],  # Any: as above
    ) -> None:
        self._always = always
        self._added: dict[str, tuple[Projection[Any], int]] = {}  # Any: as above
        self._changed = changed

    @contextmanager
    def add(self, projection: Projection[Any]) -> Iterator[None]:  # Any: as above
        """Keep ``projection`` in every session while the block is open.

        Several plugins may add the same object; another one with its key raises
        :class:`DuplicateContribution`.
        """
        key = projection.key
        present, users = self._added.get(key, (projection, 0))
        if present is not projection or any(key == p.key for p in self._always):
            raise DuplicateContribution(f"there is another projection {key!r}")
        self._added[key] = (projection, users + 1)
        if users == 0:
            self._changed(projection, True)  # noqa: FBT003  # a callback of ours
        try:
            yield
        finally:
            self._remove(projection)

    def __iter__(self) -> Iterator[Projection[Any]]:  # Any: as above
        yield from self._always
        for projection, _ in tuple(self._added.values()):
            yield projection

    def _remove(self, projection: Projection[Any]) -> None:  # Any: as above
        _, users = self._added.pop(projection.key)
        if users > 1:
            self._added[projection.key] = (projection, users - 1)
        else:
            self._changed(projection, False)  # noqa: FBT003  # a callback of ours
