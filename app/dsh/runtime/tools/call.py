"""One call of a batch: parsed and validated once, then followed to its result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from pydantic import BaseModel, ValidationError

from dsh.data import json
from dsh.data.messages import ToolCallBlock
from dsh.errors import DSHError, code_of, describe
from dsh.runtime.tools.definition import Execution, Outcome, Tool, Tools
from dsh.runtime.tools.hooks import Settled

if TYPE_CHECKING:
    from dsh.runtime.session import Session

_log = logging.getLogger(__name__)

TAIL = 2_000  # characters of live output kept for the result of a stopped call
LISTED = 10  # problems of arguments that are told at once
Output = Callable[[str, str, str], None]  # call id, stream name, text


class Call:
    """A call on its way. ``arguments`` is made before anybody is asked, and is what runs.

    ``settled`` is set as soon as the call needs no body any more; ``started`` tells
    whether the body was entered.
    """

    __slots__ = (
        "arguments",
        "block",
        "error_name",
        "execution",
        "parallel",
        "seq",
        "settled",
        "started",
        "tail",
        "task",
        "tool",
    )

    def __init__(self, block: ToolCallBlock, execution: Execution) -> None:
        self.block = block
        self.execution = execution
        self.tool: Tool[BaseModel] | None = execution.tool
        self.arguments: BaseModel | None = None
        self.parallel = False
        self.seq = -1  # of its tool/call; -1 before it began
        self.settled: Settled | None = None
        self.task: asyncio.Task[Settled] | None = None
        self.started = False
        self.error_name = "ToolError"
        self.tail = ""

    @property
    def running(self) -> bool:
        """Whether its body has not ended."""
        return self.task is not None and not self.task.done()

    def fail(self, code: str, text: str, *, name: str = "ToolError") -> Settled:
        """Settle with an error that the model reads as ``text``."""
        self.error_name = name
        self.settled = Settled(self.execution, Outcome(text, error_code=code), code)
        return self.settled

    def raised(self, error: Exception) -> Settled:
        """Settle with what a body or a policy raised."""
        if not isinstance(error, DSHError):
            _log.error("%s failed unexpectedly", self.block["name"], exc_info=error)
        text = f"Error: {describe(error)}"
        return self.fail(code_of(error), text, name=type(error).__name__)


def prepare(
    tools: Tools,
    session: Session,
    block: ToolCallBlock,
    turn: int,
    step: int,
    output: Output,
) -> Call:
    """Find the tool and read the arguments. What cannot run comes back settled."""
    name, call_id = block["name"], block["id"]
    arguments = _object(block["arguments"])
    call: Call

    def publish(stream: str, text: str) -> None:
        call.tail = (call.tail + text)[-TAIL:]
        output(call_id, stream, text)

    tool = tools.get(name)
    execution = Execution(
        session,
        call_id,
        name,
        block["arguments"],
        arguments or {},
        turn,
        step,
        publish,
        tool,
    )
    call = Call(block, execution)
    if tool is None:
        known = ", ".join(sorted(tools.items())) or "none"
        text = f"Error: there is no tool called {name!r}. Available tools: {known}"
        call.fail("UNKNOWN_TOOL", text, name="ToolNotFound")
    elif arguments is None:
        text = f"Error: the arguments of {name} are not a JSON object; nothing was run"
        call.fail("INVALID_ARGS", text, name="InvalidArguments")
    else:
        _validate(call, tool, arguments)
    return call


def _object(raw: str) -> dict[str, object] | None:
    if not raw.strip():
        return {}
    try:
        value = json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _validate(call: Call, tool: Tool[BaseModel], arguments: dict[str, object]) -> None:
    try:
        call.arguments = tool.arguments.model_validate(arguments)
        call.parallel = tool.parallel_safe(call.arguments) is True
    except ValidationError as error:
        lines = [f"Error: {tool.name} was not run, its arguments are wrong:"]
        for problem in error.errors(include_url=False, include_input=False)[:LISTED]:
            where = ".".join(str(part) for part in problem["loc"]) or "arguments"
            lines.append(f"- {where}: {problem['msg']}")
        call.fail("INVALID_ARGS", "\n".join(lines), name="InvalidArguments")
    except Exception as error:  # noqa: BLE001  # validators are a plugin's own code
        call.raised(error)
