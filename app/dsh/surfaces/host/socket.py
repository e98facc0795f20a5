"""The one socket: a client says hello, watches sessions, and is told what happens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, Literal

import anyio
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from dsh.data.json import encode
from dsh.kernel import Scope
from dsh.seams.gateway import Snapshots
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.feed import SLOW, Feed, TooSlow, item
from dsh.surfaces.host.gate import UNAUTHORISED
from dsh.surfaces.host.hub import Hub

HELLO_SECONDS = 5.0
FRAME_LIMIT = 200_000  # characters of one client frame
BAD_FRAME = 4400


class _Frame(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class HostPosition(_Frame):
    """Where a client that comes back was on the host topic."""

    epoch: str
    seq: int


class Hello(_Frame):
    """The first frame."""

    op: Literal["hello"]
    token: str
    host: HostPosition | None = None
    sessions: dict[str, int] = {}


class Subscribe(_Frame):
    """Watch a session; ``last_seq`` is -1 for a client that has nothing of it."""

    op: Literal["subscribe"]
    session: str
    last_seq: int = -1


class Unsubscribe(_Frame):
    """Watch it no longer."""

    op: Literal["unsubscribe"]
    session: str


class Ping(_Frame):
    """Prove that both directions work."""

    op: Literal["ping"]


ClientFrame = Annotated[Hello | Subscribe | Unsubscribe | Ping, Field(discriminator="op")]
_frames: TypeAdapter[Hello | Subscribe | Unsubscribe | Ping] = TypeAdapter(
    ClientFrame, config=ConfigDict(defer_build=True)
)


class SessionSource(ABC):
    """What the socket needs of sessions. Offered by a row of its own, so that the page
    can connect while sessions are not there yet.
    """

    @abstractmethod
    async def watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        """Send a client what it misses of a session, then keep it informed."""

    @abstractmethod
    def unwatch(self, session_id: str, feed: Feed) -> None:
        """Stop that."""


Socket = WebSocket[Any, Any, Any]  # Any: Litestar's user, auth and state, not used


class Connection:
    """One client from handshake to close."""

    def __init__(self, socket: Socket, hub: Hub, access: Access, scope: Scope) -> None:
        self._socket = socket
        self._hub = hub
        self._access = access
        self._scope = scope

    async def run(self) -> None:
        """Serve the client until it leaves, is too slow, or the host stops."""
        await self._socket.accept()
        hello = await self._hello()
        if hello is None or not self._access.is_page(hello.token):
            await self._socket.close(code=UNAUTHORISED)
            return
        with self._hub.client() as feed:
            try:
                async with anyio.create_task_group() as group:
                    group.start_soon(feed.run, self._socket.send_text)
                    await self._greet(hello, feed)
                    await self._read(feed)
                    group.cancel_scope.cancel()
            except* TooSlow:
                await self._socket.close(code=SLOW)
            except* (WebSocketDisconnect, OSError, RuntimeError):
                pass  # it went away in the middle of a frame
            finally:
                source = self._scope.find(SessionSource)
                if source is not None:
                    for session_id in self._watched:
                        source.unwatch(session_id, feed)

    async def _hello(self) -> Hello | None:
        self._watched: set[str] = set()
        with anyio.move_on_after(HELLO_SECONDS):
            frame = await self._receive()
            return frame if isinstance(frame, Hello) else None
        return None

    async def _receive(self) -> Hello | Subscribe | Unsubscribe | Ping | None:
        """The next frame; ``None`` for one that is no frame of ours."""
        text = await self._socket.receive_text()
        if len(text) > FRAME_LIMIT:
            return None
        try:
            return _frames.validate_json(text)
        except ValidationError:
            return None

    async def _greet(self, hello: Hello, feed: Feed) -> None:
        position = hello.host
        missed = self._hub.missed(position.epoch, position.seq) if position else None
        if missed is None:
            feed.put(item("host", "host/snapshot", encode(await self._snapshot())))
        else:
            for payload in missed:
                feed.put(payload)
        for session_id, last_seq in hello.sessions.items():
            await self._watch(session_id, last_seq, feed)

    async def _snapshot(self) -> dict[str, object]:
        # The position is taken first: what happens meanwhile is told again, never lost.
        found: dict[str, object] = {"epoch": self._hub.epoch, "seq": self._hub.seq}
        found |= {"sessions": [], "workspaces": [], "approvals": []}
        for key, make in self._scope.get(Snapshots).items().items():
            found[key] = await make()
        return found

    async def _read(self, feed: Feed) -> None:
        while True:
            try:
                frame = await self._receive()
            except WebSocketDisconnect:
                return
            match frame:
                case Ping():
                    feed.put(item("host", "pong", b"{}"))
                case Subscribe():
                    await self._watch(frame.session, frame.last_seq, feed)
                case Unsubscribe():
                    self._watched.discard(frame.session)
                    source = self._scope.find(SessionSource)
                    if source is not None:
                        source.unwatch(frame.session, feed)
                case _:  # a second hello, or nothing that we know
                    await self._socket.close(code=BAD_FRAME)
                    return

    async def _watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        source = self._scope.find(SessionSource)
        if source is not None:
            self._watched.add(session_id)
            await source.watch(session_id, last_seq, feed)
