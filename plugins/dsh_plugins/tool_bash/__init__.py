"""The tool with which an agent runs command lines."""

from dsh_plugins.tool_bash.tool import tool_bash

__all__ = ["tool_bash"]
