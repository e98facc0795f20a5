"""The queue of an agent: the two lists of its session, changed only by logged splices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from dsh.data.ids import new_message_id
from dsh.data.messages import Message, text_block
from dsh.runtime.session import Session

Target = Literal["next-turn", "next-step"]
TARGETS: tuple[Target, Target] = ("next-step", "next-turn")  # in the order of claiming


def prompt(message: str | Message) -> Message:
    """A person's text as a message; a message as it is."""
    if not isinstance(message, str):
        return message
    return {
        "id": new_message_id(),
        "role": "user",
        "content": [text_block(_sound(message))],
        "source": {"kind": "user"},
    }


class Inbox:
    """Prompts that wait for a turn of their own, and messages for the next step.

    The log is the authority: each change is one `agent/inbox/spliced`. ``changed`` is
    called after each.
    """

    __slots__ = ("_changed", "_session")

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self._session = session
        self._changed = changed

    def __bool__(self) -> bool:
        return bool(self._session.next_turn or self._session.next_step)

    def items(self, target: Target) -> list[Message]:
        """What waits in one list, first in front."""
        lists = self._session
        return list(lists.next_turn if target == "next-turn" else lists.next_step)

    def add(self, target: Target, message: Message) -> None:
        """Put a message at the end of a list."""
        self._splice(target, len(self.items(target)), 0, [message])

    def put_back(self, target: Target, messages: list[Message]) -> None:
        """Put messages in front of a list."""
        if messages:
            self._splice(target, 0, 0, messages)

    def find(self, message_id: str) -> tuple[Target, int, Message] | None:
        """Where a message waits."""
        for target in TARGETS:
            for place, message in enumerate(self.items(target)):
                if message["id"] == message_id:
                    return target, place, message
        return None

    def edit(self, message_id: str, text: str) -> bool:
        """Change the text of a waiting message."""
        found = self.find(message_id)
        if found is None:
            return False
        target, place, message = found
        others = [block for block in message["content"] if block["type"] != "text"]
        edited: Message = {**message, "content": [text_block(_sound(text)), *others]}
        self._splice(target, place, 1, [edited])
        return True

    def remove(self, message_id: str) -> bool:
        """Take a waiting message out, because a person does not want it any more."""
        found = self.find(message_id)
        if found is None:
            return False
        self._splice(found[0], found[1], 1, [], canceled=True)
        return True

    def move(self, message_id: str, target: Target) -> bool:
        """Put a waiting message at the end of the other list."""
        found = self.find(message_id)
        if found is None:
            return False
        origin, place, message = found
        if origin != target:
            self._splice(origin, place, 1, [])
            self.add(target, message)
        return True

    def clear(self) -> None:
        """Take everything out."""
        for target in TARGETS:
            count = len(self.items(target))
            if count:
                self._splice(target, 0, count, [], canceled=True)

    def peek(self, *, turn: bool) -> list[Message]:
        """What the next step takes: its list, and the first prompt if a turn opens."""
        return self.items("next-step") + (self.items("next-turn")[:1] if turn else [])

    def claim(self, messages: list[Message]) -> None:
        """Take these messages, which :meth:`peek` gave, out of the lists."""
        wanted = {message["id"] for message in messages}
        for target in TARGETS:
            places = [
                place
                for place, message in enumerate(self.items(target))
                if message["id"] in wanted
            ]
            if places and places == list(range(len(places))):
                self._splice(target, 0, len(places), [])
            else:
                for place in reversed(places):
                    self._splice(target, place, 1, [])

    def _splice(
        self,
        target: Target,
        start: int,
        removed: int,
        inserted: list[Message],
        *,
        canceled: bool = False,
    ) -> None:
        data: dict[str, object] = {"target": target, "start": start, "inserted": inserted}
        if removed:
            data["removedCount"] = removed
        if canceled:
            data["outcome"] = "canceled"
        self._session.append("agent/inbox/spliced", data)
        self._changed()


def _sound(text: str) -> str:
    """What UTF-8 can hold: a command line may carry bytes that it cannot."""
    return text.encode(errors="replace").decode()
