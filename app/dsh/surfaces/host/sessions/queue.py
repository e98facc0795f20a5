"""The queue of an agent as the page shows it."""

from __future__ import annotations

from dsh.data.messages import Message, text_of
from dsh.runtime.session import Session
from dsh.surfaces.host.wire import QueueItem, QueueState


def queue_of(session: Session) -> QueueState:
    """What a person queued; context that plugins put in is not theirs to edit."""
    return QueueState(
        next_turn=[_item(message) for message in session.next_turn],
        next_step=[_item(m) for m in session.next_step if m["source"]["kind"] == "user"],
    )


def _item(message: Message) -> QueueItem:
    return QueueItem(id=message["id"], text=text_of(message))
