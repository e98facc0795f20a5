"""What ends a turn that a crash left open, without pretending to know what happened.

The same log always gets the same events: ids and times come from the log itself. A tool
is never run again; whether one had an effect is said to be unknown when it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from dsh.data.events import Event, SurfaceOp
from dsh.data.events.envelope import APPEND
from dsh.runtime.session.core import APPROVALS, POSITION, REQUEST_HEADER
from dsh.runtime.session.fold import Fold

_NOT_STARTED: Final = (
    "ToolNotStartedError",
    "TOOL_NOT_STARTED",
    "The program stopped before this tool call was started. It had no effect.",
)
_OUTCOME_UNKNOWN: Final = (
    "ToolOutcomeUnknownError",
    "TOOL_OUTCOME_UNKNOWN",
    "The program stopped while this tool call was running. Its outcome is unknown: it "
    "may have taken effect fully, in part, or not at all. Repeat it only if it merely "
    "reads or may safely be done twice; otherwise check the present state first, or "
    "ask the user.",
)

Draft = tuple[str, dict[str, Any], SurfaceOp | None, list[int] | None]  # Any: JSON


def needs_closing(fold: Fold) -> bool:
    """Whether the log ends inside a turn, or with a question nobody can answer now."""
    return bool(fold.state(POSITION)["open"] or fold.state(APPROVALS))


def closers(fold: Fold, step: Sequence[Event]) -> list[Event]:
    """The events that close what is open. ``step`` holds the open step's events from
    `step/start` to the tip, or at least the last event.
    """
    time = step[-1].time
    return [
        Event(seq, type_, time, data, op, sources)
        for seq, (type_, data, op, sources) in enumerate(
            _drafts(fold, step), fold.tip + 1
        )
    ]


def _drafts(fold: Fold, step: Sequence[Event]) -> Iterator[Draft]:
    position = fold.state(POSITION)
    for approval in fold.state(APPROVALS):
        yield "approval/decided", {"id": approval, "outcome": "cancelled"}, None, None
    if position["open"]:
        turn = {"turn": position["turn"]}
        if position["stepOpen"]:
            mark = {**turn, "step": position["step"]}
            yield from _answer(fold, step, mark)
            yield from _results(step, mark)
            yield "step/end", mark, None, None
        yield "turn/end", {**turn, "reason": {"kind": "interrupted"}}, None, None
    yield "session/end-seed", {}, None, None


def _answer(fold: Fold, step: Sequence[Event], mark: dict[str, int]) -> Iterator[Draft]:
    """The visible part of an answer that was still arriving."""
    chunks: list[Event] = []
    for event in step:
        match event.type, event.data:
            case "assistant/message", _:
                return
            case "llm/retry-started", _:
                chunks = []
            case "assistant/chunk", {"chunk": {"type": "finish", "reason": "error"}}:
                return  # a failed request leaves no answer, alive or not
            case "assistant/chunk", _:
                chunks.append(event)
    header = fold.state(REQUEST_HEADER)
    content = _assembled(chunks)
    if header is None or not any(block["text"].strip() for block in content):
        return
    config = header["config"]
    source = {"kind": "model", "provider": config["provider"], "model": config["model"]}
    message = {
        "id": f"interrupted-message-{chunks[0].seq}",
        "role": "assistant",
        "content": content,
        "source": source,
    }
    data = {**mark, "message": message, "interrupted": True}
    yield "assistant/message", data, APPEND, [chunk.seq for chunk in chunks]


def _assembled(chunks: Sequence[Event]) -> list[dict[str, str]]:
    """Text and reasoning so far; calls are left out, since they are not complete."""
    blocks: dict[int, dict[str, str]] = {}
    for event in chunks:
        match event.data["chunk"]:
            case {"type": "block-end", "index": i, "block": block}:
                if block["type"] != "tool-call":
                    blocks[i] = {"type": block["type"], "text": block["text"]}
            case {"type": "text-delta" | "reasoning-delta" as kind, "index": i} as chunk:
                empty = {"type": kind.removesuffix("-delta"), "text": ""}
                blocks.setdefault(i, empty)["text"] += chunk["text"]
    return [blocks[i] for i in sorted(blocks) if blocks[i]["text"]]


def _results(step: Sequence[Event], mark: dict[str, int]) -> Iterator[Draft]:
    """An error result for each call that has none, in the model's order."""
    wanted: list[str] = []
    running: dict[str, int] = {}
    for event in step:
        match event.type, event.data:
            case "assistant/message", {"message": {"content": content}}:
                wanted += [b["id"] for b in content if b["type"] == "tool-call"]
            case "tool/call", {"callId": call}:
                running[call] = event.seq
            case "tool/result", {"message": {"source": {"callId": call}}}:
                wanted = [id_ for id_ in wanted if id_ != call]
    for call in wanted:
        yield _result(call, running.get(call), step[-1].seq, mark)


def _result(call: str, started: int | None, tip: int, mark: dict[str, int]) -> Draft:
    name, code, text = _NOT_STARTED if started is None else _OUTCOME_UNKNOWN
    block = {
        "type": "tool-result",
        "toolCallId": call,
        "content": [{"type": "text", "text": text}],
        "isError": True,
    }
    message = {
        "id": f"interrupted-tool-result-{call}-{tip}",
        "role": "user",
        "content": [block],
        "source": {"kind": "tool", "callId": call},
    }
    data = {**mark, "message": message, "error": {"name": name, "code": code}}
    return "tool/result", data, APPEND, None if started is None else [started]
