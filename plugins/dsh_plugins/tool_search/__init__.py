"""The tools that find files and text in them, over the bundled ripgrep."""

from dsh_plugins.tool_search.plugins import SearchConfig, tool_search

__all__ = ["SearchConfig", "tool_search"]
