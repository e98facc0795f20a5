"""Asks a provider and sums the answer up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dsh.data.messages import Block, LlmFailure, Message, StreamChunk, Usage
from dsh.seams.endpoints import Endpoint, EndpointLimits, EndpointProvider, no_key
from dsh.seams.llm import ModelProvider, ModelRequest
from dsh_plugins.llm_openai.plugin import OpenAIEndpoints


def user(text: str, number: int = 1) -> Message:
    """A message of a person."""
    return {
        "id": f"msg-{number}",
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "source": {"kind": "user"},
    }


def assistant(*blocks: Block, number: int = 1) -> Message:
    """An answer of a model."""
    return {
        "id": f"msg-a{number}",
        "role": "assistant",
        "content": list(blocks),
        "source": {"kind": "model", "provider": "p", "model": "m"},
    }


def result(call_id: str, text: str) -> Message:
    """What a tool gave back."""
    return {
        "id": f"msg-{call_id}",
        "role": "user",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": call_id,
                "content": [{"type": "text", "text": text}],
            }
        ],
        "source": {"kind": "tool", "callId": call_id},
    }


class Heard:
    """The chunks of one answer."""

    def __init__(self, chunks: list[StreamChunk]) -> None:
        self.chunks = chunks
        finish = chunks[-1]
        assert finish["type"] == "finish"
        self.reason = finish["reason"]
        self.failure: LlmFailure | None = finish.get("failure")
        ends = [chunk for chunk in chunks if chunk["type"] == "block-end"]
        self.blocks = [chunk["block"] for chunk in ends]
        self.indexes = [chunk["index"] for chunk in ends]
        figures = [chunk["usage"] for chunk in chunks if chunk["type"] == "usage"]
        self.usage: Usage | None = figures[-1] if figures else None
        assert sum(chunk["type"] == "finish" for chunk in chunks) == 1
        self._check_deltas()

    @property
    def text(self) -> str:
        """The visible text, from the deltas."""
        return "".join(c["text"] for c in self.chunks if c["type"] == "text-delta")

    @property
    def reasoning(self) -> str:
        """The reasoning, from the deltas."""
        return "".join(c["text"] for c in self.chunks if c["type"] == "reasoning-delta")

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        """Id, name and arguments of each call."""
        return [
            (block["id"], block["name"], block["arguments"])
            for block in self.blocks
            if block["type"] == "tool-call"
        ]

    @property
    def code(self) -> str | None:
        """The code of the failure."""
        return self.failure["code"] if self.failure is not None else None

    @property
    def message(self) -> str:
        """The message of the failure."""
        assert self.failure is not None
        return self.failure["message"]

    def _check_deltas(self) -> None:
        """Blocks start once, deltas add up to them, and nothing follows their end."""
        grown: dict[int, str] = {}
        ended: set[int] = set()
        for chunk in self.chunks:
            if chunk["type"] == "block-start":
                assert chunk["index"] not in grown
                grown[chunk["index"]] = ""
            elif chunk["type"] in ("text-delta", "reasoning-delta"):
                assert chunk["index"] not in ended
                grown[chunk["index"]] += chunk["text"]
            elif chunk["type"] == "tool-call-delta":
                grown[chunk["index"]] += chunk["argumentsDelta"]
            elif chunk["type"] == "block-end":
                block = chunk["block"]
                whole = (
                    block["arguments"] if block["type"] == "tool-call" else block["text"]
                )
                assert grown[chunk["index"]] == whole
                ended.add(chunk["index"])


async def ask(provider: ModelProvider, *messages: Message, **more: object) -> Heard:
    """One request, read to its end."""
    wanted = list(messages) or [user("hi")]
    request = ModelRequest(provider.id, "scripted", wanted, **more)  # type: ignore[arg-type]  # as given
    async with provider.stream(request) as chunks:
        return Heard([chunk async for chunk in chunks])


@asynccontextmanager
async def endpoint_provider(
    base_url: str,
    dialect: str = "generic",
    *,
    key: str | None = None,
    limits: EndpointLimits | None = None,
    environment: dict[str, str] | None = None,
) -> AsyncIterator[EndpointProvider]:
    """A provider of the shipped wire, with the proxies of the given environment."""

    async def given() -> str | None:
        return key

    endpoint = Endpoint(
        "test", base_url, dialect, key=given if key else no_key, limits=limits
    )
    endpoints = OpenAIEndpoints(environment or {})
    async with endpoints.provider(endpoint) as provider:
        yield provider
