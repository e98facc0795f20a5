"""What the model sees of a session: an ordered list of messages, derived from events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from dsh.data.events import Event
from dsh.data.events.registry import SURFACE_TYPES
from dsh.data.messages import Message


class Surface:
    """The visible surface events, in order, and the messages they stand for.

    ``generation`` counts replacements: while it stays the same, the messages only grow.
    """

    def __init__(self, nodes: Iterable[Event] = (), generation: int = 0) -> None:
        self.nodes: list[Event] = list(nodes)
        self.generation = generation
        self._messages = [m for node in self.nodes if (m := _visible(node))]

    def messages(self) -> list[Message]:
        """The messages a model receives, in order, verbatim.

        Assistant messages with neither visible text nor a tool call are left out: no
        provider accepts them. The messages are shared: never change them.
        """
        return self._messages.copy()

    def refusal(self, event: Event) -> str | None:
        """Why ``event`` may not be the next one; None when it may."""
        op = event.surface_op
        if event.type not in SURFACE_TYPES:
            if op is None and event.source_event_seqs is None:
                return None
            return f"{event.type} does not change the surface, so it cites nothing"
        if op is None:
            return f"{event.type} must say how it changes the surface"
        if not _holds_message(event):
            return f"{event.type} does not hold a message"
        refusal = _bad_sources(event)
        if refusal is not None or op.op == "append":
            return refusal
        return self._bad_replacement(event)

    def apply(self, event: Event) -> None:
        """Take in an event that :meth:`refusal` has nothing against."""
        op = event.surface_op
        if op is None:
            return
        if op.op == "append":
            self.nodes.append(event)
            message = _visible(event)
            if message is not None:
                self._messages.append(message)
            return
        first, last = self._range(event)
        self.nodes[first : last + 1] = [event]
        self.generation += 1
        self._messages = [m for node in self.nodes if (m := _visible(node))]

    def _range(self, event: Event) -> tuple[int, int]:
        """Positions, not seqs: a replacement has a high seq at an early place."""
        op = event.surface_op
        assert op is not None
        places: dict[int | None, int] = {}
        for index, node in enumerate(self.nodes):
            places[node.seq] = index
        return places.get(op.start, -1), places.get(op.end, -1)

    def _bad_replacement(self, event: Event) -> str | None:
        first, last = self._range(event)
        if first < 0 or last < 0:
            return "it replaces messages that are not on the surface"
        if first > last:
            return "it replaces a range that ends before it starts"
        shadowed = self.nodes[first : last + 1]
        if not {node.seq for node in shadowed} <= set(event.source_event_seqs or ()):
            return "it does not cite every message that it replaces"
        if event.type == "tool/result":
            return _bad_result_replacement(event, shadowed)
        return None


def message_of(event: Event) -> Message:
    """The message of a surface event."""
    data = event.data if event.type == "user/message" else event.data["message"]
    return cast("Message", data)


def _holds_message(event: Event) -> bool:
    """Enough for the surface; the schema of its type says the rest."""
    match event.type, event.data:
        case "user/message", {"content": [*blocks]}:
            return all(isinstance(block, dict) for block in blocks)
        case _, {"message": {"content": [*blocks]}}:
            return all(isinstance(block, dict) for block in blocks)
    return False


def _visible(event: Event) -> Message | None:
    message = message_of(event)
    if event.type == "assistant/message" and not any(map(_counts, message["content"])):
        return None
    return message


def _counts(block: object) -> bool:
    match block:
        case {"type": "text", "text": str(text)}:
            return bool(text.strip())
        case {"type": "reasoning"}:
            return False
        case _:
            return True


def _bad_sources(event: Event) -> str | None:
    sources = event.source_event_seqs
    if sources is None:
        return None
    if not sources and event.type != "assistant/message":
        return "an empty list of sources says nothing"
    if len(set(sources)) != len(sources):
        return "it cites an event twice"
    if sources and (min(sources) < 0 or max(sources) >= event.seq):
        return "it cites events that are not before it"
    return None


def _bad_result_replacement(event: Event, shadowed: list[Event]) -> str | None:
    if len(shadowed) != 1 or shadowed[0].type != "tool/result":
        return "a tool result replaces exactly one tool result"
    if _without_content(event) != _without_content(shadowed[0]):
        return "a tool result may only replace the content of another"
    return None


def _without_content(event: Event) -> dict[str, object]:
    message = event.data["message"]
    blocks = [{**block, "content": None} for block in message["content"]]
    return {**event.data, "message": {**message, "content": blocks}}
