"""The session service: creates, opens, lists and closes sessions of one home."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dsh.runtime.session.projection import Projections
from dsh.runtime.session.session import Session


class Sessions:
    """Every live session of this program, and the way to the others."""

    projections: Projections

    @property
    def live(self) -> Mapping[str, Session]:
        """The sessions that are open here, by id."""
        raise NotImplementedError

    async def create(
        self,
        cwd: Path,
        *,
        preset: str | None = None,
        parent: str | None = None,
        id: str | None = None,  # noqa: A002  # the word the header uses
    ) -> Session:
        """A new session. Nothing is on disk before its first event."""
        raise NotImplementedError

    async def open(self, id: str) -> Session:  # noqa: A002  # the word the header uses
        """Resume a session (or return the live one).

        Takes its lock, repairs a torn tail and closes what a crash left open. A session
        that another program holds, or that is damaged, comes read-only; its
        ``read_only`` says why. Raises :class:`~dsh.errors.DataError` with code
        SESSION_NOT_FOUND, SESSION_DAMAGED (not even a header) or FORMAT_NEWER.
        """
        raise NotImplementedError

    async def inspect(self, id: str) -> Session:  # noqa: A002  # the word the header uses
        """A read-only view of a session; takes no lock and writes nothing."""
        raise NotImplementedError

    async def close(self, session: Session) -> None:
        """Write everything, release the lock, forget the session."""
        raise NotImplementedError

    async def find(self, id: str) -> Path | None:  # noqa: A002  # the word the header uses
        """The folder of a stored session."""
        raise NotImplementedError
