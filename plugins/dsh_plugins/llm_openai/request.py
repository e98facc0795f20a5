"""Our messages as the wire wants them."""

from __future__ import annotations

import msgspec

from dsh.data import json
from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import Message
from dsh.seams.llm import ModelRequest
from dsh_plugins.llm_openai.dialects import Back, Dialect, Fields

NO_OUTPUT = "(no output)"


_MOST_KEPT = 8 << 20  # bytes


class Sent:
    """The wire form of messages that were sent before.

    A long session asks again and again with all of its messages, which never change: so
    each of them is converted once. What is kept holds its message, whose identity
    therefore stays its own.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, Back], tuple[Message, list[msgspec.Raw]]] = {}
        self._size = 0

    def of(self, message: Message, back: Back) -> list[msgspec.Raw]:
        """The wire's messages for one of ours."""
        key = id(message), back
        found = self._kept.get(key)
        if found is not None:
            return found[1]
        wire = [msgspec.Raw(json.encode(part)) for part in wire_of(message, back)]
        self._size += sum(map(len, wire))
        if self._size > _MOST_KEPT:
            self._kept.clear()
            self._size = sum(map(len, wire))
        self._kept[key] = message, wire
        return wire


def body_of(request: ModelRequest, dialect: Dialect, sent: Sent) -> bytes:
    """The JSON body of a request. Raises `LlmError` for an effort that is unknown."""
    effort = request.effort
    if request.purpose == "title" and "off" in dialect.efforts:
        effort = "off"  # a title needs no thinking
    fields: Fields = {
        "model": request.model,
        "messages": messages_of(request, dialect.back(request.model), sent),
        "stream": True,
        "stream_options": {"include_usage": True},
        **dialect.thinking(effort),
    }
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.max_tokens is not None:
        fields[dialect.max_tokens] = request.max_tokens
    if request.stop:
        fields["stop"] = request.stop
    return json.encode(fields)


def messages_of(request: ModelRequest, back: Back, sent: Sent) -> list[object]:
    """System prompt and messages, tool results as messages of their own."""
    wire: list[object] = []
    if request.system:
        wire.append({"role": "system", "content": request.system})
    for message in request.messages:
        wire += sent.of(message, back)
    return wire


def wire_of(message: Message, back: Back) -> list[Fields]:
    """One of our messages as the wire's, of which there may be none or several."""
    return _assistant(message, back) if message["role"] == "assistant" else _user(message)


def _tool(tool: ToolSchema) -> Fields:
    function = {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["parameters"],
    }
    return {"type": "function", "function": function}


def _assistant(message: Message, back: Back) -> list[Fields]:
    text: list[str] = []
    reasoning: list[str] = []
    calls: list[Fields] = []
    for block in message["content"]:
        if block["type"] == "text":
            text.append(block["text"])
        elif block["type"] == "reasoning":
            reasoning.append(block["text"])
        elif block["type"] == "tool-call":
            function = {"name": block["name"], "arguments": block["arguments"] or "{}"}
            calls.append({"id": block["id"], "type": "function", "function": function})
    content = "".join(text)
    if not content and not calls:
        return []  # servers refuse a message that says nothing
    # An empty string, not null: several servers read null as a missing message.
    wire: Fields = {"role": "assistant", "content": content}
    if back == "always" and (calls or reasoning):
        wire["reasoning_content"] = "".join(reasoning)
    if calls:
        wire["tool_calls"] = calls
    return [wire]


def _user(message: Message) -> list[Fields]:
    results: list[Fields] = []
    text: list[str] = []
    for block in message["content"]:
        if block["type"] == "tool-result":
            content = "\n\n".join(part["text"] for part in block["content"])
            results.append(
                {
                    "role": "tool",
                    "tool_call_id": block["toolCallId"],
                    "content": content or NO_OUTPUT,
                }
            )
        elif block["type"] == "text":
            text.append(block["text"])
    joined = "\n\n".join(text)
    return [*results, {"role": "user", "content": joined}] if joined else results
