"""Nothing leaves the program before the log that explains it is on disk."""

from dsh_plugins.checkpoint.plugin import checkpoint

__all__ = ["checkpoint"]
