"""The guide as a provider: it streams like a model, and asks for tools like one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio

from dsh.data import json
from dsh.data.ids import new_id
from dsh.data.messages import StreamChunk
from dsh.seams.llm import ModelInfo, ModelProvider, ModelRequest
from dsh_plugins.llm_offline.conversation import Conversation, Say
from dsh_plugins.llm_offline.guide import reply_to

MODEL = ModelInfo("guide", "Offline guide")
_PIECES = re.compile(r"\s*\S{1,12}(?:[ ]\S{1,12})?|\s+")


class OfflineGuide(ModelProvider):
    """Deterministic and without a network; it is no language model and says so."""

    id = "offline"
    label = "Offline guide"
    kind = "offline"

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause  # seconds between two pieces of text

    async def models(self) -> list[ModelInfo]:
        return [MODEL]

    def info(self, model: str) -> ModelInfo:
        return MODEL if model == MODEL.id else ModelInfo(model, MODEL.name)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncIterator[AsyncIterator[StreamChunk]]:
        yield self._chunks(reply_to(Conversation.of(request)))

    async def _chunks(self, reply: Say) -> AsyncIterator[StreamChunk]:
        index = 0
        if reply.text:
            yield {"type": "block-start", "index": index, "blockType": "text"}
            for piece in _PIECES.findall(reply.text):
                yield {"type": "text-delta", "index": index, "text": piece}
                if self._pause:
                    await anyio.sleep(self._pause)
            yield {
                "type": "block-end",
                "index": index,
                "block": {"type": "text", "text": reply.text},
            }
            index += 1
        for chunk in _call(reply, index):
            yield chunk
        reason = "stop" if reply.tool is None else "tool-calls"
        yield {"type": "finish", "reason": reason}  # type: ignore[typeddict-item]  # one of two literals


def _call(reply: Say, index: int) -> Iterator[StreamChunk]:
    if reply.tool is None:
        return
    call_id, text = new_id("call"), json.encode(reply.arguments).decode()
    yield {"type": "block-start", "index": index, "blockType": "tool-call"}
    yield {
        "type": "tool-call-delta",
        "index": index,
        "id": call_id,
        "name": reply.tool,
        "argumentsDelta": text,
    }
    yield {
        "type": "block-end",
        "index": index,
        "block": {
            "type": "tool-call",
            "id": call_id,
            "name": reply.tool,
            "arguments": text,
        },
    }
