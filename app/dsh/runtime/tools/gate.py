"""Whether a call may run: policies, then a person where one asks for it, then guards."""

from __future__ import annotations

from typing import Final, assert_never

from dsh.kernel import Events
from dsh.runtime.tools.call import Call
from dsh.runtime.tools.definition import Execution
from dsh.runtime.tools.hooks import (
    GUARD,
    PRE_EXECUTE,
    Allow,
    Ask,
    Deny,
    GateDecision,
)
from dsh.seams.approval import Answer, Approvals

UNANSWERED: Final = {
    "rejected": "The person refused this call; it was not run.",
    "cancelled": "The question was withdrawn before it was answered; it was not run.",
    "unavailable": "This call needs a person's consent and nobody can be asked here; "
    "it was not run.",
}


async def admit(events: Events, approvals: Approvals | None, call: Call) -> None:
    """Pass every gate, or settle the call with the refusal that the model reads."""

    async def allow(_: Execution) -> GateDecision:
        return Allow()

    decision = await events.run(PRE_EXECUTE, call.execution, allow)
    match decision:
        case Allow():
            pass
        case Deny(reason=reason):
            call.fail("DENIED", reason, name="CallDenied")
        case Ask():
            await _ask(approvals, call, decision)
        case _ as never:
            assert_never(never)
    if call.settled is None:
        await _guard(events, call)


async def _ask(approvals: Approvals | None, call: Call, ask: Ask) -> None:
    if approvals is None:
        answer = Answer("unavailable")
    else:
        execution = call.execution
        answer = await approvals.request(
            execution.session,
            execution.name,
            ask.shown,
            call_id=execution.call_id,
            reason=ask.reason,
        )
    if answer.outcome == "allowed-once":
        return
    text = UNANSWERED.get(answer.outcome, UNANSWERED["unavailable"])
    if answer.reason:
        text += f" Their words: {answer.reason}"
    call.fail(f"APPROVAL_{answer.outcome.upper()}", text, name="CallNotApproved")


async def _guard(events: Events, call: Call) -> None:
    asked = False

    async def abstain(_: Execution) -> None:
        nonlocal asked
        asked = True

    refusal = await events.run(GUARD, call.execution, abstain)
    if refusal is None and not asked:  # a guard may refuse, never overrule the others
        refusal = "A guard did not let the others decide; the call was not run."
    if refusal is not None:
        call.fail("DENIED", refusal, name="CallDenied")
