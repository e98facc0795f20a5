"""A model whose answers are written down beforehand, and a judge of what it is sent."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from dsh.data.messages import Message, StreamChunk
from dsh.seams.llm import ModelInfo, ModelProvider, ModelRequest, RetryPolicy

# A piece of an answer: a chunk, or something to wait for in the middle of the stream.
Piece = StreamChunk | Callable[[], Awaitable[object]]
Answer = list[Piece]


def says(text: str, *, reasoning: str | None = None) -> Answer:
    """A plain answer."""
    chunks: Answer = []
    if reasoning is not None:
        chunks.append({"type": "reasoning-delta", "index": 0, "text": reasoning})
    chunks += [
        {"type": "text-delta", "index": 1, "text": text},
        {"type": "usage", "usage": {"inputTokens": 10, "outputTokens": 5}},
        {"type": "finish", "reason": "stop"},
    ]
    return chunks


def calls(*wanted: tuple[str, object], text: str = "") -> Answer:
    """Tool calls; arguments that are a string are sent as they stand."""
    chunks: Answer = []
    if text:
        chunks.append({"type": "text-delta", "index": 0, "text": text})
    for number, (name, arguments) in enumerate(wanted, 1):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        chunks.append(
            {
                "type": "tool-call-delta",
                "index": number,
                "id": f"call_{number}",
                "name": name,
                "argumentsDelta": raw,
            }
        )
    chunks.append({"type": "finish", "reason": "tool-calls"})
    return chunks


def cut(name: str, half: str) -> Answer:
    """An answer that the output limit ends inside the arguments of a call."""
    return [*calls((name, half))[:-1], {"type": "finish", "reason": "max-tokens"}]


def fails(code: str, *before: Piece, retry_after_ms: int | None = None) -> Answer:
    """A request that ends in a failure, maybe after some pieces."""
    failure: Any = {"code": code, "message": f"{code} on purpose"}  # Any: a typed dict
    if retry_after_ms is not None:
        failure["providerRetryAfterMs"] = retry_after_ms
    return [*before, {"type": "finish", "reason": "error", "failure": failure}]


class Scripted(ModelProvider):
    """Answers from a script; each request is judged, and kept for the test to read."""

    id = "scripted"
    label = "Scripted"
    kind = "local"

    def __init__(
        self, *script: Answer, endless: Callable[[], Answer] | None = None
    ) -> None:
        self.script = list(script)
        self.requests: list[ModelRequest] = []
        self.retry = RetryPolicy(base_ms=1, max_ms=3_000)
        self._endless = endless

    async def models(self) -> list[ModelInfo]:
        return [self.info("model")]

    def info(self, model: str) -> ModelInfo:
        return ModelInfo(model, context_window=1000)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncIterator[AsyncIterator[StreamChunk]]:
        judge(request.messages)
        self.requests.append(request)
        if self._endless is not None and not self.script:
            answer = self._endless()
        else:
            answer = self.script.pop(0)
        async with aclosing(_pieces(answer)) as chunks:
            yield chunks


async def _pieces(answer: Answer) -> AsyncGenerator[StreamChunk, None]:
    for piece in answer:
        if callable(piece):
            await piece()
        else:
            yield piece


def judge(messages: list[Message]) -> None:
    """What strict servers refuse: empty answers, unpaired calls, unreadable arguments."""
    owed: list[str] = []
    seen: set[str] = set()
    for message in messages:
        blocks = message["content"]
        given = [b["toolCallId"] for b in blocks if b["type"] == "tool-result"]
        if given:
            assert message["role"] == "user"
            assert owed[: len(given)] == given, f"{given} answers, but {owed} is owed"
            del owed[: len(given)]
            continue
        assert not owed, f"{owed} has no result before {message}"
        if message["role"] == "assistant":
            text = "".join(b["text"] for b in blocks if b["type"] == "text")
            owed = [b["id"] for b in blocks if b["type"] == "tool-call"]
            assert text.strip() or owed, "an assistant message is empty"
            for block in blocks:
                if block["type"] == "tool-call":
                    assert isinstance(json.loads(block["arguments"]), dict)
            assert not seen & set(owed), "an id is used twice"
            seen |= set(owed)
    assert not owed, f"{owed} has no result"
    assert messages, "nothing is asked"
    assert messages[-1]["role"] == "user", "the last word is the model's own"


def texts(messages: list[Message]) -> list[str]:
    """The text of each message, results included."""
    found = []
    for message in messages:
        parts = []
        for block in message["content"]:
            if block["type"] == "text":
                parts.append(block["text"])
            elif block["type"] == "tool-result":
                parts += [inner["text"] for inner in block["content"]]
        found.append("".join(parts))
    return found
