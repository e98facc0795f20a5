"""What the model sees of a session: an ordered list of messages, derived from events."""

from __future__ import annotations

from dsh.data.events import Event
from dsh.data.messages import Message


class Surface:
    """The ordered nodes (surface events) and the messages they stand for."""

    nodes: list[Event]
    generation: int  # how many replacements there were

    def messages(self) -> list[Message]:
        """The messages a model receives, in order, verbatim.

        Assistant messages with neither visible text nor a tool call are left out: no
        provider accepts them. The messages are shared: never change them.
        """
        raise NotImplementedError
