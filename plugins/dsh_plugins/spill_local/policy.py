"""Results too long for a conversation: a preview stays, the whole goes to a file."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import BaseModel, Field

from dsh.kernel import Events, Next, plugin
from dsh.runtime.tools import POST_EXECUTE, Outcome, Settled
from dsh.seams.spill import Spill


class SpillPolicy(BaseModel, frozen=True, defer_build=True):
    """How much of a result stays in the conversation."""

    max_inline_bytes: int = Field(default=50_000, ge=0)


# A tool that reads what was spilled must not have its own results spilled again.
_EXEMPT = frozenset({"read"})


@plugin
async def spill_policy(
    events: Events, spill: Spill, config: SpillPolicy
) -> AsyncIterator[None]:
    """Replace results longer than the limit by their head, tail and a path."""

    async def shorten(settled: Settled, call_next: Next[Settled, Settled]) -> Settled:
        settled = await call_next(settled)
        if settled.execution.name not in _EXEMPT:
            await _shorten(settled, spill, config.max_inline_bytes)
        return settled

    with events.wrap(POST_EXECUTE, shorten):
        yield


async def _shorten(settled: Settled, spill: Spill, limit: int) -> None:
    text = settled.outcome.text
    data = text.encode(errors="replace")
    if len(data) <= limit:
        return
    execution = settled.execution
    path = await spill.save_text(execution.session, f"{execution.name}.txt", text)
    budget = limit - len(_notice(len(data), str(path)).encode()) - 2
    if budget < 0:
        return  # a limit too small even for the notice: better whole than nothing
    head = data[: budget - budget // 2].decode(errors="ignore")
    tail = data[len(data) - budget // 2 :].decode(errors="ignore")
    omitted = len(data) - len(head.encode()) - len(tail.encode())
    notice = _notice(omitted, str(path))
    old = settled.outcome
    settled.outcome = Outcome(
        f"{head}\n{notice}\n{tail}",
        meta=old.meta,
        error_code=old.error_code,
        contexts=old.contexts,
        concludes_turn=old.concludes_turn,
    )


def _notice(omitted: int, path: str) -> str:
    return (
        f"(Omitted {omitted} bytes. Full result stored at: {path}. "
        "Use read with offset and limit on it, or grep it.)"
    )
