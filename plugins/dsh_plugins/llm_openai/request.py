"""Our messages as the wire wants them."""

from __future__ import annotations

from dsh.data import json
from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import Message
from dsh.seams.llm import ModelRequest
from dsh_plugins.llm_openai.dialects import Back, Dialect, Fields

NO_OUTPUT = "(no output)"


def body_of(request: ModelRequest, dialect: Dialect) -> bytes:
    """The JSON body of a request. Raises `LlmError` for an effort that is unknown."""
    effort = request.effort
    if request.purpose == "title" and "off" in dialect.efforts:
        effort = "off"  # a title needs no thinking
    fields: Fields = {
        "model": request.model,
        "messages": messages_of(request, dialect.back(request.model)),
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


def messages_of(request: ModelRequest, back: Back) -> list[Fields]:
    """System prompt and messages, tool results as messages of their own."""
    wire: list[Fields] = []
    if request.system:
        wire.append({"role": "system", "content": request.system})
    for message in request.messages:
        if message["role"] == "assistant":
            wire.extend(_assistant(message, back))
        else:
            wire.extend(_user(message))
    return wire


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
