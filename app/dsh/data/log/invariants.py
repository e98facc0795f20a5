"""The order in which events may follow each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dsh.data.events import Event

Data = dict[str, Any]  # Any: JSON whose shape the schema of its type fixes


class Invariants:
    """Checks events one after the other, from the first of a session on."""

    def __init__(self) -> None:
        self._turn = 0
        self._turn_open = False
        self._step = 0
        self._step_open = False
        self._calls: set[str] = set()
        self._approvals: set[str] = set()

    def violation(self, event: Event) -> str | None:
        """What is wrong with ``event`` as the next one, if anything; takes it in."""
        check = _CHECKS.get(event.type)
        if check is None:
            return None
        if event.surface_op is not None and event.surface_op.op == "replace":
            return None if self._turn_open else "a replacement needs an open turn"
        return check(self, event.data)

    def _turn_start(self, data: Data) -> str | None:
        wrong = None
        if self._turn_open:
            wrong = f"turn {self._turn} is still open"
        elif data["turn"] != self._turn + 1:
            wrong = f"turn {data['turn']} follows turn {self._turn}"
        self._turn, self._turn_open = data["turn"], True
        self._step, self._step_open = 0, False
        return wrong

    def _turn_end(self, data: Data) -> str | None:
        wrong = None
        if not self._turn_open or data["turn"] != self._turn:
            wrong = f"turn {data['turn']} is not open"
        elif self._step_open:
            wrong = f"step {self._step} is still open"
        self._turn_open = self._step_open = False
        return wrong

    def _step_start(self, data: Data) -> str | None:
        wrong = self._other_turn(data)
        if wrong is None and self._step_open:
            wrong = f"step {self._step} is still open"
        if wrong is None and data["step"] != self._step + 1:
            wrong = f"step {data['step']} follows step {self._step}"
        self._step, self._step_open = data["step"], True
        return wrong

    def _step_end(self, data: Data) -> str | None:
        wrong = self._inside(data)
        self._step_open = False
        self._calls.clear()
        return wrong

    def _inside(self, data: Data) -> str | None:
        wrong = self._other_turn(data)
        if wrong is None and not (self._step_open and data["step"] == self._step):
            wrong = f"step {data['step']} is not open"
        return wrong

    def _other_turn(self, data: Data) -> str | None:
        if self._turn_open and data["turn"] == self._turn:
            return None
        return f"turn {data['turn']} is not open"

    def _call(self, data: Data) -> str | None:
        wrong = self._inside(data)
        if wrong is None and data["callId"] in self._calls:
            wrong = f"call {data['callId']} has already started"
        self._calls.add(data["callId"])
        return wrong

    def _result(self, data: Data) -> str | None:
        wrong = self._inside(data)
        call = data["message"]["source"]["callId"]
        never_started = (data.get("error") or {}).get("code") == "TOOL_NOT_STARTED"
        if wrong is None and call not in self._calls and not never_started:
            wrong = f"a result for call {call}, which is not running"
        self._calls.discard(call)
        return wrong

    def _in_turn(self, _: Data) -> str | None:
        return None if self._turn_open else "it belongs inside a turn"

    def _asked(self, data: Data) -> str | None:
        wrong = (
            f"{data['id']} was asked before" if data["id"] in self._approvals else None
        )
        self._approvals.add(data["id"])
        return wrong

    def _decided(self, data: Data) -> str | None:
        wrong = None if data["id"] in self._approvals else f"{data['id']} was not asked"
        self._approvals.discard(data["id"])
        return wrong


_CHECKS: Final[dict[str, Callable[[Invariants, Data], str | None]]] = {
    "turn/start": Invariants._turn_start,
    "turn/end": Invariants._turn_end,
    "step/start": Invariants._step_start,
    "step/end": Invariants._step_end,
    "assistant/chunk": Invariants._inside,
    "assistant/message": Invariants._inside,
    "tool/call": Invariants._call,
    "tool/result": Invariants._result,
    "request/header": Invariants._in_turn,
    "request/context": Invariants._in_turn,
    "approval/asked": Invariants._asked,
    "approval/decided": Invariants._decided,
}
