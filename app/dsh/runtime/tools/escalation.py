"""One call in a wider sandbox mode, if a person allows exactly that call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dsh.runtime.tools.definition import ToolError
from dsh.seams.approval import Approvals
from dsh.seams.sandbox import WIDER, Mode, Policy, SandboxPolicy

if TYPE_CHECKING:
    from dsh.runtime.tools.definition import Execution

_REFUSALS: Final = {
    "rejected": "The person refused the wider access; nothing was done.",
    "cancelled": "The question was withdrawn before it was answered; nothing was done.",
    "unavailable": "Wider access needs a person's consent, and nobody can be asked here; "
    "nothing was done.",
}


async def escalated(
    approvals: Approvals | None,
    policies: SandboxPolicy,
    execution: Execution,
    mode: Mode,
    shown: dict[str, object],
) -> Policy:
    """The policy of this one call under ``mode``, once a person has allowed it.

    ``shown`` says all that the call will do; the mode is added to it, and the session's
    folder when it names none. Raises
    :class:`ToolError`: ESCALATION_NOT_WIDER before anybody is asked, else
    APPROVAL_REJECTED, APPROVAL_CANCELLED or APPROVAL_UNAVAILABLE.
    """
    session = execution.session
    current = policies.mode_of(session)
    if mode not in WIDER[current]:
        message = f"{mode} is not wider than {current}, the mode in force; leave it out"
        raise ToolError(message, code="ESCALATION_NOT_WIDER")
    outcome, words = "unavailable", None
    if approvals is not None:
        whole = {"cwd": str(session.cwd), **shown, "mode": mode}
        answer = await approvals.request(
            session,
            execution.name,
            whole,
            call_id=execution.call_id,
            reason=f"wider access: {mode}",
        )
        outcome, words = answer.outcome, answer.reason
    if outcome == "allowed-once":
        return policies.resolve(session, mode)
    text = _REFUSALS.get(outcome, _REFUSALS["unavailable"])
    if words:
        text += f" Their words: {words}"
    raise ToolError(text, code=f"APPROVAL_{outcome.upper()}")


def denial(mode: Mode, *, widening_helps: bool) -> str:
    """What a model reads when the sandbox refused a call, and what it may do about it."""
    lines = [f"[sandbox: access denied under {mode} mode]"]
    if widening_helps and WIDER[mode]:
        wider = " or ".join(WIDER[mode])
        lines.append(
            "[sandbox: if this is really needed, repeat this exact call once with "
            f"sandbox_permissions ({wider}) and a justification; the person is asked]"
        )
    return "\n".join(lines)
