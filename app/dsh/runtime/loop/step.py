"""One step: a request, the calls of its answer, and what is owed afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dsh.data.events.vocabulary import RequestConfig, ToolSchema, TurnEndReason
from dsh.data.messages import Block, ToolCallBlock
from dsh.runtime.loop.request import Requests
from dsh.runtime.models import Answer
from dsh.runtime.models.assembler import readable
from dsh.runtime.session import Session
from dsh.runtime.tools.results import log_cut
from dsh.runtime.tools.scheduler import Batch, ToolRuntime

if TYPE_CHECKING:
    from dsh.runtime.agent.agent import Agent

MAX_CUT: Final = 3  # answers in a row that the output limit may cut inside a call
COMPLETED: Final[TurnEndReason] = {"kind": "completed"}


class Steps:
    """The steps of one turn."""

    def __init__(
        self, agent: Agent, requests: Requests, tools: ToolRuntime, turn: int
    ) -> None:
        self._agent = agent
        self._session: Session = agent.session
        self._requests = requests
        self._tools = tools
        self._turn = turn
        self._cut = 0  # answers in a row
        self._limited = False  # some answer of this turn ended at the output limit

    async def take(
        self, step: int, system: str, tools: list[ToolSchema]
    ) -> TurnEndReason | None:
        """Ask and act. The reason to end the turn, or ``None`` when a step is owed."""
        answer, config, seqs = await self._requests.ask(self._turn, step, system, tools)
        if answer.cut:
            return self._answer_cut(step, answer, config, seqs)
        self._cut = 0
        self._log(step, answer, config, seqs, answer.content)
        self._limited = self._limited or answer.reason == "max-tokens"
        if not answer.calls:
            return {"kind": "max-tokens"} if self._limited else COMPLETED
        batch = Batch(self._tools, self._session, answer.calls, self._turn, step)
        await batch.run()
        for context in batch.contexts:
            self._agent.inject(context)
        return COMPLETED if batch.concluded else None

    def _answer_cut(
        self, step: int, answer: Answer, config: RequestConfig, seqs: list[int]
    ) -> TurnEndReason | None:
        """The limit came in the middle of calls: run none, and say so to the model.

        The calls stay visible with arguments that can be read, so that the model sees
        which ones failed and history stays valid for servers that parse it.
        """
        calls: list[Block] = [
            {**call, "arguments": readable(call["arguments"]) or "{}"}
            for call in answer.cut
        ]
        self._log(step, answer, config, seqs, [*answer.content, *calls])
        limit = _limit(answer, config)
        for call in answer.cut:
            log_cut(self._session, self._turn, step, call, _feedback(call, limit))
        self._cut += 1
        if self._cut < MAX_CUT:
            return None
        names = ", ".join(sorted({call["name"] for call in answer.cut}))
        message = (
            f"The answer was cut off by {limit} in the middle of a tool call ({names}) "
            f"{MAX_CUT} times in a row; nothing of it was run. Ask for smaller pieces, "
            f"or choose a model with a larger output limit."
        )
        return {"kind": "error", "error": {"code": "OUTPUT_LIMIT", "message": message}}

    def _log(
        self,
        step: int,
        answer: Answer,
        config: RequestConfig,
        seqs: list[int],
        content: list[Block],
    ) -> None:
        self._requests.log_message(
            self._turn, step, config, content, seqs, usage=answer.usage
        )


def _limit(answer: Answer, config: RequestConfig) -> str:
    used = answer.usage["outputTokens"] if answer.usage is not None else None
    tokens = config.get("maxTokens") or used
    size = f"{tokens} tokens" if tokens else "the greatest length of one answer"
    return f"the output limit ({size})"


def _feedback(call: ToolCallBlock, limit: str) -> str:
    return (
        f"Error: {call['name']} was not run. The answer hit {limit} before the call was "
        f"complete: its arguments broke off after {len(call['arguments'])} characters. "
        "Do it in smaller pieces, for instance several calls that each write a part."
    )
