"""Write-behind for every log: one thread, batches, and a barrier that means "on disk".

An accepted line is written within 20 ms, or as soon as 64 wait, in one write per batch.
``flush`` hurries the batch and adds one sync for all who wait. A failed write or sync
stops its log for good: after an I/O error the kernel may call lost pages clean.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from dsh.data.clock import monotonic
from dsh.errors import DataError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from dsh.data.log.file import LogFile

BATCH_DELAY: Final = 0.02  # seconds
BATCH_SIZE: Final = 64  # lines
_Barrier = asyncio.Future[None]


class LogThread:
    """The one thread that writes. Own it with :meth:`running`."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._deadlines: dict[LogWriter, float] = {}
        self._asleep = False  # it would not wake in time by itself
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="dsh-log", daemon=True)

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[LogThread]:
        """The thread runs while the block is open; at its end all is written."""
        self = cls()
        self._thread.start()
        try:
            yield self
        finally:
            with self.changed:
                self._closing = True
                self.changed.notify()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._thread.join)

    def arm(self, writer: LogWriter, delay: float) -> None:
        """Write for ``writer`` after ``delay`` seconds. Call with ``changed`` held."""
        deadline = monotonic() + delay
        self._deadlines[writer] = min(deadline, self._deadlines.get(writer, deadline))
        if self._asleep or not delay:  # waking a thread costs more than an append
            self.changed.notify()

    def _run(self) -> None:
        while (due := self._wait()) is not None:
            for writer in due:
                writer.work()

    def _wait(self) -> list[LogWriter] | None:
        """The writers whose time has come; None when it is over."""
        lately = BATCH_DELAY  # who has just written will soon write again
        with self.changed:
            while True:
                now = monotonic()
                rows = self._deadlines.items()
                due = [w for w, deadline in rows if deadline <= now or self._closing]
                if due:
                    for writer in due:
                        del self._deadlines[writer]
                    return due
                if self._closing:
                    return None
                nearest = min(self._deadlines.values(), default=now + lately)
                self._asleep = nearest == now
                self.changed.wait(None if self._asleep else nearest - now)
                lately = 0.0


class LogWriter:
    """Accepts the lines of one log, in order, from the loop's thread.

    ``written`` is the seq of the last event the operating system has (it survives a
    kill). ``failed`` says why the log is stopped; ``on_failure`` is called once, in the
    loop.
    """

    def __init__(
        self,
        thread: LogThread,
        file: LogFile,
        tip: int,
        on_failure: Callable[[DataError], None],
    ) -> None:
        self.written = tip
        self.failed: DataError | None = None
        self._thread = thread
        self._file = file
        self._loop = asyncio.get_running_loop()
        self._on_failure = on_failure
        self._pending: list[bytes] = []
        self._barriers: list[_Barrier] = []
        self._unsynced = False

    def append(self, line: bytes) -> None:
        """Accept one line. It is kept, in order, even when the log is stopped."""
        with self._thread.changed:
            self._pending.append(line)
            if self.failed is not None:
                return
            count = len(self._pending)
            if count == 1:
                self._thread.arm(self, BATCH_DELAY)
            elif count == BATCH_SIZE:
                self._thread.arm(self, 0)

    async def flush(self) -> None:
        """Return when every accepted line is on disk. Cancelling it loses nothing.

        Raises :class:`DataError` SESSION_WRITE_FAILED.
        """
        with self._thread.changed:
            if self.failed is not None:
                raise _copy(self.failed)
            if not self._pending and not self._unsynced:
                return
            barrier: _Barrier = self._loop.create_future()
            self._barriers.append(barrier)
            self._thread.arm(self, 0)
        await barrier

    async def close(self) -> None:
        """Flush, then close the file and free its lock, whatever happens."""
        try:
            await self.flush()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._file.close)

    def work(self) -> None:
        """Write one batch and serve who waits for it. In the writer thread."""
        with self._thread.changed:
            batch, self._pending = self._pending, []
            barriers, self._barriers = self._barriers, []
            self._unsynced = self._unsynced or bool(batch)
        try:
            if batch:
                self._file.write(b"".join(batch))
                self.written += len(batch)
                batch = []
            if barriers:
                self._file.sync()
                self._unsynced = False
        except OSError as error:
            self._stop(batch, barriers, error)
        else:
            if barriers:
                self._loop.call_soon_threadsafe(_settle, barriers, None)

    def _stop(self, batch: list[bytes], barriers: list[_Barrier], error: OSError) -> None:
        message = f"the session cannot be written: {error.strerror or error}"
        remedy = "Free disk space or check the disk, then open the session again."
        failure = DataError(message, code="SESSION_WRITE_FAILED", remedy=remedy)
        with self._thread.changed:
            self.failed = failure
            self._pending[:0] = batch  # the order of what is not written stays known
            barriers += self._barriers
            self._barriers = []
        self._loop.call_soon_threadsafe(self._stopped, barriers, failure)

    def _stopped(self, barriers: list[_Barrier], failure: DataError) -> None:
        self._on_failure(failure)
        _settle(barriers, failure)


def _settle(barriers: list[_Barrier], failure: DataError | None) -> None:
    for barrier in barriers:
        if not barrier.done():  # whoever waited may have been cancelled
            if failure is None:
                barrier.set_result(None)
            else:
                barrier.set_exception(_copy(failure))


def _copy(failure: DataError) -> DataError:
    return DataError(str(failure), code=failure.code, remedy=failure.remedy)
