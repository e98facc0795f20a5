"""One holder per lock file, enforced by the operating system and free after any crash.

The lock belongs to the open file, not to its content; the content only tells others who
holds it. The file is never deleted: deleting it would let two holders in. The descriptor
is close-on-exec, because a lock lives as long as any process that inherited it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from dsh.data.clock import now_ms

# Far behind the content, so that on systems whose locks are mandatory it stays readable.
_WINDOWS_OFFSET = 1 << 30


class Holder(msgspec.Struct, frozen=True):
    """Who holds a lock, as far as is known: process, since when (ms), and for what."""

    pid: int | None = None
    since: int | None = None
    note: str = ""

    def __str__(self) -> str:
        who = f"process {self.pid}" if self.pid is not None else "another process"
        return f"{who} ({self.note})" if self.note else who


class Lock:
    """A lock that is held until :meth:`release` or the end of its block."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    @property
    def descriptor(self) -> int | None:
        """The descriptor, for those who must keep it from children; None when free."""
        return self._descriptor

    def release(self) -> None:
        """Let others in. Doing it twice is harmless."""
        if self._descriptor is not None:
            _unlock(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def take(path: Path, note: str = "") -> Lock | Holder:
    """Take the lock at once, or say who has it. The folder must exist.

    Raises ``OSError`` when the file cannot be opened at all.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if not _try_lock(descriptor):
            holder = _read_holder(descriptor)
            os.close(descriptor)
            return holder
        _write_holder(descriptor, Holder(os.getpid(), now_ms(), note))
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(path, descriptor)


def _read_holder(descriptor: int) -> Holder:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        return msgspec.json.decode(os.read(descriptor, 4096), type=Holder)
    except (msgspec.DecodeError, OSError):
        return Holder()  # between taking the lock and writing who took it


def _write_holder(descriptor: int, holder: Holder) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, 0)
    os.write(descriptor, msgspec.json.encode(holder))


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _WINDOWS_OFFSET, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _WINDOWS_OFFSET, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
