"""Tells every client when the line of a session changed."""

from __future__ import annotations

import anyio

from dsh.runtime.agent import AgentStatus
from dsh.runtime.session import SessionAppended, SessionOpened, SessionsChanged
from dsh.surfaces.host.hub import Hub
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.wire import Removed

SETTLE_SECONDS = 0.05  # a turn start is several facts; the list needs their sum

# The events after which a session's line may look different.
TELLING = frozenset(
    {
        "agent/inbox/spliced",
        "agent-preset/selected",
        "approval/asked",
        "approval/decided",
        "request/header",
        "sandbox/mode",
        "session/title",
        "turn/end",
        "turn/start",
        "user/message",
    }
)


class News:
    """Collects the ids of changed sessions and sends their summaries."""

    def __init__(self, hub: Hub, lists: Summaries, unseen: Unseen) -> None:
        self._hub = hub
        self._lists = lists
        self._unseen = unseen
        self._changed: dict[str, None] = {}
        self._finished: set[str] = set()
        self._wake = anyio.Event()

    def changed(self, session_id: str) -> None:
        """The line of a session may look different."""
        self._changed[session_id] = None
        self._wake.set()

    def appended(self, fact: SessionAppended) -> None:
        """Look at a committed event."""
        if fact.event.type not in TELLING:
            return
        session_id = fact.session.id
        if fact.event.type == "turn/end" and not self._hub.watched(session_id):
            self._finished.add(session_id)
        self.changed(session_id)

    def opened(self, fact: SessionOpened) -> None:
        """A session became live."""
        self.changed(fact.session.id)

    def status(self, fact: AgentStatus) -> None:
        """An agent moved on."""
        self.changed(fact.session_id)

    def listed(self, fact: SessionsChanged) -> None:
        """Sessions were found on disk, or vanished."""
        for session_id in fact.added:
            self.changed(session_id)
        for session_id in fact.removed:
            self._removed(session_id)

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            await self._wake.wait()
            await anyio.sleep(SETTLE_SECONDS)
            self._wake = anyio.Event()
            changed, self._changed = self._changed, {}
            finished, self._finished = self._finished, set()
            for session_id in finished:
                await self._unseen.mark(session_id, unseen=True)
            for session_id in changed:
                await self._tell(session_id)

    async def _tell(self, session_id: str) -> None:
        summary = await self._lists.of(session_id)
        if summary is None:
            self._removed(session_id)
        else:
            self._hub.tell(
                "host/session", summary.model_dump_json(by_alias=True).encode()
            )

    def _removed(self, session_id: str) -> None:
        data = Removed(session_id=session_id).model_dump_json(by_alias=True)
        self._hub.tell("host/session-removed", data.encode())
