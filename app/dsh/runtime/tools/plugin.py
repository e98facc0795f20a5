"""The plugin that offers the registry of tools."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.kernel import Events, plugin
from dsh.runtime.tools.definition import Tools


@plugin
async def tools(events: Events) -> AsyncIterator[Tools]:
    """Tools by name."""
    yield Tools(events._scope)
