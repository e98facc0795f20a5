"""What the system says about a file, in the words of the seam."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dsh.seams.fs import FsError

_CODES: Final = {
    errno.ENOENT: ("FS_NOT_FOUND", "does not exist"),
    errno.ENOTDIR: ("FS_NOT_FOUND", "does not exist: part of its path is a file"),
    errno.ENAMETOOLONG: ("FS_NOT_FOUND", "cannot exist: its name is too long"),
    errno.EACCES: ("FS_PERMISSION_DENIED", "may not be accessed by this user"),
    errno.EPERM: ("FS_PERMISSION_DENIED", "may not be changed by this user"),
    errno.EROFS: ("FS_PERMISSION_DENIED", "is on a read-only file system"),
    errno.EISDIR: ("FS_NOT_REGULAR_FILE", "is a folder"),
    errno.ELOOP: ("FS_IO_ERROR", "is a symbolic link that leads in a circle"),
    errno.ENOSPC: ("FS_IO_ERROR", "was not written: the disk is full"),
    errno.EFBIG: ("FS_IO_ERROR", "was not written: it is larger than files may be"),
}
if hasattr(errno, "EDQUOT"):
    _CODES[errno.EDQUOT] = ("FS_IO_ERROR", "was not written: the quota is used up")


def refused(code: str, message: str, remedy: str | None = None) -> FsError:
    """An error of the seam, ready to raise."""
    return FsError(message, code=code, remedy=remedy)


@contextmanager
def translated(shown: str) -> Iterator[None]:
    """Turn errors of the system inside the block into :class:`FsError`."""
    try:
        yield
    except OSError as error:
        code, words = _CODES.get(error.errno or 0, ("FS_IO_ERROR", str(error.strerror)))
        raise refused(code, f"{shown} {words}") from error
