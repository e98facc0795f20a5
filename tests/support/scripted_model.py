"""A model server that answers by script and refuses what real servers refuse.

It listens on loopback, keeps every request, and serves exact bytes at exact cuts.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Literal

Event = dict[str, Any]  # Any: wire JSON, odd on purpose
Piece = bytes | asyncio.Event | float
Back = Literal["required", "forbidden", "ignored"]

DONE = b"data: [DONE]\n\n"
_TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_FIELDS = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "thinking",
    "reasoning_effort",
    "chat_template_kwargs",
}
_MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}


class Reply:
    """One answer: bytes are written as they are (one HTTP chunk each), an event is waited
    for, a number is a pause in seconds. Without ``complete`` the connection is cut.
    """

    def __init__(
        self,
        *pieces: Piece,
        status: int = 200,
        kind: str = "text/event-stream",
        headers: dict[str, str] | None = None,
        complete: bool = True,
    ) -> None:
        self.pieces = pieces
        self.status = status
        self.headers = {"content-type": kind, **(headers or {})}
        self.complete = complete


class Recorded:
    """One request as it came in."""

    def __init__(
        self, method: str, target: str, headers: dict[str, str], raw: bytes
    ) -> None:
        self.method = method
        self.target = target
        self.headers = headers
        self.raw = raw

    @property
    def body(self) -> Event:
        """The JSON object sent."""
        parsed = json.loads(self.raw)
        assert isinstance(parsed, dict)
        return parsed

    @property
    def messages(self) -> list[Event]:
        """The messages sent."""
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return messages


Script = Iterable[Reply] | Callable[[Recorded], Reply]


def event(payload: object) -> bytes:
    """One event of the stream."""
    return b"data: " + json.dumps(payload, ensure_ascii=False).encode() + b"\n\n"


def chunk(delta: object = None, finish: str | None = None, **more: object) -> Event:
    """One object of the stream with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more}


def tool_call(
    name: str, arguments: object, call_id: str = "call_1", index: int = 0
) -> Event:
    """The delta of one whole tool call."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    return {"index": index, "id": call_id, "type": "function", "function": function}


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def says(*deltas: str, finish: str = "stop") -> Reply:
    """An answer of text, one event a piece."""
    events = [event(chunk({"content": delta})) for delta in deltas]
    return Reply(*events, event(chunk({}, finish, usage=USAGE)), DONE)


def calls(*fragments: Event, reasoning: str | None = None, text: str = "") -> Reply:
    """An answer of whole tool calls."""
    events = []
    if reasoning is not None:
        events.append(event(chunk({"reasoning_content": reasoning})))
    if text:
        events.append(event(chunk({"content": text})))
    events += [event(chunk({"tool_calls": [fragment]})) for fragment in fragments]
    return Reply(*events, event(chunk({}, "tool_calls", usage=USAGE)), DONE)


class ScriptedModel:
    """The running server."""

    def __init__(self, script: Script, back: Back, models: object) -> None:
        self.requests: list[Recorded] = []
        self.refusals: list[str] = []
        self.connections = 0
        self.port = 0
        self._models = models
        self._back = back
        self._sent: dict[str, str] = {}  # call id → the reasoning that went with it
        self._open: set[asyncio.StreamWriter] = set()
        if callable(script):
            self.answer = script
        else:
            replies = iter(script)
            self.answer = lambda _: next(replies)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[Recorded]:
        """The requests for an answer."""
        return [r for r in self.requests if r.method == "POST"]

    async def handle(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one connection."""
        self.connections += 1
        self._open.add(writer)
        try:
            while (request := await _received(reader)) is not None:
                self.requests.append(request)
                reply = self._reply(request)
                await _serve(writer, reply)
                if not reply.complete:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, as some tests want it
        finally:
            self._open.discard(writer)
            writer.transport.abort() if writer.is_closing() else writer.close()

    def hang_up(self) -> None:
        """Cut every connection."""
        for writer in self._open:
            writer.transport.abort()

    def _reply(self, request: Recorded) -> Reply:
        if request.method == "GET" and request.target.endswith("/models"):
            if isinstance(self._models, Reply):
                return self._models
            return Reply(json.dumps(self._models).encode(), kind="application/json")
        if request.target.partition("?")[0] != "/v1/chat/completions":
            return _error(404, f"no {request.target}")
        try:
            refusal = refused(request.body, self._back, self._sent)
        except (ValueError, AssertionError):
            refusal = "the body is no JSON object"
        if refusal:
            self.refusals.append(refusal)
            return _error(400, refusal)
        try:
            reply = self.answer(request)
        except StopIteration:
            return _error(500, "the script is over")
        self._sent.update(_reasoning_of(reply))
        return reply


@asynccontextmanager
async def scripted_model(
    script: Script = (),
    *,
    back: Back = "ignored",
    models: object = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[ScriptedModel]:
    """A server while the block is open; ``models`` is its list of models."""
    listed = {"data": [{"id": "scripted"}]} if models is None else models
    model = ScriptedModel(script, back, listed)
    server = await asyncio.start_server(model.handle, host, 0)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        model.hang_up()
        await server.wait_closed()


def refused(body: Event, back: Back, sent: dict[str, str]) -> str | None:
    """Why a strict server would not take this request."""
    if unknown := set(body) - _FIELDS:
        return f"unknown fields {sorted(unknown)}"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "no messages"
    expected: list[str] = []
    for place, message in enumerate(messages):
        problem = _message_problem(message, place, back, sent)
        if problem:
            return f"message {place}: {problem}"
        if message["role"] == "tool":
            if not expected or message["tool_call_id"] != expected.pop(0):
                return f"message {place}: a tool result without its call, or out of order"
        elif expected:
            return f"message {place}: tool calls {expected} have no result"
        expected += [call["id"] for call in message.get("tool_calls") or []]
    if expected:
        return f"tool calls {expected} have no result"
    return _tools_problem(body.get("tools") or [])


def _message_problem(
    message: Event, place: int, back: Back, sent: dict[str, str]
) -> str | None:
    role = message.get("role")
    allowed = _MESSAGE_FIELDS.get(str(role))
    if allowed is None or set(message) - allowed:
        return f"unknown role or fields: {sorted(message)}"
    if not isinstance(message.get("content"), str):
        return "content is not text"
    if role == "system" and place:
        return "a system message that is not the first"
    tool_calls = message.get("tool_calls")
    if role != "assistant":
        return None if message["content"] else "empty content"
    if not message["content"] and not tool_calls:
        return "an empty assistant message"
    return _calls_problem(tool_calls or []) or _reasoning_problem(message, back, sent)


def _calls_problem(tool_calls: list[Event]) -> str | None:
    ids = [call["id"] for call in tool_calls]
    if len(set(ids)) != len(ids) or not all(ids):
        return f"ids are missing or repeated: {ids}"
    for call in tool_calls:
        if not _TOOL_NAME.match(call["function"]["name"]):
            return f"bad tool name {call['function']['name']!r}"
        try:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return "arguments are no JSON object"
        except ValueError:
            return "arguments are no JSON"
    return None


def _reasoning_problem(message: Event, back: Back, sent: dict[str, str]) -> str | None:
    if back == "forbidden" and "reasoning_content" in message:
        return "reasoning_content is not accepted"
    if back == "required":
        for call in message.get("tool_calls") or []:
            if message.get("reasoning_content") != sent.get(call["id"], ""):
                return "reasoning_content must be passed back"
    return None


def _tools_problem(tools: list[Event]) -> str | None:
    for tool in tools:
        function = tool.get("function", {})
        if set(tool) != {"type", "function"} or set(function) - {
            "name",
            "description",
            "parameters",
        }:
            return "unknown fields of a tool"
        if not _TOOL_NAME.match(function["name"]):
            return f"bad tool name {function['name']!r}"
    return None


def _reasoning_of(reply: Reply) -> dict[str, str]:
    """Call ids of a scripted answer and the reasoning that goes with them."""
    text, ids = "", []
    for piece in reply.pieces:
        if not isinstance(piece, bytes) or not piece.startswith(b"data: {"):
            continue
        try:
            delta = json.loads(piece[6:])["choices"][0]["delta"] or {}
            text += delta.get("reasoning_content") or ""
            ids += [call["id"] for call in delta.get("tool_calls") or []]
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
    return dict.fromkeys(ids, text)


def _error(status: int, message: str) -> Reply:
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error"}})
    return Reply(body.encode(), status=status, kind="application/json")


async def _received(reader: asyncio.StreamReader) -> Recorded | None:
    line = (await reader.readline()).decode().split()
    if len(line) < 2:
        return None
    headers: dict[str, str] = {}
    while (row := await reader.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = row.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Recorded(line[0], line[1], headers, raw)


async def _serve(writer: asyncio.StreamWriter, reply: Reply) -> None:
    head = f"HTTP/1.1 {reply.status} Scripted\r\ntransfer-encoding: chunked\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
    writer.write(f"{head}\r\n".encode())
    for piece in reply.pieces:
        await writer.drain()
        if isinstance(piece, bytes):
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b"")
        elif isinstance(piece, asyncio.Event):
            await piece.wait()
        else:
            await asyncio.sleep(piece)
    if reply.complete:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
