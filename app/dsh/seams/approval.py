"""Asking a person before something is done."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from typing import Literal

from dsh.kernel import Hook

Outcome = Literal["allowed-once", "rejected", "cancelled", "unavailable"]


def hash_of(shown: dict[str, object]) -> str:
    """SHA-256 of what a card shows, in hexadecimal: over its JSON in UTF-8 with sorted
    keys and no blanks. It ties an answer to exactly these words.
    """
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class ApprovalRequest:
    """A question. ``shown`` is everything the card shows, and what is hashed:

    ``title``, ``command`` (or ``path``), ``cwd``, ``mode`` (asked for), ``justification``
    and whatever else the asker adds; plain JSON.
    """

    __slots__ = ("call_id", "hash", "id", "reason", "session", "shown", "tool")

    def __init__(
        self,
        id: str,  # noqa: A002  # the wire's own word
        session: object,
        tool: str,
        shown: dict[str, object],
        hash: str,  # noqa: A002
        call_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        self.id = id
        self.session = session  # a dsh.runtime.session.Session
        self.tool = tool
        self.shown = shown
        self.hash = hash
        self.call_id = call_id
        self.reason = reason


class Answer:
    """What the person said; ``reason`` is text for the model when it was refused."""

    __slots__ = ("outcome", "reason")

    def __init__(self, outcome: Outcome, reason: str | None = None) -> None:
        self.outcome = outcome
        self.reason = reason


# Who can ask a person wraps this hook; the core answers "unavailable": nothing is ever
# approved by silence.
ASK: Hook[ApprovalRequest, Answer] = Hook("approval/ask")


class Approvals(ABC):
    """Asks, and records question and answer in the session's log. One provider."""

    @abstractmethod
    async def request(
        self,
        session: object,
        tool: str,
        shown: dict[str, object],
        *,
        call_id: str | None = None,
        reason: str | None = None,
    ) -> Answer:
        """Ask and wait. Under policy ``never`` it is rejected without asking anybody;
        with nobody to answer it is ``unavailable``; cancelled with its caller.
        """
