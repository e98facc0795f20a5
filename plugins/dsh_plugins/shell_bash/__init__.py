"""Bash as the shell of this machine: as it is, and confined."""

from dsh_plugins.shell_bash.confined import bash_confined
from dsh_plugins.shell_bash.local import BashConfig, bash_local

__all__ = ["BashConfig", "bash_confined", "bash_local"]
