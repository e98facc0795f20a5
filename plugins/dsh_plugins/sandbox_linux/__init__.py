"""Confinement of commands on Linux: bubblewrap where it works, Landlock where not."""

from dsh_plugins.sandbox_linux.plugin import SandboxLinux, sandbox_linux

__all__ = ["SandboxLinux", "sandbox_linux"]
