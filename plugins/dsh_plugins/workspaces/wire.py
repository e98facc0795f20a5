"""What the page sees of workspaces."""

from __future__ import annotations

from dsh.seams.gateway import Wire


class Workspace(Wire):
    """A registered folder."""

    workspace_id: str
    path: str
    title: str
    missing: bool  # the folder is not there now
    order: int


class WorkspaceList(Wire):
    """All of them, in order."""

    workspaces: list[Workspace]


class CreateWorkspace(Wire):
    """Which folder."""

    path: str


class RenameWorkspace(Wire):
    """The title to show from now on; blank for the folder's own name."""

    workspace_id: str
    title: str


class RemoveWorkspace(Wire):
    """Which registration to forget."""

    workspace_id: str


class ReorderWorkspaces(Wire):
    """The new order; those left out come after."""

    workspace_ids: list[str]
