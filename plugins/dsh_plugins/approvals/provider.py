"""Every question and every answer is in the session's log; silence is never consent."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final, cast

import anyio.lowlevel

from dsh.data.ids import new_id
from dsh.kernel import Events, plugin
from dsh.seams.approval import ASK, Answer, ApprovalRequest, Approvals, hash_of
from dsh.seams.sandbox import SandboxPolicy

if TYPE_CHECKING:
    from dsh.runtime.session import Session

OUTCOMES: Final = frozenset({"allowed-once", "rejected", "cancelled", "unavailable"})
_NEVER: Final = "this session does not ask: what needs consent is refused"
_log = logging.getLogger(__name__)


class LoggedApprovals(Approvals):
    """Asks through the hook, and writes down what came of it."""

    def __init__(self, events: Events, policies: SandboxPolicy | None = None) -> None:
        self._events = events
        self._policies = policies

    async def request(
        self,
        session: object,
        tool: str,
        shown: dict[str, object],
        *,
        call_id: str | None = None,
        reason: str | None = None,
    ) -> Answer:
        """Ask and wait. Cancelled with its caller; that is written down as well."""
        log = cast("Session", session)
        shown = _sound(shown)
        request = ApprovalRequest(
            new_id("approval"), session, tool, shown, hash_of(shown), call_id, reason
        )
        log.append("approval/asked", _asked(request))
        answer = Answer("cancelled")
        try:
            answer = await self._answer(log, request)
        finally:
            decided: dict[str, object] = {"id": request.id, "outcome": answer.outcome}
            if answer.reason:
                decided["reason"] = answer.reason
            log.append("approval/decided", decided)
        return answer

    async def _answer(self, session: Session, request: ApprovalRequest) -> Answer:
        if self._policy_of(session) == "never":
            return Answer("rejected", _NEVER)
        await anyio.lowlevel.checkpoint()  # who is cancelled already asks nobody

        async def nobody(_: ApprovalRequest) -> Answer:
            return Answer("unavailable")

        try:
            await session.flush()  # nobody is shown a question that a crash could undo
            answer = await self._events.run(ASK, request, nobody)
        except Exception:  # noqa: BLE001  # whatever an answerer does wrong is no consent
            _log.exception("approval %s could not be asked", request.id)
            return Answer("unavailable")
        return answer if _sensible(answer) else Answer("unavailable")

    def _policy_of(self, session: Session) -> str:
        """The session's own policy, else what its sandbox mode implies."""
        if session.approval_policy is not None:
            return session.approval_policy
        mode = session.sandbox_mode
        if self._policies is not None:
            mode = self._policies.mode_of(session)
        return "never" if mode == "danger-full-access" else "ask"


def _sensible(answer: object) -> bool:
    """Whether a plugin really gave an answer."""
    return isinstance(answer, Answer) and answer.outcome in OUTCOMES


def _asked(request: ApprovalRequest) -> dict[str, object]:
    data: dict[str, object] = {
        "id": request.id,
        "toolName": request.tool,
        "shown": request.shown,
        "hash": request.hash,
    }
    if request.call_id is not None:
        data["callId"] = request.call_id
    if request.reason is not None:
        data["reason"] = request.reason
    return data


def _sound(value: dict[str, object]) -> dict[str, object]:
    """The same with every lone surrogate spelled out, so that UTF-8 can hold it."""
    return {key: _sound_value(item) for key, item in value.items()}


def _sound_value(value: object) -> object:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return _sound(value)
    if isinstance(value, list | tuple):
        return [_sound_value(item) for item in value]
    return value


@plugin
async def approvals(
    events: Events, policies: SandboxPolicy | None
) -> AsyncIterator[Approvals]:
    """The one provider of approvals. Who can ask a person wraps ``ASK``."""
    yield LoggedApprovals(events, policies)
