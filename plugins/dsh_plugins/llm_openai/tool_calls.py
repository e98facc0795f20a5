"""Tool calls put together from fragments, whose ids and indexes cannot be relied on."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from dsh.data import json
from dsh.data.ids import new_id
from dsh.data.messages import BlockEnd, StreamChunk, ToolCallDelta
from dsh_plugins.llm_openai.text import encoded, repaired, without_half

Emit = Callable[[StreamChunk], None]


class Call:
    """One call while it grows. ``block`` is None until its name is known."""

    __slots__ = ("arguments", "block", "given", "half", "id", "name")

    def __init__(self, given: str) -> None:
        self.given = given  # the server's id, "" without one
        self.id = ""
        self.name = ""
        self.block: int | None = None
        self.arguments: list[str] = []
        self.half = ""  # first half of a character that was cut in two

    def whole(self) -> bool:
        """Whether the arguments so far are a complete JSON object."""
        try:
            return isinstance(json.decode("".join(self.arguments)), dict)
        except (msgspec.DecodeError, RecursionError):
            return False


class Calls:
    """Takes fragments and emits the chunks of each call under a block of its own.

    Fragments belong together by their index; servers that leave it out, or count every
    call as the first, are told apart by ids and names.
    """

    def __init__(self, emit: Emit, next_block: Callable[[], int]) -> None:
        self._emit = emit
        self._next_block = next_block
        self._calls: list[Call] = []
        self._at: dict[int, Call] = {}
        self._ids: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, fragment: object) -> None:
        """Take one entry of ``tool_calls``; what is no fragment is ignored."""
        if not isinstance(fragment, dict):
            return
        function = fragment.get("function")
        function = function if isinstance(function, dict) else fragment
        name, given = _text(function.get("name")), _text(fragment.get("id"))
        arguments = function.get("arguments")
        call = self._call(fragment.get("index"), given, name)
        if given and name and arguments == "".join(call.arguments) and call.whole():
            return  # the whole call repeated at the end
        call.name = call.name or name
        if call.name and call.block is None:
            self._start(call)
        self._grow(call, arguments)

    def end(self) -> list[BlockEnd]:
        """The complete calls; those that never got a name are called ``unknown``."""
        ends: list[BlockEnd] = []
        for call in self._calls:
            if call.block is None:
                call.name = "unknown"
                self._start(call)
            assert call.block is not None
            block: BlockEnd = {
                "type": "block-end",
                "index": call.block,
                "block": {
                    "type": "tool-call",
                    "id": call.id,
                    "name": call.name,
                    "arguments": "".join(call.arguments),
                },
            }
            ends.append(block)
        return ends

    def _call(self, index: object, given: str, name: str) -> Call:
        position = index if isinstance(index, int) else None
        if position is not None:
            current = self._at.get(position)
        elif given:
            current = next((c for c in self._calls if c.given == given), None)
            if current is None and not name and self._calls:
                current = self._calls[-1]  # a fresh id on every fragment
        else:
            current = self._calls[-1] if self._calls else None
        if current is None or _begins_another(current, given, name):
            current = Call(given)
            self._calls.append(current)
        if position is not None:
            self._at[position] = current
        return current

    def _start(self, call: Call) -> None:
        call.id = self._fresh_id(call.given)
        call.block = self._next_block()
        self._emit({"type": "block-start", "index": call.block, "blockType": "tool-call"})
        delta: ToolCallDelta = {
            "type": "tool-call-delta",
            "index": call.block,
            "id": call.id,
            "name": call.name,
            "argumentsDelta": "".join(call.arguments),
        }
        self._emit(delta)

    def _grow(self, call: Call, arguments: object) -> None:
        if isinstance(arguments, dict | list):  # some servers send the parsed object
            arguments = "" if call.arguments else encoded(arguments)
        if not isinstance(arguments, str) or not arguments:
            return
        if call.half or not arguments.isascii():
            arguments, call.half = without_half(call.half + arguments)
            if not arguments:
                return
        call.arguments.append(arguments)
        if call.block is not None:
            self._emit(
                {
                    "type": "tool-call-delta",
                    "index": call.block,
                    "id": call.id,
                    "argumentsDelta": arguments,
                }
            )

    def _fresh_id(self, given: str) -> str:
        chosen = base = given or new_id("call")
        count = 1
        while chosen in self._ids:
            count += 1
            chosen = f"{base}-{count}"
        self._ids.add(chosen)
        return chosen


def _begins_another(current: Call, given: str, name: str) -> bool:
    """Whether a fragment that points at ``current`` is really the start of a new call."""
    if not name or not current.name:
        return False
    if given and current.given:
        return given != current.given
    return current.whole()


def _text(value: object) -> str:
    return repaired(value) if isinstance(value, str) else ""
