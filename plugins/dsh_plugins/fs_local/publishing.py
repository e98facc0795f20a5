"""Atomic replacement: whoever looks sees the old file or the new one, never a mixture.

A new file gets the rights that the person's umask gives (as from any editor), because
others of a team or a build may have to read it; a replaced one keeps its own.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    with _staged(folder, previous) as (staged, fd):
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
        if previous is None:
            _appear(folder, staged, name)
        else:
            now = folder.look(name)
            if now is None or version_of(now) != version_of(previous):
                raise refused("FS_STALE_VERSION", f"{name} changed during the write")
            os.replace(
                folder.name(staged),
                folder.name(name),
                src_dir_fd=folder.fd,
                dst_dir_fd=folder.fd,
            )
        return os.fstat(fd)


@contextmanager
def _staged(folder: Folder, previous: os.stat_result | None) -> Iterator[tuple[str, int]]:
    staged = f".dsh-{secrets.token_hex(8)}.tmp"
    fd = folder.create(staged, 0o666 if previous is None else 0o600)
    try:
        if previous is not None:
            _take_after(fd, previous)
        yield staged, fd
    finally:
        os.close(fd)
        with suppress(FileNotFoundError):  # it was renamed: the good case
            _unlink(folder, staged)


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


def _appear(folder: Folder, staged: str, name: str) -> None:
    """Publish without ever replacing: a competitor, or a link to nowhere, stays."""
    source, goal = folder.name(staged), folder.name(name)
    try:
        if os.name == "nt":
            os.rename(source, goal)  # noqa: PTH104  # refuses to replace there
            return
        try:
            os.link(source, goal, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.close(folder.create(name, 0o600))  # taken: nobody else can have it now
            os.replace(source, goal, src_dir_fd=folder.fd, dst_dir_fd=folder.fd)
            return
    except FileExistsError as error:
        message = f"{name} was created by somebody else during the write"
        raise refused("FS_NOT_OBSERVED", message) from error
    _unlink(folder, staged)


def _unlink(folder: Folder, name: str) -> None:
    os.unlink(folder.name(name), dir_fd=folder.fd)
