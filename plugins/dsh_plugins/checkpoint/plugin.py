"""Barriers at three places; a log that cannot be written stops what would follow."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.kernel import Events, Next, plugin
from dsh.runtime.loop import PRE_STEP, PreStep, StepDecision
from dsh.runtime.models import STREAM, Chunks, ModelCall
from dsh.runtime.tools import EXECUTE, Execution, Outcome


@plugin
async def checkpoint(events: Events) -> AsyncIterator[None]:
    """Flush before a turn's first step, before a request and before a tool's body.

    Later steps need no barrier of their own: between the results of the step before
    and the barrier of their request nothing leaves the program.
    """

    async def before_step(
        draft: PreStep, call_next: Next[PreStep, StepDecision]
    ) -> StepDecision:
        if draft.step == 1:
            await draft.agent.session.flush()
        return await call_next(draft)

    async def before_request(
        call: ModelCall, call_next: Next[ModelCall, Chunks]
    ) -> Chunks:
        if call.session is not None:
            await call.session.flush()
        return await call_next(call)

    async def before_body(
        execution: Execution, call_next: Next[Execution, Outcome]
    ) -> Outcome:
        await execution.session.flush()
        return await call_next(execution)

    with (
        events.wrap(PRE_STEP, before_step),
        events.wrap(STREAM, before_request),
        events.wrap(EXECUTE, before_body),
    ):
        yield
