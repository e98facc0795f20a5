"""One request and its answer, from the connection to the last chunk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import anyio

from dsh.data.clock import monotonic
from dsh.data.messages import LlmFailure
from dsh.seams.llm import LlmError
from dsh_plugins.llm_openai.answer import AnswerReader
from dsh_plugins.llm_openai.chunks import Chunks
from dsh_plugins.llm_openai.failures import (
    from_status,
    not_a_stream,
    shown,
    with_request_id,
)
from dsh_plugins.llm_openai.limits import Patience
from dsh_plugins.llm_openai.sse import EventStream, TooLong
from dsh_plugins.llm_openai.text import decoded

if TYPE_CHECKING:
    import httpx

# After the reason to finish, a server still owes its figures and [DONE]; not all pay.
TAIL_SECONDS = 2.0
DRAIN_SECONDS = 0.2
RENEWAL = 0.05  # of the silence granted may pass before it is granted anew
LARGEST_ERROR = 64 << 10
LARGEST_ANSWER = 64 << 20


class Exchange:
    """Reads one response into chunks."""

    def __init__(self, chunks: Chunks, patience: Patience) -> None:
        self._chunks = chunks
        self._patience = patience
        self._reader = AnswerReader(chunks.put)
        self._events = EventStream()
        self._done = False
        self._ended = False
        self._received = 0
        self._moved = 0.0  # when the deadline was last moved on
        self.granted = patience.connect + patience.first  # seconds of silence from now on

    async def read(self, response: httpx.Response, watch: anyio.CancelScope) -> None:
        """Read to the end. ``watch`` is the deadline, moved on by each sign of life.

        Raises `LlmError` for what is no answer.
        """
        if response.status_code != 200:
            raise LlmError(await self._refused(response))
        try:
            await self._read(response, watch)
        except LlmError as error:
            with_request_id(error.failure, response.headers)
            raise

    def silent(self) -> None:
        """The deadline has passed. Raises `LlmError` unless the answer was complete."""
        if self._done:
            return
        if self._reader.reason is None:
            message = f"the server has been silent for {self.granted:g} s"
            raise LlmError({"code": "TIMEOUT", "message": message})
        self._finish(ended=True)

    async def _refused(self, response: httpx.Response) -> LlmFailure:
        body = b""
        with anyio.move_on_after(5):  # the status is worth more than a slow text
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LARGEST_ERROR:
                    break
        url = str(response.request.url.copy_with(query=None))
        return from_status(response.status_code, response.headers, body, url)

    async def _read(self, response: httpx.Response, watch: anyio.CancelScope) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        pieces = response.aiter_bytes()
        if kind != "text/event-stream":
            head = await self._head(pieces, watch)
            if not _looks_like_events(head):
                await self._whole(head, pieces, kind)
                return
            self._take(head)
        async for piece in pieces:
            self._take(piece)
            if self._done:
                break
            self._alive(watch)
        if not self._done:
            self._events_of(self._events.finish())
            self._finish(ended=self._ended)
            return
        # Read on to the end of the response, so that its connection can be used again.
        with anyio.move_on_after(DRAIN_SECONDS):
            async for _ in pieces:
                pass

    async def _head(
        self, pieces: AsyncIterator[bytes], watch: anyio.CancelScope
    ) -> bytes:
        """Enough of an answer of unclear type to tell what it is."""
        head = b""
        async for piece in pieces:
            self._alive(watch)
            head += piece
            if len(head.lstrip()) >= len(b"data:"):
                break
        return head

    async def _whole(self, head: bytes, pieces: AsyncIterator[bytes], kind: str) -> None:
        """An answer that is not a stream: one JSON object, or no answer at all."""
        body = bytearray(head)
        async for piece in pieces:
            body += piece
            if len(body) > LARGEST_ANSWER:
                break
        try:
            document = decoded(bytes(body))
        except ValueError:
            document = None
        if isinstance(document, dict) and (
            document.get("choices") or "error" in document
        ):
            self._reader.take(document)
            self._finish(ended=True)
            return
        raise LlmError(not_a_stream(bytes(body[:LARGEST_ERROR]), kind))

    def _take(self, piece: bytes) -> None:
        self._received += len(piece)
        if self._received > LARGEST_ANSWER:
            raise _malformed(f"the answer is larger than {LARGEST_ANSWER >> 20} MB")
        try:
            events = self._events.feed(piece)
        except TooLong:
            raise _malformed("an event of the answer is too large") from None
        self._events_of(events)

    def _events_of(self, events: list[bytes]) -> None:
        for event in events:
            if self._done:
                return
            if event.strip() == b"[DONE]":
                self._ended = True
                self._finish(ended=True)
                return
            try:
                self._reader.take(decoded(event))
            except ValueError:
                text = shown(event.decode("utf-8", "replace"))
                raise _malformed(f"the answer is not JSON: {text}") from None
            if self._reader.failure is not None:
                self._finish(ended=True)

    def _finish(self, *, ended: bool) -> None:
        self._done = True
        self._reader.finish(ended=ended)

    def _alive(self, watch: anyio.CancelScope) -> None:
        """Something arrived: grant the silence that is normal from here on."""
        if self._reader.reason is not None:
            seconds = TAIL_SECONDS
        elif self._reader.begun:
            seconds = self._patience.idle
        else:
            seconds = max(self._patience.first, self._patience.idle)
        now = monotonic()  # the loop's clock too, but asking the loop takes longer
        # Moving a deadline costs more than reading a small piece: not for each of them.
        if seconds != self.granted or now - self._moved > seconds * RENEWAL:
            self.granted, self._moved = seconds, now
            watch.deadline = now + seconds


def _looks_like_events(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf\r\n ")
    return text.startswith((b"data:", b":", b"event:", b"id:", b"retry:"))


def _malformed(message: str) -> LlmError:
    return LlmError({"code": "MALFORMED_RESPONSE", "message": message})
