"""Tells every client when the line of a session changed."""

from __future__ import annotations

import logging

import anyio

from dsh.runtime.agent import AgentStatus
from dsh.runtime.session import SessionAppended, SessionOpened, SessionsChanged
from dsh.surfaces.host.plugin import Host
from dsh.surfaces.host.sessions.summaries import Summaries
from dsh.surfaces.host.sessions.unseen import Unseen
from dsh.surfaces.host.wire import Removed

logger = logging.getLogger(__name__)

MANY = 200  # lines that are told as a whole list instead
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

    def __init__(self, host: Host, lists: Summaries, unseen: Unseen) -> None:
        self._hub = host.hub
        self._greeting = host.greeting
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
        if len(fact.added) + len(fact.removed) > MANY:
            self._greeting.refresh()  # the first look at a home with a long past
            return
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
                try:
                    await self._tell(session_id)
                except Exception:
                    # One line that cannot be told must not silence all the others.
                    logger.exception("the line of %s is not told", session_id)

    async def _tell(self, session_id: str) -> None:
        summary = await self._lists.of(session_id)
        if summary is None:
            self._removed(session_id)
        else:
            data = summary.model_dump_json(by_alias=True)
            self._hub.tell("host/session", data.encode())

    def _removed(self, session_id: str) -> None:
        data = Removed(session_id=session_id).model_dump_json(by_alias=True)
        self._hub.tell("host/session-removed", data.encode())
