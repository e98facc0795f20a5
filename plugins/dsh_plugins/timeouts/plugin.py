"""A deadline around the body of each tool that has one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from dsh.kernel import Events, Next, plugin
from dsh.runtime.tools import EXECUTE, Execution, Outcome, ToolError


class ToolTimeout(ToolError):
    """The body did not end in time and was cancelled."""

    code = "TOOL_TIMEOUT"


@plugin
async def timeouts(events: Events) -> AsyncIterator[None]:
    """Cancel a body at its tool's ``timeout`` and tell the model so."""

    async def bounded(
        execution: Execution, call_next: Next[Execution, Outcome]
    ) -> Outcome:
        limit = execution.tool.timeout if execution.tool is not None else None
        if limit is None:
            return await call_next(execution)
        try:
            async with asyncio.timeout(limit) as deadline:
                return await call_next(execution)
        except TimeoutError as error:
            if not deadline.expired():
                raise  # the tool's own, about something else
            message = f"{execution.name} was stopped: it took longer than {limit:g} s"
            raise ToolTimeout(message) from error

    with events.wrap(EXECUTE, bounded):
        yield
