"""One session: its committed events, what is derived from them, and how to add more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from dsh.data.events import Event, Header, SurfaceOp
from dsh.data.messages import Message, Usage
from dsh.runtime.session.projection import Projection
from dsh.runtime.session.surface import Surface

S = TypeVar("S")
Listener = Callable[[Event], None]


class Session:
    """A live session. Made by :class:`~dsh.runtime.session.Sessions` only.

    Everything here is used from the loop's thread.
    """

    header: Header
    surface: Surface
    read_only: str | None  # why nothing can be appended, in words for a person

    @property
    def id(self) -> str:
        """The session's id."""
        raise NotImplementedError

    @property
    def cwd(self) -> Path:
        """The workspace folder."""
        raise NotImplementedError

    @property
    def tip(self) -> int:
        """The seq of the last committed event; -1 without any."""
        raise NotImplementedError

    def append(
        self,
        type_: str,
        data: dict[str, Any],  # Any: JSON whose shape the schema of its type fixes
        *,
        surface_op: SurfaceOp | None = None,
        sources: Sequence[int] | None = None,
        ignorable: bool = False,
    ) -> Event:
        """Commit one event: visible at once, on disk a moment later.

        ``surface_op`` defaults to an append for the three surface types. Raises
        :class:`~dsh.errors.DataError`: SESSION_READ_ONLY, SESSION_WRITE_FAILED,
        SESSION_REENTRANT (a listener tried to append), EVENT_UNKNOWN, EVENT_NOT_JSON,
        EVENT_INVALID (surface rule, or in strict mode schema and order). A refused
        event leaves no trace.
        """
        raise NotImplementedError

    def listen(self, listener: Listener) -> AbstractContextManager[None]:
        """Call ``listener`` after each commit while the block is open; contained."""
        raise NotImplementedError

    async def flush(self) -> None:
        """Return when everything committed so far is on disk (survives a power cut).

        Raises :class:`~dsh.errors.DataError` with code SESSION_WRITE_FAILED.
        """
        raise NotImplementedError

    async def read(self, start: int, limit: int) -> list[Event]:
        """Up to ``limit`` events from seq ``start`` on; fewer only at the end."""
        raise NotImplementedError

    async def refresh(self) -> int:
        """For a session that another program writes: take in what is new there.

        Returns the number of new events; 0 for a session of our own.
        """
        raise NotImplementedError

    def state(self, projection: Projection[S]) -> S:
        """The current state of a projection that this session keeps."""
        raise NotImplementedError

    async def ensure(self, projection: Projection[S]) -> S:
        """As :meth:`state`, but folds the log first when it is not kept yet."""
        raise NotImplementedError

    @property
    def title(self) -> str | None:
        """The title in force."""
        raise NotImplementedError

    @property
    def turn(self) -> int:
        """The number of the last turn; 0 before the first."""
        raise NotImplementedError

    @property
    def open_turn(self) -> int | None:
        """The turn that is open."""
        raise NotImplementedError

    @property
    def open_step(self) -> int | None:
        """The step that is open."""
        raise NotImplementedError

    @property
    def request_header(self) -> dict[str, Any] | None:
        """The last `EpochHeader`. Any: validated when it was written."""
        raise NotImplementedError

    @property
    def request_context(self) -> dict[str, Any] | None:
        """The last data of `request/context`. Any: validated when it was written."""
        raise NotImplementedError

    @property
    def next_turn(self) -> list[Message]:
        """The inbox of prompts that wait for a turn of their own. Not to be changed."""
        raise NotImplementedError

    @property
    def next_step(self) -> list[Message]:
        """The inbox of messages for the next step boundary. Not to be changed."""
        raise NotImplementedError

    @property
    def sandbox_mode(self) -> str | None:
        """The sandbox mode that was last set."""
        raise NotImplementedError

    @property
    def approval_policy(self) -> str | None:
        """The approval policy that was last set."""
        raise NotImplementedError

    @property
    def preset(self) -> str | None:
        """The agent preset in force: the one selected last, else the header's."""
        raise NotImplementedError

    @property
    def usage(self) -> Usage:
        """Tokens of all requests so far, failed ones included."""
        raise NotImplementedError

    @property
    def blank(self) -> bool:
        """Whether no user message was logged or queued yet."""
        raise NotImplementedError

    @property
    def open_approvals(self) -> dict[str, dict[str, Any]]:
        """Data of `approval/asked` without an answer, by approval id."""
        raise NotImplementedError
