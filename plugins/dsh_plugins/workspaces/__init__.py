"""The registry of the folders that a person works in."""

from dsh_plugins.workspaces.plugin import workspaces

__all__ = ["workspaces"]
