"""Atomic replacement: whoever looks sees the old file or the new one, never a mixture.

A new file gets the rights that the person's umask gives (as from any editor), because
others of a team or a build may have to read it; a replaced one keeps its own.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dsh_plugins.fs_local.failures import refused
from dsh_plugins.fs_local.folder import Folder, version_of

_NO_HARD_LINKS: Final = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


def publish(
    folder: Folder, name: str, data: bytes, previous: os.stat_result | None
) -> os.stat_result:
    """Put ``data`` at ``name``: over ``previous``, or only if nothing is there.

    Raises FS_STALE_VERSION when ``previous`` is not what stands there any more, and
    FS_NOT_OBSERVED when something appeared; otherwise ``OSError``, with all cleaned up.
    """
    with _staged(folder, previous) as staged:
        view = memoryview(data)
        while view:
            view = view[os.write(staged.fd, view) :]
        os.fsync(staged.fd)
        if previous is None:
            _appear(folder, staged, name)
        else:
            now = folder.look(name)
            if now is None or version_of(now) != version_of(previous):
                raise refused("FS_STALE_VERSION", f"{name} changed during the write")
            _replace(folder, staged.named(), name)
        return os.fstat(staged.fd)


class _Staged:
    """The new file before it is published: if possible without any name, so that even
    a kill leaves nothing behind.
    """

    __slots__ = ("_folder", "fd", "name")

    def __init__(self, folder: Folder, mode: int) -> None:
        self._folder = folder
        self.name: str | None = None
        fd = _unnamed(folder, mode)
        if fd is None:
            self.name = _fresh_name()
            fd = folder.create(self.name, mode)
        self.fd = fd

    def named(self) -> str:
        """Its name in the folder; gives it one if it has none yet."""
        if self.name is None:
            name = _fresh_name()
            self.link(name)
            self.name = name
        return self.name

    def link(self, name: str) -> None:
        """Give it one more name, which must be free."""
        folder = self._folder
        if self.name is None:
            # The one way to give a file without a name its first one.
            os.link(f"/proc/self/fd/{self.fd}", name, dst_dir_fd=folder.fd)
        else:
            source, goal = folder.name(self.name), folder.name(name)
            os.link(source, goal, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)

    def close(self) -> None:
        """Release it; a name that was not published goes."""
        os.close(self.fd)
        if self.name is not None:
            with suppress(FileNotFoundError):  # it was renamed: the good case
                os.unlink(self._folder.name(self.name), dir_fd=self._folder.fd)


@contextmanager
def _staged(folder: Folder, previous: os.stat_result | None) -> Iterator[_Staged]:
    staged = _Staged(folder, 0o666 if previous is None else 0o600)
    try:
        if previous is not None:
            _take_after(staged.fd, previous)
        yield staged
    finally:
        staged.close()


def _unnamed(folder: Folder, mode: int) -> int | None:
    """A file without a name, where system and file system know such a thing."""
    if sys.platform != "linux" or not Path("/proc/self/fd").exists():
        return None
    try:
        flags = os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC
        return os.open(".", flags, mode, dir_fd=folder.fd)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            raise
        return None


def _fresh_name() -> str:
    return f".dsh-{secrets.token_hex(8)}.tmp"


def _replace(folder: Folder, source: str, goal: str) -> None:
    os.replace(
        folder.name(source),
        folder.name(goal),
        src_dir_fd=folder.fd,
        dst_dir_fd=folder.fd,
    )


def _take_after(fd: int, previous: os.stat_result) -> None:
    """Give the new file the owner and the rights of the one it replaces."""
    if os.name == "nt":
        return
    mine = os.fstat(fd)
    if (mine.st_uid, mine.st_gid) != (previous.st_uid, previous.st_gid):
        try:
            os.fchown(fd, previous.st_uid, previous.st_gid)
        except PermissionError:
            with suppress(PermissionError):  # somebody else's file in a shared folder
                os.fchown(fd, -1, previous.st_gid)
    os.fchmod(fd, stat.S_IMODE(previous.st_mode))


def _appear(folder: Folder, staged: _Staged, name: str) -> None:
    """Publish without ever replacing: a competitor, or a link to nowhere, stays."""
    try:
        if os.name == "nt":
            os.rename(folder.name(staged.named()), folder.name(name))  # noqa: PTH104  # refuses to replace there
            return
        try:
            staged.link(name)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(folder.create(name, 0o600))  # taken: nobody else can have it now
            _replace(folder, staged.named(), name)
    except FileExistsError as error:
        message = f"{name} was created by somebody else during the write"
        raise refused("FS_NOT_OBSERVED", message) from error
