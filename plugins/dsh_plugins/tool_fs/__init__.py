"""The tools that read, write and edit files."""

from dsh_plugins.tool_fs.plugins import FileToolsConfig, tool_fs

__all__ = ["FileToolsConfig", "tool_fs"]
