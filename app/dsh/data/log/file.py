"""The file of one log, open for appending: created late, written whole, synced on demand.

Everything here blocks; it belongs to the writer thread.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from dsh.data import locks
from dsh.data.events import Header
from dsh.data.locks import Holder, Lock
from dsh.data.log.codec import header_line
from dsh.data.log.layout import LOCK
from dsh.data.private_files import make_private

_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)
_FOLDERS_SYNC = sys.platform != "win32"  # there a folder cannot be opened


class LogFile:
    """Bytes at the end of one log.

    With ``lock`` the log exists and the lock is ours from now on; without one, the first
    write makes folder, lock and header.
    """

    def __init__(self, path: Path, header: Header, lock: Lock | None = None) -> None:
        self.path = path
        self._header = header
        self._lock = lock
        self._descriptor: int | None = None
        self._size = 0
        self._unsynced_folders: list[Path] = []

    def write(self, data: bytes) -> None:
        """Append all of ``data``, or nothing of it. Raises ``OSError``."""
        if self._descriptor is None:
            data = self._open() + data
        assert self._descriptor is not None
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            with suppress(OSError):  # else the torn tail is cut at the next opening
                os.truncate(self.path, self._size)
            raise
        self._size += len(data)

    def sync(self) -> None:
        """Return when what was written survives a power cut. Raises ``OSError``."""
        if self._descriptor is not None:
            sync_data(self._descriptor)
        while self._unsynced_folders:
            sync_folder(self._unsynced_folders[-1])
            self._unsynced_folders.pop()

    def close(self) -> None:
        """Close the file and let others have the log."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _open(self) -> bytes:
        """Open the log, or make it; returns what must stand before the first event."""
        if self._lock is not None:
            self._descriptor = os.open(self.path, _FLAGS)
            self._size = os.fstat(self._descriptor).st_size
            return b""
        folder = self.path.parent
        self._unsynced_folders = make_private(folder)
        taken = locks.take(folder / LOCK, self._header.id)
        if isinstance(taken, Holder):
            raise FileExistsError(f"{folder} is in use by {taken}")
        self._lock = taken
        self._descriptor = os.open(self.path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        return header_line(self._header)


def sync_data(descriptor: int) -> None:
    """Bring a file's data to the disk itself, not only to the disk's own cache."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    elif sys.platform == "win32":
        os.fsync(descriptor)
    else:
        os.fdatasync(descriptor)


def sync_folder(folder: Path) -> None:
    """Bring the entries of a folder to the disk."""
    if not _FOLDERS_SYNC:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
