"""From the objects of a stream to our chunks: blocks, then usage, then finish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from dsh.data.messages import BlockEnd, Finish, LlmFailure, StreamChunk, Usage
from dsh_plugins.llm_openai.failures import reported_failure
from dsh_plugins.llm_openai.text import repaired, without_half
from dsh_plugins.llm_openai.tool_calls import Calls
from dsh_plugins.llm_openai.usage import usage_of

Prose = Literal["text", "reasoning"]
_STOPPED = frozenset(
    {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"}
)
_CALLED = frozenset({"tool_calls", "tool_call", "function_call"})
_CUT = frozenset({"length", "max_tokens", "model_length"})
_NO_CHOICE: dict[str, object] = {}


class _Open:
    """A text or reasoning block that grows.

    Blanks at its start are held back: some servers send a line break beside every tool
    call, which is no text of its own.
    """

    __slots__ = ("blanks", "half", "index", "kind", "parts")

    def __init__(self, kind: Prose) -> None:
        self.kind = kind
        self.index: int | None = None
        self.blanks = ""
        self.half = ""  # first half of a character that was cut in two
        self.parts: list[str] = []


class AnswerReader:
    """Takes the objects of one answer and emits chunks; tolerates odd shapes."""

    def __init__(self, emit: Callable[[StreamChunk], None]) -> None:
        self._emit = emit
        self._blocks = 0
        self._open: _Open | None = None
        self._calls = Calls(emit, self._next_block)
        self._usage: Usage | None = None
        self.reason: str | None = None
        self.failure: LlmFailure | None = None

    @property
    def begun(self) -> bool:
        """Whether any piece of the answer has arrived."""
        return self._blocks > 0 or bool(self._calls)

    def take(self, event: object) -> None:
        """Take one object of the stream."""
        if not isinstance(event, dict):
            return
        if event.get("error"):
            self.failure = reported_failure(event)
            return
        choice = _first_choice(event.get("choices"))
        self._usage = usage_of(event, choice or _NO_CHOICE) or self._usage
        if choice is None:
            return
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.reason = repaired(reason)

    def finish(self, *, ended: bool) -> None:
        """Emit the end. ``ended`` tells whether the server said that it was done."""
        if self.failure is None and not ended and self.reason is None:
            self.failure = {
                "code": "STREAM_CLOSED",
                "message": "the connection ended in the middle of the answer",
            }
        if self.failure is not None:
            self.fail(self.failure)
            return
        self._close()
        for end in self._calls.end():
            self._emit(end)
        if self._usage is not None:
            self._emit({"type": "usage", "usage": self._usage})
        self._emit(self._finish())

    def fail(self, failure: LlmFailure) -> None:
        """Emit the end of an answer that failed."""
        if self._usage is not None:
            self._emit({"type": "usage", "usage": self._usage})
        self._emit({"type": "finish", "reason": "error", "failure": failure})

    def _finish(self) -> Finish:
        reason = (self.reason or "stop").lower()
        if reason in _CUT:
            return {"type": "finish", "reason": "max-tokens"}
        if reason not in _STOPPED and reason not in _CALLED:
            failure: LlmFailure = {
                "code": reason.upper(),
                "message": f"the provider ended the answer: {reason}",
            }
            return {"type": "finish", "reason": "error", "failure": failure}
        if self._calls:  # several servers say "stop" here
            return {"type": "finish", "reason": "tool-calls"}
        if self._blocks == 0:
            empty: LlmFailure = {
                "code": "EMPTY_RESPONSE",
                "message": "the model answered nothing",
            }
            return {"type": "finish", "reason": "error", "failure": empty}
        return {"type": "finish", "reason": "stop"}

    def _delta(self, delta: dict[str, object]) -> None:
        reasoning = delta.get("reasoning_content")
        if not isinstance(reasoning, str) or not reasoning:
            reasoning = delta.get("reasoning")
        if reasoning:
            self._prose("reasoning", reasoning)
        content = delta.get("content")
        if content:
            self._prose("text", _content(content))
        if refusal := delta.get("refusal"):
            self._prose("text", refusal)
        fragments = delta.get("tool_calls")
        if isinstance(fragments, list) and fragments:
            self._close()
            for fragment in fragments:
                self._calls.take(fragment)
        elif isinstance(delta.get("function_call"), dict):
            self._close()
            self._calls.take({"index": 0, "function": delta["function_call"]})

    def _prose(self, kind: Prose, piece: object) -> None:
        if not isinstance(piece, str) or not piece:
            return
        block = self._open
        if block is None or block.kind != kind:
            self._close()
            block = self._open = _Open(kind)
        if not piece.isascii() or block.half:
            piece, block.half = without_half(block.half + piece)
        if block.index is None:
            block.blanks += piece
            if not block.blanks.strip():
                return
            piece = block.blanks
            block.index = self._next_block()
            self._emit({"type": "block-start", "index": block.index, "blockType": kind})
        if piece:
            self._more(block, piece)

    def _more(self, block: _Open, piece: str) -> None:
        assert block.index is not None
        block.parts.append(piece)
        if block.kind == "text":
            self._emit({"type": "text-delta", "index": block.index, "text": piece})
        else:
            self._emit({"type": "reasoning-delta", "index": block.index, "text": piece})

    def _close(self) -> None:
        block, self._open = self._open, None
        if block is None or block.index is None:
            return
        if block.half:
            self._more(block, repaired(block.half))
        text = "".join(block.parts)
        end: BlockEnd = (
            {
                "type": "block-end",
                "index": block.index,
                "block": {"type": "text", "text": text},
            }
            if block.kind == "text"
            else {
                "type": "block-end",
                "index": block.index,
                "block": {"type": "reasoning", "text": text},
            }
        )
        self._emit(end)

    def _next_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1


def _first_choice(choices: object) -> dict[str, object] | None:
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return None


def _content(content: object) -> object:
    """The text of a content, which a few servers send as a list of parts."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))
