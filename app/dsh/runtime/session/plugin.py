"""The plugin that offers the sessions of the home."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.data.paths import Home
from dsh.kernel import Events, plugin
from dsh.runtime.session.sessions import Sessions


@plugin
async def sessions(home: Home, events: Events) -> AsyncIterator[Sessions]:
    """Sessions of the home; at the end everything is written and every lock is free."""
    async with Sessions.running(home, events) as service:
        yield service
