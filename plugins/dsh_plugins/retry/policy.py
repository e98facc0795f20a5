"""Whether and when a failed request goes out again: pure decisions."""

from __future__ import annotations

from typing import Final

from dsh.data.messages import LlmFailure
from dsh.seams.llm import RetryPolicy

JITTER: Final = 0.1  # sessions that failed together must not come back together


class Attempts:
    """What was tried in one step with one provider."""

    __slots__ = ("broken", "count", "where")

    def __init__(self, where: tuple[int, int, str]) -> None:
        self.where = where  # turn, step, provider
        self.count = 0
        self.broken = 0  # streams that ended early after something was seen


def delay_of(
    policy: RetryPolicy,
    failure: LlmFailure,
    attempts: Attempts,
    *,
    visible: bool,
    chance: float,
) -> int | None:
    """Milliseconds until the next attempt, or ``None`` to give up.

    ``chance`` in [0, 1) spreads the delays. What the provider asks for is obeyed and
    never undercut; when it asks for more than the policy allows, the request fails.
    """
    if policy.mode == "normal":
        if attempts.count >= policy.max_retries:
            return None
        if not _worth_it(policy, failure, attempts, visible=visible):
            return None
    asked = failure.get("providerRetryAfterMs")
    if asked is not None and asked <= policy.max_ms:
        return round(asked * (1 + JITTER * chance))
    if asked is not None and policy.mode == "normal":
        return None
    exponent = min(attempts.count, 30)
    backoff = min(policy.base_ms << exponent, policy.max_ms)
    return min(round(backoff * (1 - JITTER + 2 * JITTER * chance)), policy.max_ms)


def _worth_it(
    policy: RetryPolicy, failure: LlmFailure, attempts: Attempts, *, visible: bool
) -> bool:
    if failure["code"] != "STREAM_CLOSED":
        return failure["code"] in policy.codes
    # Nothing of it was run, so asking again is safe; but a server that always leaves
    # out the end of its stream would be paid for every attempt.
    return not visible or attempts.broken == 0
