"""All connected clients: the numbered host topic, and sessions they watch."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from dsh.surfaces.host.feed import Feed, item

REMEMBERED = 2_000  # host events a client may have missed and still resume
REMEMBERED_BYTES = 4_000_000


class Hub:
    """Spreads items to clients. Everything here runs on the loop's thread."""

    def __init__(self) -> None:
        self.epoch = secrets.token_hex(8)
        self.seq = 0
        self._missed: deque[tuple[int, bytes]] = deque()
        self._missed_bytes = 0
        self._clients: set[Feed] = set()
        self._watching: dict[str, set[Feed]] = {}

    @contextmanager
    def client(self) -> Iterator[Feed]:
        """A client's feed while it is connected."""
        feed = Feed()
        self._clients.add(feed)
        try:
            yield feed
        finally:
            self._clients.discard(feed)
            feed.close()
            for session_id in tuple(self._watching):
                self.unwatch(session_id, feed)

    @property
    def clients(self) -> tuple[Feed, ...]:
        """The clients that are connected."""
        return tuple(self._clients)

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions that some client watches."""
        return tuple(self._watching)

    def watched(self, session_id: str) -> bool:
        """Whether any client watches the session."""
        return session_id in self._watching

    def watchers(self, session_id: str) -> tuple[Feed, ...]:
        """The clients that watch the session."""
        return tuple(self._watching.get(session_id, ()))

    def watch(self, session_id: str, feed: Feed) -> None:
        """Send what happens in a session to this client too, unless it has gone."""
        if not feed.closed:
            self._watching.setdefault(session_id, set()).add(feed)

    def unwatch(self, session_id: str, feed: Feed) -> None:
        """Stop that."""
        feeds = self._watching.get(session_id)
        if feeds is not None:
            feeds.discard(feed)
            if not feeds:
                del self._watching[session_id]

    def tell(self, type_: str, data: bytes, *, transient: bool = False) -> None:
        """A fact for every client; numbered and remembered unless it is transient."""
        if transient:
            payload = item("host", type_, data)
        else:
            self.seq += 1
            payload = item("host", type_, data, self.seq)
            self._remember(payload)
        for feed in self._clients:
            feed.put(payload)

    def _remember(self, payload: bytes) -> None:
        self._missed.append((self.seq, payload))
        self._missed_bytes += len(payload)
        while len(self._missed) > REMEMBERED or self._missed_bytes > REMEMBERED_BYTES:
            _, oldest = self._missed.popleft()
            self._missed_bytes -= len(oldest)

    def tell_watchers(
        self, session_id: str, type_: str, data: bytes, seq: int | None = None
    ) -> None:
        """Something about a session for those who watch it."""
        feeds = self._watching.get(session_id)
        if feeds:
            payload = item(f"session:{session_id}", type_, data, seq)
            for feed in feeds:
                feed.put(payload)

    def missed(self, epoch: str, seq: int) -> list[bytes] | None:
        """What a client missed since ``seq``; ``None`` when it must begin anew."""
        if epoch != self.epoch or seq > self.seq:
            return None
        if seq < self.seq and (not self._missed or self._missed[0][0] > seq + 1):
            return None
        return [payload for number, payload in self._missed if number > seq]
