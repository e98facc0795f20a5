"""Finds prompts that a crash caught between the queue and the conversation.

A claim and the messages it leads to are separate events, so a program that is killed
in the instant between them leaves a prompt in neither place.
"""

from __future__ import annotations

from typing import Any, Final

from dsh.data.events import Event
from dsh.data.messages import Message
from dsh.runtime.agent.inbox import Target
from dsh.runtime.session import Session

WINDOW: Final = 64  # events at the end that such an instant, once closed, fits into
BATCH: Final = 2_000
# What may follow a claim before its messages are all in: anything else came later.
_ENTERING: Final = frozenset(
    {
        "agent/inbox/spliced",
        "step/start",
        "user/message",
        "step/end",
        "turn/end",
        "session/end-seed",
    }
)


async def unclaimed(session: Session) -> list[tuple[Target, Message]]:
    """The messages to put back, with the list that each was taken from."""
    if session.ended != "interrupted":
        return []
    tail = await session.read(session.tip + 1 - WINDOW, WINDOW)
    starts = [place for place, event in enumerate(tail) if event.type == "turn/start"]
    if not starts:
        return []
    turn = tail[starts[-1] + 1 :]
    claims = [event.seq for event in turn if _is_claim(event)]
    after = {event.type for event in turn if claims and event.seq >= claims[0]}
    if not claims or not after <= _ENTERING:
        return []
    entered = {event.data["id"] for event in turn if event.type == "user/message"}
    taken = await _taken(session, claims)
    return [(target, m) for target, m in taken if m["id"] not in entered]


def _is_claim(event: Event) -> bool:
    data = event.data
    return (
        event.type == "agent/inbox/spliced"
        and "removedCount" in data
        and not data["inserted"]
        and "outcome" not in data
    )


async def _taken(session: Session, claims: list[int]) -> list[tuple[Target, Message]]:
    """What the claims took out: the queue is folded from the start, this once."""
    lists: dict[Target, list[Message]] = {"next-turn": [], "next-step": []}
    taken: list[tuple[Target, Message]] = []
    seq = 0
    while seq <= claims[-1]:
        for event in await session.read(seq, min(BATCH, claims[-1] + 1 - seq)):
            seq = event.seq + 1
            if event.type == "agent/inbox/spliced":
                target, removed = _splice(lists, event.data)
                if event.seq in claims:
                    taken.extend((target, message) for message in removed)
    return taken


def _splice(
    lists: dict[Target, list[Message]],
    data: dict[str, Any],  # Any: an InboxSpliced, validated when it was written
) -> tuple[Target, list[Message]]:
    target: Target = data["target"]
    start, end = data["start"], data["start"] + data.get("removedCount", 0)
    removed = lists[target][start:end]
    lists[target][start:end] = data["inserted"]
    return target, removed
