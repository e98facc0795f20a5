"""A folder held open, so that what was checked is what is used.

Where the system has no such handles (Windows), the path stands for it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from dsh.seams.fs import Version

Identity = tuple[int, int]  # device and inode

HELD: Final = os.open in os.supports_dir_fd
# O_PATH needs no right to list the folder, only to pass through it.
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_SAFE: Final = (
    _NO_LINK
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


class Folder:
    """One open folder. Use it in a ``with`` block; errors are plain ``OSError``."""

    __slots__ = ("fd", "path")

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path = path
        self.fd = fd

    @classmethod
    def open(cls, path: Path) -> Folder:
        """Open the folder at ``path``, through links."""
        if not HELD:
            if not path.is_dir():
                path.stat()
                raise NotADirectoryError(20, "Not a directory", str(path))
            return cls(path.resolve(), None)
        return cls(path, os.open(path, _FOLDER | os.O_CLOEXEC))

    def child(self, name: str) -> Folder:
        """Open a folder directly below this one; a link is not followed."""
        if self.fd is None:
            return Folder.open(self.path / name)
        flags = _FOLDER | _NO_LINK | os.O_CLOEXEC
        return Folder(self.path / name, os.open(name, flags, dir_fd=self.fd))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def name(self, name: str) -> str:
        """What to pass to the system, together with ``dir_fd=self.fd``."""
        return name if self.fd is not None else str(self.path / name)

    def look(self, name: str) -> os.stat_result | None:
        """Facts about a child, links not followed; ``None`` when there is none."""
        try:
            return os.stat(self.name(name), dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self, name: str) -> int:
        """Open a regular child for reading, never blocking and never through a link."""
        return os.open(self.name(name), os.O_RDONLY | _SAFE, dir_fd=self.fd)

    def create(self, name: str, mode: int) -> int:
        """Create a child that must not exist yet."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE
        return os.open(self.name(name), flags, mode, dir_fd=self.fd)

    def chain(self) -> list[Identity]:
        """The identities of this folder and of all above it, as they are now."""
        if self.fd is None:
            return [identity(p.stat()) for p in (self.path, *self.path.parents)]
        found: list[Identity] = []
        step = "."
        while True:
            here = identity(os.stat(step, dir_fd=self.fd))
            if found and found[-1] == here:  # the root is its own parent
                return found
            found.append(here)
            step += "/.."


def identity(info: os.stat_result) -> Identity:
    """What tells files apart, whatever they are called."""
    return info.st_dev, info.st_ino


def version_of(info: os.stat_result) -> Version:
    """Changes whenever the content may have: the change time cannot be set back."""
    parts = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return Version(":".join(map(str, parts)))


def is_file(info: os.stat_result) -> bool:
    """Whether it is a regular file."""
    return stat.S_ISREG(info.st_mode)
