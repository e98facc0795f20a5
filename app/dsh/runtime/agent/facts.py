"""What the agents tell: facts for listeners of :class:`dsh.kernel.Events`."""

from __future__ import annotations

from typing import Literal

from dsh.data.messages import LlmFailure

Status = Literal["idle", "running"]


class AgentCreated:
    """An agent is live; ``source`` tells whether its session is new."""

    __slots__ = ("session_id", "source")

    def __init__(self, session_id: str, source: Literal["startup", "resume"]) -> None:
        self.session_id = session_id
        self.source = source


class AgentDisposed:
    """An agent is gone; its session is closed."""

    __slots__ = ("session_id",)

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id


class AgentStatus:
    """An agent started or stopped working, or entered another turn or step."""

    __slots__ = ("session_id", "status", "step", "turn")

    def __init__(
        self, session_id: str, status: Status, turn: int | None, step: int | None
    ) -> None:
        self.session_id = session_id
        self.status = status
        self.turn = turn
        self.step = step


class InboxChanged:
    """The queue of an agent changed; read it from ``session.next_turn/next_step``."""

    __slots__ = ("session_id",)

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id


class AgentError:
    """A turn ended because something failed; the same failure stands in its turn/end."""

    __slots__ = ("error", "failure", "session_id", "step", "turn")

    def __init__(
        self,
        session_id: str,
        turn: int,
        step: int | None,
        failure: LlmFailure,
        error: BaseException | None = None,
    ) -> None:
        self.session_id = session_id
        self.turn = turn
        self.step = step
        self.failure = failure
        self.error = error


class ToolOutput:
    """Live text of a running call; never part of the log."""

    __slots__ = ("call_id", "session_id", "stream", "text")

    def __init__(self, session_id: str, call_id: str, stream: str, text: str) -> None:
        self.session_id = session_id
        self.call_id = call_id
        self.stream = stream
        self.text = text
