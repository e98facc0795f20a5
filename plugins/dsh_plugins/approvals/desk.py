"""Where people answer: the questions that wait, told to every client of the host.

No client, a closed page and a lost connection leave a question waiting. Only an answer
that names what was shown settles it; the end of the caller or of the program cancels it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final, cast

import anyio
import anyio.lowlevel

from dsh.data.clock import monotonic, now_ms
from dsh.errors import SurfaceError
from dsh.kernel import Events, Next, plugin
from dsh.seams.approval import ASK, Answer, ApprovalRequest
from dsh.seams.gateway import Empty, Gateway, HostEvent, Method, Snapshots
from dsh_plugins.approvals.risk import risk_of
from dsh_plugins.approvals.wire import (
    ApprovalAnswer,
    ApprovalAnswered,
    ApprovalSettled,
    PendingApproval,
    PendingApprovals,
)

if TYPE_CHECKING:
    from dsh.runtime.session import Session

# A card may appear under a finger that is already moving.
TOO_EARLY: Final = 0.5  # seconds


class _Question:
    """One question on the desk."""

    __slots__ = ("answer", "answered", "shown_at", "view")

    def __init__(self, view: PendingApproval, shown_at: float) -> None:
        self.view = view
        self.shown_at = shown_at  # on the desk's clock
        self.answer: Answer | None = None
        self.answered = anyio.Event()

    async def settled(self) -> Answer:
        """Wait for the answer."""
        await self.answered.wait()
        assert self.answer is not None
        return self.answer

    def settle(self, answer: Answer) -> None:
        """The first answer counts."""
        if self.answer is None:
            self.answer = answer
            self.answered.set()


class Desk:
    """The questions that wait. ``clock`` gives seconds; it is for tests."""

    def __init__(self, events: Events, clock: Callable[[], float] = monotonic) -> None:
        self._events = events
        self._clock = clock
        self._questions: dict[str, _Question] = {}
        self._closed = False

    async def ask(
        self, request: ApprovalRequest, following: Next[ApprovalRequest, Answer]
    ) -> Answer:
        """Show the question and wait for its answer."""
        if self._closed:
            return await following(request)
        view = _view(request)
        question = _Question(view, self._clock())
        self._questions[request.id] = question
        self._events.emit(HostEvent("host/approval", view))
        answer = Answer("cancelled")
        try:
            answer = await question.settled()
        finally:
            del self._questions[request.id]
            settled = ApprovalSettled(
                approval_id=view.approval_id,
                session_id=view.session_id,
                outcome=answer.outcome,
            )
            self._events.emit(HostEvent("host/approval-settled", settled))
        return answer

    async def list(self, request: Empty) -> PendingApprovals:
        """`approval/list`."""
        del request
        waiting = [question.view for question in self._questions.values()]
        return PendingApprovals(approvals=waiting)

    async def answer(self, request: ApprovalAnswer) -> ApprovalAnswered:
        """`approval/answer`. Raises SETTLED, HASH_MISMATCH and TOO_EARLY."""
        question = self._questions.get(request.approval_id)
        if question is None or question.answer is not None:
            raise SurfaceError("this question is settled already", code="SETTLED")
        if request.hash != question.view.hash:
            message = "the answer is to something else than what is asked"
            raise SurfaceError(message, code="HASH_MISMATCH", remedy="reload the page")
        if self._clock() - question.shown_at < TOO_EARLY:
            message = "the question was shown only just now"
            raise SurfaceError(message, code="TOO_EARLY", remedy="read it, then answer")
        question.settle(Answer(request.outcome, request.reason or None))
        return ApprovalAnswered(outcome=request.outcome)

    async def close(self) -> None:
        """Cancel what waits; return when everybody who asked has heard it."""
        self._closed = True
        while self._questions:
            for question in self._questions.values():
                question.settle(Answer("cancelled"))
            await anyio.lowlevel.checkpoint()


def _view(request: ApprovalRequest) -> PendingApproval:
    return PendingApproval(
        approval_id=request.id,
        session_id=cast("Session", request.session).id,
        call_id=request.call_id,
        tool=request.tool,
        shown=request.shown,
        hash=request.hash,
        reason=request.reason,
        asked_at=now_ms(),
        risk=risk_of(request.shown),
    )


@plugin
async def approvals_host(
    events: Events, gateway: Gateway, snapshots: Snapshots
) -> AsyncIterator[None]:
    """Answers questions through the page. Mounted where there is a window or a server."""
    desk = Desk(events)
    methods = (
        Method("approval", "list", Empty, PendingApprovals, desk.list),
        Method("approval", "answer", ApprovalAnswer, ApprovalAnswered, desk.answer),
    )

    async def pending() -> object:
        found = await desk.list(Empty())
        return found.model_dump(mode="json", by_alias=True)["approvals"]

    with (
        events.wrap(ASK, desk.ask),
        gateway.methods(*methods),
        snapshots.add("approvals", pending),
    ):
        try:
            yield
        finally:
            await desk.close()
