"""The policy on the hook of failed requests; the wait can be cancelled like all else."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import Final, Literal
from weakref import WeakKeyDictionary

import anyio

from dsh.data.ids import new_id
from dsh.kernel import Events, Next, plugin
from dsh.runtime.loop import REQUEST_ERROR, FailedRequest
from dsh.runtime.session import Session
from dsh.seams.llm import Models, RetryPolicy
from dsh_plugins.retry.policy import Attempts, delay_of

Verdict = Literal["retry", "fail"]
DEFAULT: Final = RetryPolicy()


@plugin
async def retry(events: Events, models: Models) -> AsyncIterator[None]:
    """Ask again in the same step, with `llm/retry` before the wait in the log."""
    known: WeakKeyDictionary[Session, Attempts] = WeakKeyDictionary()

    async def again(
        failed: FailedRequest, call_next: Next[FailedRequest, Verdict]
    ) -> Verdict:
        if await call_next(failed) == "retry":
            return "retry"
        session = failed.agent.session
        where = (failed.turn, failed.step, failed.provider)
        attempts = known.get(session)
        if attempts is None or attempts.where != where:
            attempts = known[session] = Attempts(where)
        provider = models.at(failed.agent.scope).get(failed.provider)
        policy = provider.retry if provider is not None else DEFAULT
        delay = delay_of(
            policy,
            failed.failure,
            attempts,
            visible=failed.visible,
            chance=random.random(),  # noqa: S311  # spreads load, hides nothing
        )
        if delay is None:
            return "fail"
        attempts.count += 1
        broken = failed.visible and failed.failure["code"] == "STREAM_CLOSED"
        attempts.broken += broken
        await _wait(session, failed, policy, attempts.count, delay)
        return "retry"

    with events.wrap(REQUEST_ERROR, again):
        yield


async def _wait(
    session: Session, failed: FailedRequest, policy: RetryPolicy, number: int, delay: int
) -> None:
    started = {
        "retryId": new_id("retry"),
        "turn": failed.turn,
        "step": failed.step,
        "retry": number,
    }
    planned: dict[str, object] = {
        **started,
        "provider": failed.provider,
        "mode": policy.mode,
        "policyKey": f"{failed.provider}/{policy.mode}",
        "delayMs": delay,
        "failure": failed.failure,
    }
    if policy.mode == "normal":
        planned["maxRetries"] = policy.max_retries
    session.append("llm/retry", planned)
    await anyio.sleep(delay / 1000)
    session.append("llm/retry-started", started)
