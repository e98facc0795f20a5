"""Windows of a session's events, newest first to be found, oldest first to be shown."""

from __future__ import annotations

from dsh.data.events import Event
from dsh.runtime.session import Session

BLOCK = 2_000  # events read at once when looking back
CHUNK = "assistant/chunk"


class Window:
    """A run of events without the chunks of answers that are complete."""

    __slots__ = ("events", "first_seq")

    def __init__(self, events: list[Event], first_seq: int) -> None:
        self.events = events
        self.first_seq = first_seq  # nothing between this and the first event is hidden

    @property
    def has_more(self) -> bool:
        """Whether there is anything before."""
        return self.first_seq > 0


async def window_before(session: Session, end: int, limit: int) -> Window:
    """About the last ``limit`` events before seq ``end``: a window begins with a turn."""
    kept: list[Event] = []
    start = end
    while start > 0:
        begin = max(0, start - BLOCK)
        block = await session.read(begin, start - begin)
        kept = [event for event in block if event.type != CHUNK] + kept
        start = begin
        if len(kept) >= limit:
            return _from_turn(kept, limit, start)
    return Window(kept, 0)


def _from_turn(events: list[Event], limit: int, start: int) -> Window:
    """Cut at the last turn start that keeps ``limit`` events, if there is one."""
    for index in range(len(events) - limit, -1, -1):
        if events[index].type == "turn/start":
            return Window(events[index:], events[index].seq)
    return Window(events, start)


async def open_chunks(session: Session, end: int) -> list[Event]:
    """The chunks of the answer that is being streamed, before seq ``end``."""
    if session.open_step is None:
        return []
    chunks: list[Event] = []
    start = end
    while start > 0:
        begin = max(0, start - BLOCK)
        block = await session.read(begin, start - begin)
        for event in reversed(block):
            if event.type == CHUNK:
                chunks.append(event)
            elif event.type in ("step/start", "assistant/message", "llm/retry"):
                return chunks[::-1]
        start = begin
    return chunks[::-1]
