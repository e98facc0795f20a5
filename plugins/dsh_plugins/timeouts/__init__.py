"""Ends tool bodies that take longer than their tool declares."""

from dsh_plugins.timeouts.plugin import ToolTimeout, timeouts

__all__ = ["ToolTimeout", "timeouts"]
