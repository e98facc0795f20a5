"""Reads what a process writes, for as long as anybody may write.

Most commands say little, and starting a thread costs more than reading that; so the loop
reads the first bytes, and a thread takes over when there are more.
"""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable

_FIRST = 16 * 1024  # bytes that the loop reads itself
_BUFFER = 1 << 20  # bytes a read of the thread may take; half costs a third of the speed

Feed = Callable[[memoryview], None]


class Reader:
    """Reads several descriptors to their ends and closes them."""

    def __init__(self, feeds: dict[int, Feed]) -> None:
        self._feeds = feeds
        self._loop = asyncio.get_running_loop()
        self._left = _FIRST
        self._thread: threading.Thread | None = None
        self._stop_read, self._stop_write = -1, -1
        self.over = asyncio.Event()  # every descriptor has reached its end

    def start(self) -> None:
        """Begin to read."""
        for fd in self._feeds:
            os.set_blocking(fd, False)
            self._loop.add_reader(fd, self._read_some, fd)

    async def stop(self) -> None:
        """Return when nothing reads any more; what was not read by now is lost."""
        if self._thread is None:
            self._leave_loop()
            for fd in self._feeds:
                os.close(fd)
            self._feeds.clear()
            self.over.set()
            return
        if not self.over.is_set():
            # Somebody outside the tree still holds the other end of a pipe.
            os.write(self._stop_write, b"x")
            await self.over.wait()
        self._thread.join()  # it has nothing left to do
        os.close(self._stop_read)
        os.close(self._stop_write)

    # -- in the loop ---------------------------------------------------------------

    def _read_some(self, fd: int) -> None:
        data = os.read(fd, self._left)
        if data:
            self._feeds[fd](memoryview(data))
            self._left -= len(data)
            if not self._left:
                self._hand_over()
            return
        self._loop.remove_reader(fd)
        os.close(fd)
        del self._feeds[fd]
        if not self._feeds:
            self.over.set()

    def _leave_loop(self) -> None:
        for fd in self._feeds:
            self._loop.remove_reader(fd)

    def _hand_over(self) -> None:
        self._leave_loop()
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="dsh-output", daemon=True)
        self._thread.start()

    # -- in the thread -------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._read()
        finally:
            for fd in self._feeds:
                os.close(fd)
            self._loop.call_soon_threadsafe(self.over.set)

    def _read(self) -> None:
        buffer = bytearray(_BUFFER)
        view = memoryview(buffer)
        poll = select.poll()
        for fd in (*self._feeds, self._stop_read):
            poll.register(fd, select.POLLIN)
        while self._feeds:
            for fd, _ in poll.poll():
                if fd == self._stop_read:
                    return
                count = os.readv(fd, [buffer])
                if count > 0:
                    self._feeds[fd](view[:count])
                else:
                    poll.unregister(fd)
                    os.close(fd)
                    del self._feeds[fd]
