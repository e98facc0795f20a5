"""Files of this machine: the plain provider, and the one that confines."""

from dsh_plugins.fs_local.plugins import FsConfig, fs_confined, fs_local

__all__ = ["FsConfig", "fs_confined", "fs_local"]
