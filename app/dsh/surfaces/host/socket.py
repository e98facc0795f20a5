"""The one socket: a client says hello, watches sessions, and is told what happens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Annotated, Any, Literal

import anyio
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from dsh.kernel import Scope
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.feed import SLOW, Feed, TooSlow, item
from dsh.surfaces.host.gate import UNAUTHORISED
from dsh.surfaces.host.greeting import Greeting
from dsh.surfaces.host.hub import Hub

HELLO_SECONDS = 5.0
FRAME_LIMIT = 200_000  # characters of one client frame
WATCHED = 100  # sessions of one client; our page watches one
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
    sessions: dict[str, int] = Field(default={}, max_length=WATCHED)


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
        """Send a client what it misses of a session, then keep it informed.

        Clients that the hub knows to watch a session when this is offered first are told
        without being asked.
        """


Socket = WebSocket[Any, Any, Any]  # Any: Litestar's user, auth and state, not used


class Left(Exception):  # ends a connection
    """The client is not there any more."""


class Connection:
    """One client from handshake to close."""

    def __init__(
        self, socket: Socket, hub: Hub, greeting: Greeting, access: Access, scope: Scope
    ) -> None:
        self._socket = socket
        self._hub = hub
        self._greeting = greeting
        self._access = access
        self._scope = scope
        self._watched: set[str] = set()

    async def run(self) -> None:
        """Serve the client until it leaves, is too slow, or the host stops."""
        await self._socket.accept()
        try:
            hello = await self._hello()
            if hello is None:
                await self._close(UNAUTHORISED)
            else:
                await self._serve(hello)
        except* Left:
            pass
        except* TooSlow:
            await self._close(SLOW)

    async def _serve(self, hello: Hello) -> None:
        known = hello.host
        greeting = self._hub.missed(known.epoch, known.seq) if known else None
        if greeting is None:
            greeting = await self._greeting.items()
        with self._hub.client() as feed:
            for payload in greeting:
                feed.put(payload)
            async with anyio.create_task_group() as group:
                group.start_soon(feed.run, self._send)
                for session_id, last_seq in hello.sessions.items():
                    await self._watch(session_id, last_seq, feed)
                await self._read(feed)
                group.cancel_scope.cancel()

    async def _hello(self) -> Hello | None:
        """The first frame, if it comes soon and shows that this is our page."""
        with anyio.move_on_after(HELLO_SECONDS):
            frame = await self._receive()
            if isinstance(frame, Hello) and self._access.is_page(frame.token):
                return frame
        return None

    async def _receive(self) -> Hello | Subscribe | Unsubscribe | Ping | None:
        """The next frame; ``None`` for one that is no frame of ours."""
        try:
            text = await self._socket.receive_text()
        except WebSocketDisconnect as error:
            raise Left from error
        if len(text) > FRAME_LIMIT:
            return None
        try:
            return _frames.validate_json(text)
        except ValidationError:
            return None

    async def _send(self, text: str) -> None:
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, OSError, RuntimeError) as error:
            raise Left from error

    async def _close(self, code: int) -> None:
        with suppress(WebSocketDisconnect, OSError, RuntimeError):
            await self._socket.close(code=code)

    async def _read(self, feed: Feed) -> None:
        while True:
            match await self._receive():
                case Ping():
                    feed.put(item("host", "pong", b"{}"))
                case Subscribe() as wish if len(self._watched) < WATCHED:
                    await self._watch(wish.session, wish.last_seq, feed)
                case Unsubscribe() as wish:
                    self._watched.discard(wish.session)
                    self._hub.unwatch(wish.session, feed)
                case _:  # a second hello, too many wishes, or nothing that we know
                    await self._close(BAD_FRAME)
                    return

    async def _watch(self, session_id: str, last_seq: int, feed: Feed) -> None:
        self._watched.add(session_id)
        source = self._scope.find(SessionSource)
        if source is None:
            self._hub.watch(session_id, feed)  # it is told when sessions are there
        else:
            await source.watch(session_id, last_seq, feed)
