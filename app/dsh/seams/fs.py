"""Files of the current execution world: twelve primitives and their facts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal, NewType

from dsh.errors import RunError
from dsh.kernel import Hook
from dsh.seams.sandbox import Policy

Version = NewType("Version", str)  # opaque; changes whenever the content may have
FileType = Literal["file", "directory", "other"]


class FsError(RunError):
    """A file operation was refused or failed; nothing was changed.

    Codes: FS_NOT_FOUND FS_NOT_DIRECTORY FS_NOT_TEXT FS_NOT_REGULAR_FILE FS_TOO_LARGE
    FS_PERMISSION_DENIED FS_SANDBOX_DENIED FS_IO_ERROR FS_STALE_VERSION FS_NOT_OBSERVED
    FS_AMBIGUOUS_EDIT FS_EDIT_NOT_FOUND FS_ENCODING
    """

    code = "FS_IO_ERROR"


class FsTarget:
    """A file's identity (symlinks followed) and the path to show for it."""

    __slots__ = ("display", "key")

    def __init__(self, key: str, display: str) -> None:
        self.key = key  # the same file always has the same key
        self.display = display


class FsInfo:
    """Metadata, never content."""

    __slots__ = ("size", "type", "version")

    def __init__(
        self, type_: FileType | Literal["symlink"], size: int, version: Version
    ) -> None:
        self.type = type_
        self.size = size
        self.version = version


class FsEntry:
    """One child of a directory."""

    __slots__ = ("name", "size", "target", "type")

    def __init__(
        self, name: str, type_: FileType, size: int | None, target: FsTarget
    ) -> None:
        self.name = name
        self.type = type_
        self.size = size
        self.target = target


class CreateIfAbsent:
    """Write only a file that does not exist."""

    __slots__ = ()


class ReplaceIfVersion:
    """Write only over this version."""

    __slots__ = ("version",)

    def __init__(self, version: Version) -> None:
        self.version = version


WriteIntent = CreateIfAbsent | ReplaceIfVersion


class FsWritten:
    """A finished write or edit; texts are LF-normalised, for diffs."""

    __slots__ = ("after", "before", "operation", "version")

    def __init__(
        self,
        operation: Literal["create", "update"],
        version: Version,
        before: str | None,
        after: str,
    ) -> None:
        self.operation = operation
        self.version = version
        self.before = before  # None: created, not text, or too large to compare
        self.after = after


class FsEdit:
    """A literal replacement."""

    __slots__ = ("new", "old", "replace_all")

    def __init__(self, old: str, new: str, *, replace_all: bool) -> None:
        self.old = old
        self.new = new
        self.replace_all = replace_all


class FileSystem(ABC):
    """One provider per world. All methods raise :class:`FsError`."""

    confines: bool = False

    @abstractmethod
    async def resolve(self, path: str, cwd: Path | None = None) -> FsTarget:
        """Follow symlinks to the identity; a missing file resolves below its nearest
        existing folder.
        """

    @abstractmethod
    def process_path(self, target: FsTarget) -> Path:
        """The path for other processes of this world."""

    @abstractmethod
    def file_url(self, target: FsTarget) -> str:
        """The ``file:`` URL."""

    @abstractmethod
    def contains(self, parent: FsTarget, child: FsTarget) -> bool:
        """Identity or descendant, by path components."""

    @abstractmethod
    async def stat(self, target: FsTarget) -> FsInfo | None:
        """Metadata, or ``None`` when it does not exist."""

    @abstractmethod
    async def lstat(self, path: str, cwd: Path | None = None) -> FsInfo | None:
        """Metadata without following a final symlink."""

    @abstractmethod
    async def read_text(self, target: FsTarget, policy: Policy | None = None) -> str:
        """The whole text, decoded in the file's own encoding, without its BOM."""

    @abstractmethod
    def stream_text(
        self, target: FsTarget, policy: Policy | None = None
    ) -> AsyncIterator[str]:
        """The same text in pieces."""

    @abstractmethod
    async def read_bytes(
        self, target: FsTarget, max_bytes: int, policy: Policy | None = None
    ) -> bytes:
        """Raw bytes; more than ``max_bytes`` is FS_TOO_LARGE, never cut."""

    @abstractmethod
    async def list_dir(
        self, target: FsTarget, policy: Policy | None = None
    ) -> list[FsEntry]:
        """One level, in name order."""

    @abstractmethod
    async def write_text(
        self,
        target: FsTarget,
        content: str,
        intent: WriteIntent | None = None,
        policy: Policy | None = None,
    ) -> FsWritten:
        """Atomic whole write through symlinks; old or new content, never a mixture."""

    @abstractmethod
    async def edit_text(
        self,
        target: FsTarget,
        edit: FsEdit,
        version: Version | None = None,
        policy: Policy | None = None,
    ) -> FsWritten:
        """Atomic literal edit; bytes outside the match never change."""


class FsIntent:
    """A file about to be changed, for the observation policy to decide about."""

    __slots__ = ("kind", "session", "target")

    def __init__(
        self, kind: Literal["write", "edit"], target: FsTarget, session: object
    ) -> None:
        self.kind = kind
        self.target = target
        self.session = session


class FsObserved:
    """Fact: a session saw this version of a file (``None``: that it does not exist)."""

    __slots__ = ("session", "target", "version")

    def __init__(
        self, target: FsTarget, version: Version | None, session: object
    ) -> None:
        self.target = target
        self.version = version
        self.session = session


# Decides with which guard a change may go on; the core answers None (unconditional).
# May raise FsError (FS_NOT_OBSERVED, FS_NOT_FOUND).
FS_INTENT: Hook[FsIntent, WriteIntent | None] = Hook("fs/intent")
