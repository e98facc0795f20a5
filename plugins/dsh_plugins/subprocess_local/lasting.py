"""Work that must not be left half done, whoever cancels whom."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import anyio


async def uninterrupted(work: Coroutine[None, None, None]) -> None:
    """Run ``work`` to its end. A cancellation that comes meanwhile is raised then.

    A shielding scope alone does not help: it holds off other scopes, but not a plain
    ``Task.cancel``, and that may come more than once.
    """
    cancelled: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        task = asyncio.ensure_future(work)
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled is not None and not task.cancelled():
        task.exception()  # seen; being cancelled goes before it
        raise cancelled
    task.result()
