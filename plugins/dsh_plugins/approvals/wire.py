"""What the page sees of questions, and how it answers them."""

from __future__ import annotations

from typing import Any, Literal

from dsh.seams.gateway import Wire


class PendingApproval(Wire):
    """A question that waits. ``shown`` is all of it; ``hash`` ties the answer to it."""

    approval_id: str
    session_id: str
    call_id: str | None = None
    tool: str
    shown: dict[str, Any]  # Any: whatever the asker shows, as JSON
    hash: str
    reason: str | None = None
    asked_at: int  # ms since the epoch
    risk: Literal["low", "medium", "high"]


class ApprovalSettled(Wire):
    """A question that nobody need answer any more."""

    approval_id: str
    session_id: str
    outcome: Literal["allowed-once", "rejected", "cancelled", "unavailable"]


class PendingApprovals(Wire):
    """All questions that wait, oldest first."""

    approvals: list[PendingApproval]


class ApprovalAnswer(Wire):
    """What the person chose; ``hash`` is that of the question as it was shown."""

    approval_id: str
    hash: str
    outcome: Literal["allowed-once", "rejected"]
    reason: str | None = None


class ApprovalAnswered(Wire):
    """What was taken down."""

    outcome: Literal["allowed-once", "rejected"]
