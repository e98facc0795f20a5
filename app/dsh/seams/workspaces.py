"""The folders a person works in: registered, named and ordered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from dsh.data.ids import WorkspaceId
from dsh.errors import SurfaceError


class WorkspaceUnknown(SurfaceError):
    """There is no such workspace, or its folder is not there any more."""

    code = "WORKSPACE_NOT_FOUND"


class Workspace:
    """One registered folder; ``path`` is its real path."""

    __slots__ = ("id", "path", "title")

    def __init__(self, id: WorkspaceId, path: Path, title: str) -> None:  # noqa: A002
        self.id = id
        self.path = path
        self.title = title


class Workspaces(ABC):
    """The registry. One provider."""

    @abstractmethod
    def list(self) -> list[Workspace]:
        """All of them, in the person's order."""

    @abstractmethod
    def get(self, workspace_id: str) -> Workspace:
        """Raises :class:`WorkspaceUnknown`."""

    @abstractmethod
    def by_path(self, path: Path) -> Workspace | None:
        """The workspace whose real path this is."""

    @abstractmethod
    async def create(self, path: Path) -> Workspace:
        """Register a folder, or return the one that is registered under its real path.

        Raises ``SurfaceError`` DIRECTORY_NOT_FOUND.
        """
