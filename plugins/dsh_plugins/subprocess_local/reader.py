"""The thread that reads what a process writes, for as long as anybody may write."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable

_BUFFER = 1 << 20  # bytes a read may take; half of it costs a third of the speed

Feed = Callable[[memoryview], None]


class Reader:
    """Reads several descriptors to their ends in one thread and closes them."""

    def __init__(self, feeds: dict[int, Feed]) -> None:
        self._feeds = feeds
        self._loop = asyncio.get_running_loop()
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="dsh-output", daemon=True)
        self.over = asyncio.Event()  # every descriptor has reached its end

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    async def stop(self) -> None:
        """Return when the thread has ended; what was not read by now is lost."""
        if not self.over.is_set():
            # Somebody outside the tree still holds the other end of a pipe.
            os.write(self._stop_write, b"x")
            await self.over.wait()
        self._thread.join()  # it has nothing left to do
        os.close(self._stop_read)
        os.close(self._stop_write)

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
