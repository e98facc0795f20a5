"""Read models of a session: states folded from its events, one event at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from dsh.data.events import Event
from dsh.kernel import Registry

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


class Projections(Registry[str, Projection[object]]):
    """The projections that every session keeps up to date, by key."""
