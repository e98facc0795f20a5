"""How calls and their results are written into the log."""

from __future__ import annotations

from dsh.data.ids import new_message_id
from dsh.data.messages import ToolCallBlock, ToolResultBlock, text_block
from dsh.errors import DataError
from dsh.runtime.session import Session
from dsh.runtime.tools.call import Call


def log_call(session: Session, turn: int, step: int, block: ToolCallBlock) -> int:
    """Write that a call starts; its seq."""
    data = {
        "turn": turn,
        "step": step,
        "callId": block["id"],
        "name": block["name"],
        "arguments": block["arguments"],
    }
    return session.append("tool/call", data).seq


def log_result(session: Session, call: Call) -> None:
    """Write the result of a settled call. Card data that is not JSON is left out."""
    settled = call.settled
    assert settled is not None
    outcome = settled.outcome
    code = settled.error_code or outcome.error_code
    turn, step = call.execution.turn, call.execution.step
    failed = code is not None
    data = _result(turn, step, call.block["id"], outcome.text, failed=failed)
    if code is not None:
        data["error"] = {"name": call.error_name, "code": code}
    if outcome.meta is None:
        session.append("tool/result", data, sources=[call.seq])
        return
    try:
        session.append("tool/result", {**data, "meta": outcome.meta}, sources=[call.seq])
    except DataError as error:
        if error.code != "EVENT_NOT_JSON":
            raise
        session.append("tool/result", data, sources=[call.seq])


def log_cut(
    session: Session, turn: int, step: int, block: ToolCallBlock, text: str
) -> None:
    """Write a call that the output limit cut off, and the error that the model reads."""
    seq = log_call(session, turn, step, block)
    data = _result(turn, step, block["id"], text, failed=True)
    data["error"] = {"name": "OutputLimit", "code": "OUTPUT_LIMIT"}
    session.append("tool/result", data, sources=[seq])


def _result(
    turn: int, step: int, call_id: str, text: str, *, failed: bool
) -> dict[str, object]:
    block: ToolResultBlock = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [text_block(_sound(text))],
    }
    if failed:
        block["isError"] = True
    message = {
        "id": new_message_id(),
        "role": "user",
        "content": [block],
        "source": {"kind": "tool", "callId": call_id},
    }
    return {"turn": turn, "step": step, "message": message}


def _sound(text: str) -> str:
    """Text that UTF-8 can hold: names of files may carry lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
