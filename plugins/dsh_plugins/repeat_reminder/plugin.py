"""Reminders go to the model with the results; at the bound no further step opens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from dsh.data.ids import new_message_id
from dsh.data.messages import Message, text_block
from dsh.kernel import Events, Next, plugin
from dsh.runtime.loop import PRE_STEP, PreStep, Reject, StepDecision
from dsh.runtime.session import Session
from dsh.runtime.tools import POST_EXECUTE, Settled
from dsh_plugins.repeat_reminder.counting import Run


class RepeatReminderConfig(BaseModel, frozen=True, defer_build=True):
    """After how many equal calls in a row something is said, and the turn stopped."""

    remind_at: tuple[int, ...] = (3, 5, 8)
    stop_at: int = 10
    exclude: tuple[str, ...] = ()  # tools that may repeat themselves
    preview: int = 500  # characters of the arguments that are quoted


@plugin
async def repeat_reminder(
    events: Events, config: RepeatReminderConfig
) -> AsyncIterator[None]:
    """Remind the model of its repetitions, then end the turn with a reason."""
    runs: WeakKeyDictionary[Session, Run] = WeakKeyDictionary()

    async def count(settled: Settled, call_next: Next[Settled, Settled]) -> Settled:
        final = await call_next(settled)
        execution = final.execution
        if execution.name not in config.exclude:
            number = runs.setdefault(execution.session, Run()).take(final)
            if number in config.remind_at:
                final.outcome.contexts.append(_reminder(final, number, config))
        return final

    async def bound(
        draft: PreStep, call_next: Next[PreStep, StepDecision]
    ) -> StepDecision:
        run = runs.get(draft.agent.session)
        if run is not None:
            if any(message["source"]["kind"] == "user" for message in draft.messages):
                run.forget()
            elif run.turn == draft.turn and run.count >= config.stop_at:
                return Reject(run.reason())
        return await call_next(draft)

    with events.wrap(POST_EXECUTE, count), events.wrap(PRE_STEP, bound):
        yield


def _reminder(settled: Settled, number: int, config: RepeatReminderConfig) -> Message:
    name, raw = settled.execution.name, settled.execution.raw
    text = f"You have called {name} the same way {number} times in a row."
    if number > min(config.remind_at):
        text += f" The arguments were: {raw[: config.preview]}"
    text += (
        " It will not turn out differently: use what you have, try something else, or "
        f"tell the person what is in the way. At {config.stop_at} the turn is stopped."
    )
    return {
        "id": new_message_id(),
        "role": "user",
        "content": [text_block(text)],
        "source": {
            "kind": "plugin",
            "plugin": "dsh_plugins.repeat_reminder",
            "form": "notice",
            "summary": f"{name} was called the same way {number} times"[:120],
        },
    }
