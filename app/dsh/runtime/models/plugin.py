"""The plugin that offers the registry of model providers."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.kernel import Events, plugin
from dsh.seams.llm import Models


@plugin
async def models(events: Events) -> AsyncIterator[Models]:
    """Model providers by id."""
    yield Models(events._scope)
