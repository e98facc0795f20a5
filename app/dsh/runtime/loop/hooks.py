"""Where policies take part in a turn: step, request, failed request, end of the turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dsh.kernel import Hook

if TYPE_CHECKING:
    from dsh.data.events.vocabulary import RequestConfig
    from dsh.data.messages import LlmFailure, Message
    from dsh.runtime.agent.agent import Agent


class PreStep:
    """A step is about to open with these messages (inbox first, then the snapshot)."""

    __slots__ = ("agent", "messages", "step", "turn")

    def __init__(
        self, agent: Agent, turn: int, step: int, messages: list[Message]
    ) -> None:
        self.agent = agent
        self.turn = turn
        self.step = step
        self.messages = messages


class Enter:
    """Open the step with these messages."""

    __slots__ = ("messages",)

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages


class Reject:
    """Do not open the step; the turn ends ``blocked`` and says why."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


StepDecision = Enter | Reject


class PreRequest:
    """The settings of the next request; a wrapper may return others."""

    __slots__ = ("agent", "config", "step", "turn")

    def __init__(self, agent: Agent, turn: int, step: int, config: RequestConfig) -> None:
        self.agent = agent
        self.turn = turn
        self.step = step
        self.config = config


class FailedRequest:
    """A request that ended in a failure.

    ``visible`` tells whether text, reasoning or a tool call had already arrived.
    """

    __slots__ = ("agent", "failure", "provider", "step", "turn", "visible")

    def __init__(
        self,
        agent: Agent,
        turn: int,
        step: int,
        provider: str,
        failure: LlmFailure,
        *,
        visible: bool,
    ) -> None:
        self.agent = agent
        self.turn = turn
        self.step = step
        self.provider = provider
        self.failure = failure
        self.visible = visible


class TurnStopping:
    """A turn is about to end by itself; a wrapper may still `steer` the agent."""

    __slots__ = ("agent", "turn")

    def __init__(self, agent: Agent, turn: int) -> None:
        self.agent = agent
        self.turn = turn


# The core of PRE_STEP enters what it is given; of REQUEST returns the config; of
# REQUEST_ERROR gives up; of TURN_STOPPING does nothing. "retry" asks again in the same
# open step, with the history derived anew.
PRE_STEP: Hook[PreStep, StepDecision] = Hook("agent/pre-step")
REQUEST: Hook[PreRequest, RequestConfig] = Hook("agent/request")
REQUEST_ERROR: Hook[FailedRequest, Literal["retry", "fail"]] = Hook("agent/request-error")
TURN_STOPPING: Hook[TurnStopping, None] = Hook("agent/turn-stopping")
