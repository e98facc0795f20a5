"""One client's outgoing frames: collected for a moment, sent as one array."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from dsh.data.json import encode

COALESCE_SECONDS = 0.012  # a frame of a 60 Hz screen is 16 ms
SLOW_ITEMS = 20_000
SLOW_BYTES = 32_000_000

SLOW = 4408  # close code: come back and resume


class TooSlow(Exception):  # ends a feed; the client resumes
    """The client does not read; what is waiting for it would fill the memory."""


class Feed:
    """A bounded queue of items for one socket.

    Items are JSON already: one event is encoded once, however many clients there are.
    """

    def __init__(self) -> None:
        self._items: list[bytes] = []
        self._size = 0
        self._largest = 0
        self._ready = anyio.Event()
        self._overflow = False
        self.closed = False

    def put(self, item: bytes) -> None:
        """Queue an item. Never blocks; an overflow ends the feed instead."""
        if self._overflow or self.closed:
            return
        self._items.append(item)
        self._size += len(item)
        self._largest = max(self._largest, len(item))
        # One item may be larger than all of that: a client that resumes must get it.
        waiting = self._size - self._largest
        if len(self._items) > SLOW_ITEMS or waiting > SLOW_BYTES:
            self.overflow()
        self._ready.set()

    def overflow(self) -> None:
        """Something was lost: the client must come back and resume."""
        self._overflow = True
        self._items.clear()
        self._ready.set()

    def close(self) -> None:
        """The client has gone: nothing is kept for it any more."""
        self.closed = True
        self._items.clear()

    def pour_into(self, other: Feed) -> None:
        """Hand everything over to another feed; what did not fit is missed there too."""
        if self._overflow:
            other.overflow()
        for payload in self._items:
            other.put(payload)
        self._items.clear()

    async def run(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what is queued until cancelled. Raises :class:`TooSlow`."""
        while True:
            await self._ready.wait()
            await anyio.sleep(COALESCE_SECONDS)
            if self._overflow:
                raise TooSlow
            items, self._items = self._items, []
            self._size = self._largest = 0
            self._ready = anyio.Event()
            await send("[" + b",".join(items).decode() + "]")


def item(topic: str, type_: str, data: bytes, seq: int | None = None) -> bytes:
    """One item of a frame; ``data`` is JSON."""
    head = f'{{"topic":{encode(topic).decode()},"type":{encode(type_).decode()}'
    if seq is not None:
        head += f',"seq":{seq}'
    return head.encode() + b',"data":' + data + b"}"
