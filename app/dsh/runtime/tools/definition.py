"""What a tool is: its schema for the model, its body, and how a person sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from dsh.errors import RunError
from dsh.kernel import Registry
from dsh.runtime.tools.cards import Card

if TYPE_CHECKING:
    from dsh.data.messages import Message
    from dsh.runtime.session import Session

Arguments = TypeVar("Arguments", bound=BaseModel)


class ToolError(RunError):
    """The call failed in a way that the model should read and may act on.

    The text goes to the model as ``Error: <text>``; the code stands in the log.
    """

    code = "TOOL_FAILED"


class Outcome:
    """What a body gave: text for the model, card data for people.

    ``meta`` is bounded, replayable JSON; a card is a pure function of the arguments,
    the text and it, so that a live and a replayed call look the same.
    ``error`` marks a result that is an error for the model without an exception.
    """

    __slots__ = ("concludes_turn", "contexts", "error_code", "meta", "text")

    def __init__(
        self,
        text: str,
        *,
        meta: dict[str, object] | None = None,
        error_code: str | None = None,
        contexts: list[Message] | None = None,
        concludes_turn: bool = False,
    ) -> None:
        self.text = text
        self.meta = meta
        self.error_code = error_code
        self.contexts = contexts or []  # injected for the next step, after the batch
        self.concludes_turn = concludes_turn


class Execution:
    """One call on its way through the pipeline.

    ``arguments`` is the model's JSON object as parsed (frozen by convention: what a
    person approved is what runs). ``output`` publishes live text to those who watch; it
    is never part of the log.
    """

    __slots__ = (
        "arguments",
        "call_id",
        "name",
        "output",
        "raw",
        "session",
        "step",
        "tool",
        "turn",
    )

    def __init__(
        self,
        session: Session,
        call_id: str,
        name: str,
        raw: str,
        arguments: dict[str, object],
        turn: int,
        step: int,
        output: Callable[[str, str], None],
        tool: Tool[BaseModel] | None = None,
    ) -> None:
        self.session = session
        self.call_id = call_id
        self.name = name
        self.raw = raw
        self.arguments = arguments
        self.turn = turn
        self.step = step
        self.output = output  # (stream name, text)
        self.tool = tool  # as found when the call was prepared; None for an unknown name


class Tool(ABC, Generic[Arguments]):
    """A tool. ``arguments`` is a pydantic model; its JSON schema is what the model sees.

    ``timeout`` bounds the body in seconds (a policy plugin enforces it).
    """

    name: ClassVar[str]
    description: ClassVar[str]
    timeout: float | None = None

    @property
    @abstractmethod
    def arguments(self) -> type[Arguments]:
        """The model of the arguments. May depend on what the world offers."""

    @abstractmethod
    async def run(self, arguments: Arguments, execution: Execution) -> Outcome:
        """Do it. Raises :class:`ToolError` (or any ``DSHError``) to fail the call.

        Cancellation must end everything that was started before it propagates.
        """

    def parallel_safe(self, arguments: Arguments) -> bool:  # noqa: ARG002
        """Whether this call may overlap others; the default is exclusive."""
        return False

    def present_call(self, arguments: dict[str, object]) -> Card:  # noqa: ARG002
        """The card of a call that has no result yet. Pure; tolerates odd arguments."""
        return Card.generic(self.name)

    def present_result(
        self,
        arguments: dict[str, object],
        text: str,
        meta: dict[str, object] | None,  # noqa: ARG002
        *,
        failed: bool,  # noqa: ARG002
    ) -> Card:
        """The card of a finished call. Pure; tolerates odd arguments and meta."""
        return self.present_call(arguments).with_text(text)


class Tools(Registry[str, Tool[BaseModel]]):
    """The tools by name, layered: agent, preset, global. Names are ``[a-z0-9_]``."""
