"""Reading regular files: bounded, never blocking on what is not one."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dsh.seams.fs import FsError, FsTarget
from dsh_plugins.fs_local.encoding import decoded, not_text, sniffed
from dsh_plugins.fs_local.failures import refused, translated
from dsh_plugins.fs_local.fence import Fence
from dsh_plugins.fs_local.folder import identity, is_file
from dsh_plugins.fs_local.place import Place, place_of

CHUNK: Final = 1 << 18


@contextmanager
def opened(place: Place, fence: Fence | None) -> Iterator[tuple[int, os.stat_result]]:
    """The regular file at ``place``. Raises FS_NOT_FOUND, FS_NOT_REGULAR_FILE …"""
    info = place.info()
    if fence is not None:
        fence.check_read(place, identity(info) if info else None)
    if info is None:
        raise refused("FS_NOT_FOUND", f"{place.shown} does not exist")
    # Looked at before it is opened: opening a device may already do something.
    _only_files(info, place.shown)
    fd = place.folder.open_file(place.name)
    try:
        info = os.fstat(fd)
        _only_files(info, place.shown)
        yield fd, info
    finally:
        os.close(fd)


def _only_files(info: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(info.st_mode):
        message = f"{shown} is a folder"
        raise refused("FS_NOT_REGULAR_FILE", message, "list what is in it instead")
    if not is_file(info):
        raise refused("FS_NOT_REGULAR_FILE", f"{shown} is not a regular file")


def content(fd: int, size: int, limit: int, shown: str) -> bytes:
    """All bytes, but no more than ``limit``. Raises FS_TOO_LARGE, also when it grows."""
    if size > limit:
        raise too_large(shown, limit)
    parts: list[bytes] = []
    room = limit + 1
    while room > 0 and (part := os.read(fd, min(room, CHUNK * 4))):
        parts.append(part)
        room -= len(part)
    if room <= 0:
        raise too_large(shown, limit)
    return b"".join(parts)


def too_large(shown: str, limit: int) -> FsError:
    """FS_TOO_LARGE, ready to raise."""
    return refused("FS_TOO_LARGE", f"{shown} is larger than {limit} bytes")


def read_bytes(target: FsTarget, fence: Fence | None, limit: int) -> bytes:
    """The raw content of a file."""
    with place_of(target) as place, opened(place, fence) as (fd, info):
        return content(fd, info.st_size, limit, target.display)


def read_text(target: FsTarget, fence: Fence | None, limit: int) -> str:
    """The text of a file without its BOM, line endings as they stand."""
    return decoded(read_bytes(target, fence, limit), target.display).raw


class TextStream:
    """A file read piece by piece. The first piece settles the encoding."""

    def __init__(self, target: FsTarget, fence: Fence | None) -> None:
        self._shown = target.display
        with place_of(target) as place, opened(place, fence) as (fd, _):
            self._fd = os.dup(fd)
        self._decoder: codecs.IncrementalDecoder | None = None

    def close(self) -> None:
        """Give the file back."""
        os.close(self._fd)

    def piece(self) -> str | None:
        """The next text, perhaps empty; ``None`` at the end."""
        with translated(self._shown):
            data = os.read(self._fd, CHUNK)
        decoder = self._decoder
        if decoder is None:
            encoding = sniffed(data, self._shown, whole=len(data) < CHUNK)
            decoder = codecs.getincrementaldecoder(encoding.codec)()
            self._decoder = decoder
            data = data[len(encoding.bom) :]
            if not data:
                return None
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise not_text(self._shown) from error
        if "\0" in text:
            raise not_text(self._shown)
        return text if data or text else None
