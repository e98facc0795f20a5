"""Processes of this machine.

The supervisor is imported from this package by a bare interpreter that must start in
milliseconds, so the plugin is loaded only when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dsh_plugins.subprocess_local.plugin import subprocess_local

__all__ = ["subprocess_local"]


def __getattr__(name: str) -> object:
    if name == "subprocess_local":
        from dsh_plugins.subprocess_local import plugin  # see above

        return plugin.subprocess_local
    raise AttributeError(name)
