"""The file system of this machine behind the seam."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread

from dsh.seams.fs import (
    FileSystem,
    FileType,
    FsEdit,
    FsEntry,
    FsInfo,
    FsTarget,
    FsWritten,
    Version,
    WriteIntent,
)
from dsh.seams.sandbox import Policy, SandboxPolicy
from dsh_plugins.fs_local import listing, reading, writing
from dsh_plugins.fs_local.failures import translated
from dsh_plugins.fs_local.fence import Fence
from dsh_plugins.fs_local.folder import is_file, version_of
from dsh_plugins.fs_local.names import escaped
from dsh_plugins.fs_local.paths import absolute, real_path, resolved

R = TypeVar("R")


class LocalFileSystem(FileSystem):
    """Files as this user may see and change them. Policies are not looked at."""

    confines = False

    def __init__(self, limits: writing.Limits) -> None:
        self._limits = limits
        self._locks: dict[str, anyio.Lock] = {}

    async def resolve(self, path: str, cwd: Path | None = None) -> FsTarget:
        """As the seam says; ``~`` is the person's home."""
        return await _thread(lambda: resolved(path, cwd or Path.cwd()))

    def process_path(self, target: FsTarget) -> Path:
        """The path for other processes."""
        return Path(target.key)

    def file_url(self, target: FsTarget) -> str:
        """The ``file:`` URL."""
        return Path(target.key).as_uri()

    def contains(self, parent: FsTarget, child: FsTarget) -> bool:
        """Identity or descendant, by path components."""
        return Path(child.key).is_relative_to(Path(parent.key))

    async def stat(self, target: FsTarget) -> FsInfo | None:
        """Metadata, or ``None``."""
        return await _thread(lambda: _facts(Path(target.key), target.display))

    async def lstat(self, path: str, cwd: Path | None = None) -> FsInfo | None:
        """Metadata without following a final symlink."""

        def look() -> FsInfo | None:
            spelled = absolute(path, cwd or Path.cwd())
            real = real_path(spelled.parent) / spelled.name
            return _facts(real if spelled.name != ".." else real_path(spelled), path)

        return await _thread(look)

    async def read_text(self, target: FsTarget, policy: Policy | None = None) -> str:
        """The whole text. Raises FS_TOO_LARGE beyond the limit of this provider."""
        settled, limit = self._settled(policy), self._limits.text
        return await _thread(lambda: reading.read_text(target, _fence(settled), limit))

    async def stream_text(
        self, target: FsTarget, policy: Policy | None = None
    ) -> AsyncIterator[str]:
        """The text in pieces. Close the iterator when it is not read to its end."""
        settled = self._settled(policy)
        stream = await _thread(lambda: reading.TextStream(target, _fence(settled)))
        try:
            while (piece := await _thread(stream.piece)) is not None:
                if piece:
                    yield piece
        finally:
            stream.close()

    async def read_bytes(
        self, target: FsTarget, max_bytes: int, policy: Policy | None = None
    ) -> bytes:
        """Raw bytes, never cut."""
        settled = self._settled(policy)
        return await _thread(
            lambda: reading.read_bytes(target, _fence(settled), max_bytes)
        )

    async def list_dir(
        self, target: FsTarget, policy: Policy | None = None
    ) -> list[FsEntry]:
        """One level, in name order."""
        settled = self._settled(policy)
        return await _thread(lambda: listing.entries(target, _fence(settled)))

    async def write_text(
        self,
        target: FsTarget,
        content: str,
        intent: WriteIntent | None = None,
        policy: Policy | None = None,
    ) -> FsWritten:
        """Atomic whole write; writers of one file take turns."""
        settled, limits = self._settled(policy), self._limits
        async with self._turn(target):
            return await _thread(
                lambda: writing.write(target, content, intent, _fence(settled), limits)
            )

    async def edit_text(
        self,
        target: FsTarget,
        edit: FsEdit,
        version: Version | None = None,
        policy: Policy | None = None,
    ) -> FsWritten:
        """Atomic literal edit; writers of one file take turns."""
        settled, limits = self._settled(policy), self._limits
        async with self._turn(target):
            return await _thread(
                lambda: writing.edit(target, edit, version, _fence(settled), limits)
            )

    def _settled(self, policy: Policy | None) -> Policy | None:  # noqa: ARG002  # for heirs
        """The policy to enforce; ``None`` for none."""
        return None

    @asynccontextmanager
    async def _turn(self, target: FsTarget) -> AsyncIterator[None]:
        lock = self._locks.setdefault(target.key, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._locks.pop(target.key, None)


class ConfinedFileSystem(LocalFileSystem):
    """The same files behind the policy of each call; without one, the default policy."""

    confines = True

    def __init__(self, limits: writing.Limits, policies: SandboxPolicy) -> None:
        super().__init__(limits)
        self._policies = policies

    def _settled(self, policy: Policy | None) -> Policy | None:
        settled = policy or self._policies.resolve(None)
        return None if settled.mode == "danger-full-access" else settled


def _fence(policy: Policy | None) -> Fence | None:
    """For worker threads: it looks at the disk."""
    return None if policy is None else Fence(policy)


async def _thread(work: Callable[[], R]) -> R:
    return await anyio.to_thread.run_sync(work)


def _facts(path: Path, shown: str) -> FsInfo | None:
    with translated(escaped(shown)):
        try:
            info = os.stat(path, follow_symlinks=False)  # noqa: PTH116  # no follow
        except (FileNotFoundError, NotADirectoryError):
            return None
    if is_file(info):
        return FsInfo("file", info.st_size, version_of(info))
    kind: FileType = "directory" if path.is_dir() else "other"
    if path.is_symlink():
        return FsInfo("symlink", info.st_size, version_of(info))
    return FsInfo(kind, info.st_size, version_of(info))
