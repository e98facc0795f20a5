"""Chunks on their way to a consumer that may be slower than the network."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator

import anyio

from dsh.data.messages import StreamChunk


class Chunks(AsyncIterator[StreamChunk]):
    """A queue in which deltas of one block that wait together become one.

    So a burst of a thousand small pieces costs the consumer about as much as one.
    """

    def __init__(self) -> None:
        self._waiting: deque[StreamChunk] = deque()
        self._pieces: list[str] = []  # of the last delta that waits
        self._changed = anyio.Event()
        self.finished = False

    def put(self, chunk: StreamChunk) -> None:
        """Add a chunk. Nothing is taken after a ``finish``."""
        if self.finished:
            return
        if not self._joined(chunk):
            self._settle()
            self._waiting.append(chunk)
        self.finished = chunk["type"] == "finish"
        self._changed.set()

    async def __anext__(self) -> StreamChunk:
        while not self._waiting:
            if self.finished:
                raise StopAsyncIteration
            self._changed = anyio.Event()
            await self._changed.wait()
        if len(self._waiting) == 1:
            self._settle()
        return self._waiting.popleft()

    def _joined(self, chunk: StreamChunk) -> bool:
        if not self._waiting:
            return False
        last = self._waiting[-1]
        if chunk["type"] == "text-delta":
            if last["type"] != "text-delta" or last["index"] != chunk["index"]:
                return False
            piece, first = chunk["text"], last["text"]
        elif chunk["type"] == "reasoning-delta":
            if last["type"] != "reasoning-delta" or last["index"] != chunk["index"]:
                return False
            piece, first = chunk["text"], last["text"]
        elif chunk["type"] == "tool-call-delta":
            if last["type"] != "tool-call-delta" or last["index"] != chunk["index"]:
                return False
            piece, first = chunk["argumentsDelta"], last["argumentsDelta"]
        else:
            return False
        if not self._pieces:
            self._pieces.append(first)
        self._pieces.append(piece)
        return True

    def _settle(self) -> None:
        """Put the joined pieces into the delta that they belong to."""
        if not self._pieces:
            return
        text = "".join(self._pieces)
        self._pieces = []
        last = self._waiting[-1]
        if last["type"] == "tool-call-delta":
            self._waiting[-1] = {**last, "argumentsDelta": text}
        elif last["type"] == "text-delta":
            self._waiting[-1] = {
                "type": "text-delta",
                "index": last["index"],
                "text": text,
            }
        elif last["type"] == "reasoning-delta":
            self._waiting[-1] = {
                "type": "reasoning-delta",
                "index": last["index"],
                "text": text,
            }
