"""The window as a plugin: shows the host's page while it is mounted."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from dsh.kernel import Scope, plugin
from dsh.seams.native_shell import NativeShell
from dsh.surfaces.host.plugin import Host
from dsh.surfaces.window.native import WindowShell
from dsh.surfaces.window.screen import Screen


@plugin
async def window(screen: Screen, host: Host, scope: Scope) -> AsyncIterator[NativeShell]:
    """Opens the window on a fresh URL; it is closed when the plugin stops."""
    screen.open(host.url())
    yield WindowShell(screen, scope)
    await anyio.to_thread.run_sync(screen.close)
