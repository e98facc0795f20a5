"""What the session service tells: facts for listeners of :class:`dsh.kernel.Events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsh.data.events import Event
    from dsh.errors import DataError
    from dsh.runtime.session.session import Session


class SessionOpened:
    """A session is live in this program: created, resumed, or followed read-only."""

    __slots__ = ("session",)

    def __init__(self, session: Session) -> None:
        self.session = session


class SessionClosed:
    """A session is written, released and no longer live here."""

    __slots__ = ("session",)

    def __init__(self, session: Session) -> None:
        self.session = session


class SessionAppended:
    """An event was committed; told after the session's own listeners."""

    __slots__ = ("event", "session")

    def __init__(self, session: Session, event: Event) -> None:
        self.session = session
        self.event = event


class SessionStopped:
    """A write failed: what is in memory stays readable, nothing more can be appended."""

    __slots__ = ("error", "session")

    def __init__(self, session: Session, error: DataError) -> None:
        self.session = session
        self.error = error


class SessionsChanged:
    """The catalogue found sessions on disk that it did not know, or lost some."""

    __slots__ = ("added", "removed")

    def __init__(self, added: list[str], removed: list[str]) -> None:
        self.added = added
        self.removed = removed
