"""Output for somebody who watches: as it comes, bounded, never holding the child up."""

from __future__ import annotations

import asyncio
import codecs
import threading
from collections import deque
from collections.abc import AsyncIterator

# More than this a second nobody reads, and every byte goes over the wire to the page.
_LIMIT = 16 * 1024  # bytes that wait to be shown
_PAUSE = 0.05  # seconds between two looks


class Live:
    """A queue from the reader to one watcher; its middle is dropped in a flood."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._size = 0
        self._dropped = 0
        self._told = False
        self._news = asyncio.Event()
        self._over = False
        self._next_look = 0.0  # the loop's time
        self._timer: asyncio.TimerHandle | None = None

    def push(self, stream: str, data: memoryview) -> None:
        """From any thread: more output of ``stream``."""
        with self._lock:
            skipped = max(0, len(data) - _LIMIT)
            self._dropped += skipped
            self._waiting.append((stream, bytes(data[skipped:])))
            self._size += len(data) - skipped
            while self._size > _LIMIT and len(self._waiting) > 1:
                _, old = self._waiting.popleft()
                self._size -= len(old)
                self._dropped += len(old)
            if self._told:
                return
            self._told = True
        self._loop.call_soon_threadsafe(self._announce)

    def _announce(self) -> None:
        """From the loop: let the watcher look when it is time. The end never waits."""
        if self._over:
            return
        self._timer = self._loop.call_at(self._next_look, self._news.set)

    def finish(self) -> None:
        """From the loop: nothing more will come."""
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
        self._news.set()

    async def watch(self) -> AsyncIterator[tuple[str, str]]:
        """("stdout" | "stderr", text) until the output is over."""
        decoders = {name: _decoder() for name in ("stdout", "stderr")}
        while True:
            await self._news.wait()
            self._news.clear()
            self._next_look = self._loop.time() + _PAUSE
            parts, dropped = self._take()
            if dropped:
                decoders = {name: _decoder() for name in decoders}
                first = parts[0][0] if parts else "stdout"
                yield first, f"\n[… {dropped:,} bytes not shown …]\n"
            for name, data in parts:
                text = decoders[name].decode(data)
                if text:
                    yield name, text
            if self._over:
                if not parts and not dropped:
                    return
                self._news.set()

    def _take(self) -> tuple[list[tuple[str, bytes]], int]:
        with self._lock:
            parts, dropped = list(self._waiting), self._dropped
            self._waiting.clear()
            self._size = self._dropped = 0
            self._told = False
        return parts, dropped


def _decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")(errors="replace")
