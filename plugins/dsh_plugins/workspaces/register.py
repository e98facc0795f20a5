"""The stored list of workspaces: identity by real path, order by the person."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dsh.data.clock import now_ms
from dsh.data.ids import WorkspaceId, new_id
from dsh.data.private_files import edited_alone, write_private
from dsh.errors import SurfaceError
from dsh.seams.workspaces import Workspace, WorkspaceUnknown

MOST: Final = 1_000
_log = logging.getLogger(__name__)


class StoredWorkspace(BaseModel):
    """One row of the file."""

    model_config = ConfigDict(defer_build=True, extra="ignore")

    id: str = Field(min_length=1, max_length=100)
    path: str = Field(min_length=1)
    title: str = Field(min_length=1, max_length=200)


class StoredRegister(BaseModel):
    """The file."""

    model_config = ConfigDict(defer_build=True, extra="ignore")

    format: Literal[1] = 1
    workspaces: list[StoredWorkspace] = Field(default_factory=list, max_length=MOST)


class Register:
    """Reads and changes the file. For worker threads; one change at a time.

    Each change begins with the file as it is, so that two programs on one home do not
    undo each other's changes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: list[Workspace] = []

    def load(self) -> None:
        """Read the file. A broken one is put aside and named in the log."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            self.rows = []
            return
        try:
            stored = StoredRegister.model_validate_json(data)
        except ValidationError as error:
            aside = self._path.with_name(f"{self._path.name}.broken-{now_ms()}")
            self._path.rename(aside)
            _log.warning("the list of workspaces is broken, see %s: %s", aside, error)
            self.rows = []
            return
        self.rows = [
            Workspace(WorkspaceId(row.id), Path(row.path), row.title)
            for row in stored.workspaces
        ]

    def create(self, path: Path) -> Workspace:
        """Register a folder at the top, or return it when it is registered."""
        real = _real_folder(path)
        with edited_alone(self._path):
            self.load()
            for row in self.rows:
                if row.path == real or _same_folder(row.path, real):
                    return row
            if len(self.rows) >= MOST:
                message = f"there are {MOST} workspaces already"
                raise SurfaceError(message, code="TOO_MANY_WORKSPACES")
            made = Workspace(
                WorkspaceId(new_id("workspace")), real, real.name or str(real)
            )
            self._store([made, *self.rows])
        return made

    def rename(self, workspace_id: str, title: str) -> None:
        """Give it another title; blank means the name of its folder."""
        with edited_alone(self._path):
            self.load()
            row = self.find(workspace_id)
            plain = " ".join(title.split())[:200]
            row.title = plain or row.path.name or str(row.path)
            self._store(self.rows)

    def remove(self, workspace_id: str) -> None:
        """Forget the registration; the folder and its sessions stay."""
        with edited_alone(self._path):
            self.load()
            gone = self.find(workspace_id)
            self._store([row for row in self.rows if row is not gone])

    def reorder(self, workspace_ids: list[str]) -> None:
        """Put the named ones first, in that order; the others keep theirs."""
        with edited_alone(self._path):
            self.load()
            wanted = {id_: place for place, id_ in enumerate(workspace_ids)}
            last = len(wanted)
            rows = sorted(self.rows, key=lambda row: wanted.get(row.id, last))
            if rows != self.rows:
                self._store(rows)

    def find(self, workspace_id: str) -> Workspace:
        """Raises :class:`WorkspaceUnknown`."""
        for row in self.rows:
            if row.id == workspace_id:
                return row
        raise WorkspaceUnknown("there is no such workspace", remedy="reload the list")

    def _store(self, rows: list[Workspace]) -> None:
        stored = StoredRegister(
            workspaces=[
                StoredWorkspace(id=row.id, path=str(row.path), title=row.title)
                for row in rows
            ]
        )
        write_private(self._path, stored.model_dump_json(indent=1).encode())
        self.rows = rows


def _real_folder(path: Path) -> Path:
    """Raises ``SurfaceError`` DIRECTORY_NOT_FOUND."""
    try:
        whole = path.expanduser()
        if not whole.is_absolute():
            message = f"{path} is not an absolute path"
            raise SurfaceError(message, code="DIRECTORY_NOT_FOUND")
        real = whole.resolve(strict=True)
        folder = real.is_dir()
        str(real).encode()
    except UnicodeEncodeError as error:
        message = "the name of this folder is not valid UTF-8"
        raise SurfaceError(message, code="DIRECTORY_NOT_FOUND") from error
    except (OSError, RuntimeError, ValueError) as error:
        message = f"{path} does not exist or cannot be opened"
        raise SurfaceError(message, code="DIRECTORY_NOT_FOUND") from error
    if not folder:
        raise SurfaceError(f"{path} is not a folder", code="DIRECTORY_NOT_FOUND")
    return real


def _same_folder(one: Path, other: Path) -> bool:
    """The same folder under two spellings: a file system that ignores case."""
    try:
        return one.samefile(other)
    except OSError:  # one of them is missing
        return False
