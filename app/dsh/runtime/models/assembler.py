"""From a stream of chunks to one message: order, ids and arguments made sound."""

from __future__ import annotations

import msgspec

from dsh.data import json
from dsh.data.messages import (
    Block,
    Finish,
    LlmFailure,
    StreamChunk,
    ToolCallBlock,
    Usage,
)


class Answer:
    """What one request gave.

    ``content`` is what the log and later requests hold. ``calls`` are the tool calls to
    run, with the arguments as the model wrote them; ``cut`` are those that the output
    limit ended early, which are never run and not in ``content``.
    """

    __slots__ = ("calls", "content", "cut", "reason", "usage")

    def __init__(
        self,
        content: list[Block],
        calls: list[ToolCallBlock],
        cut: list[ToolCallBlock],
        finish: Finish,
        usage: Usage | None,
    ) -> None:
        self.content = content
        self.calls = calls
        self.cut = cut
        self.reason = finish["reason"]
        self.usage = usage


class _Open:
    """A block that is still growing."""

    __slots__ = ("final", "id", "index", "kind", "name", "pieces")

    def __init__(self, index: int, kind: str) -> None:
        self.index = index
        self.kind = kind
        self.pieces: list[str] = []
        self.id = ""
        self.name = ""
        self.final = False

    def end(self, block: Block) -> None:
        """Take the provider's own view of the whole block."""
        if block["type"] == "tool-call":
            self.id, self.name = block["id"], block["name"]
            self.pieces = [block["arguments"]]
        elif block["type"] != "tool-result":
            self.pieces = [block["text"]]
        self.final = True

    def text(self) -> str:
        return "".join(self.pieces)


class Assembler:
    """Takes the chunks of one request; blocks keep the order of first appearance.

    ``taken`` holds the call ids already used in the session and learns the new ones:
    some servers number the calls of every answer from zero.
    """

    __slots__ = ("_blocks", "_finish", "_taken", "usage")

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._blocks: dict[tuple[int, str], _Open] = {}
        self._finish: Finish = {"type": "finish", "reason": "stop"}
        self.usage: Usage | None = None

    @property
    def visible(self) -> bool:
        """Whether any piece of an answer has arrived."""
        return any(block.pieces for block in self._blocks.values())

    @property
    def failure(self) -> LlmFailure | None:
        """Why the request failed, if it did."""
        if self._finish["reason"] not in ("error", "aborted"):
            return None
        unknown: LlmFailure = {"code": "UNKNOWN", "message": "the request failed"}
        return self._finish.get("failure", unknown)

    def add(self, chunk: StreamChunk) -> None:
        """Take one chunk. Deltas after the end of their block are ignored."""
        if chunk["type"] == "text-delta":
            self._grow(chunk["index"], "text", chunk["text"])
        elif chunk["type"] == "reasoning-delta":
            self._grow(chunk["index"], "reasoning", chunk["text"])
        elif chunk["type"] == "tool-call-delta":
            block = self._grow(chunk["index"], "tool-call", chunk["argumentsDelta"])
            if not block.final:
                block.id = block.id or chunk["id"]
                block.name = block.name or chunk.get("name", "")
        elif chunk["type"] == "block-start":
            self._block(chunk["index"], chunk["blockType"])
        elif chunk["type"] == "block-end":
            self._block(chunk["index"], chunk["block"]["type"]).end(chunk["block"])
        elif chunk["type"] == "usage":
            self.usage = chunk["usage"]
        else:
            self._finish = chunk

    def answer(self) -> Answer:
        """The whole answer. A stream without a finish counts as stopped. Call it once."""
        content: list[Block] = []
        calls: list[ToolCallBlock] = []
        cut: list[ToolCallBlock] = []
        for block in self._blocks.values():
            if block.kind != "tool-call":
                content.extend(_prose(block))
                continue
            call = self._call(block)
            if self._finish["reason"] == "max-tokens":
                cut.append(call)
            else:
                calls.append(call)
                content.append({**call, "arguments": storable(call["arguments"])})
        return Answer(content, calls, cut, self._finish, self.usage)

    def partial(self) -> list[Block]:
        """Text and reasoning so far, or nothing when no text can be seen in it."""
        content = [part for block in self._blocks.values() for part in _prose(block)]
        seen = any(part["type"] == "text" and part["text"].strip() for part in content)
        return content if seen else []

    def _block(self, index: int, kind: str) -> _Open:
        block = self._blocks.get((index, kind))
        if block is None:
            block = self._blocks[index, kind] = _Open(index, kind)
        return block

    def _grow(self, index: int, kind: str, piece: str) -> _Open:
        block = self._block(index, kind)
        if not block.final:
            block.pieces.append(piece)
        return block

    def _call(self, block: _Open) -> ToolCallBlock:
        base = chosen = block.id or f"call-{block.index}"
        count = 1
        while chosen in self._taken:
            count += 1
            chosen = f"{base}-{count}"
        self._taken.add(chosen)
        name = block.name or "unknown"
        return {
            "type": "tool-call",
            "id": chosen,
            "name": name,
            "arguments": block.text(),
        }


def readable(arguments: str) -> str | None:
    """The text of a JSON object as it stands, ``{}`` for nothing, else ``None``."""
    if not arguments.strip():
        return "{}"
    try:
        sound = isinstance(json.decode(arguments), dict)
    except (msgspec.DecodeError, RecursionError):
        sound = False
    return arguments if sound else None


def storable(arguments: str) -> str:
    """Arguments as history may hold them: always the text of a JSON object.

    Servers parse every arguments string of a request and refuse the whole of it for one
    that is not an object, so what the model wrote instead is wrapped into one.
    """
    return readable(arguments) or json.encode({"unreadable": arguments}).decode()


def _prose(block: _Open) -> list[Block]:
    if block.kind == "reasoning":  # kept when empty: some wires want it back as it was
        return [{"type": "reasoning", "text": block.text()}]
    if block.kind == "text" and (text := block.text()):
        return [{"type": "text", "text": text}]
    return []
