"""The plugin that offers the settings file as `Settings`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from dsh.data.paths import Home
from dsh.kernel import Events, plugin
from dsh.seams.settings import Settings
from dsh_plugins.settings_file.settings import FileSettings

# Looking at a file's time costs microseconds and needs no thread, unlike a watcher.
LOOK_SECONDS = 1.0


@plugin
async def settings_file(home: Home, events: Events) -> AsyncIterator[Settings]:
    """Offer the settings of the home; edits made by hand are noticed within a second."""
    settings = FileSettings(home.settings, events)
    async with anyio.create_task_group() as group:
        group.start_soon(_look_again, settings)
        yield settings
        group.cancel_scope.cancel()


async def _look_again(settings: FileSettings) -> None:
    while True:
        await anyio.sleep(LOOK_SECONDS)
        settings.refresh()
