"""The host as a plugin: listens on loopback while it is mounted."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import anyio
import uvicorn
from pydantic import BaseModel, Field

from dsh.data.paths import Home
from dsh.errors import SurfaceError
from dsh.kernel import Events, Scope, plugin
from dsh.seams.gateway import HostEvent, SessionSignal
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.application import application
from dsh.surfaces.host.gate import App
from dsh.surfaces.host.greeting import Greeting
from dsh.surfaces.host.hub import Hub

LOOPBACK = "127.0.0.1"
STOP_SECONDS = 2


class PortTaken(SurfaceError):
    """Somebody else listens on the port that was asked for."""

    code = "PORT_TAKEN"


class HostConfig(BaseModel, frozen=True):
    """Where to listen. There is no address to choose: it is loopback only."""

    port: int = Field(default=0, ge=0, le=65_535)  # 0: the system chooses


class Host:
    """The running host."""

    def __init__(self, port: int, access: Access, hub: Hub, greeting: Greeting) -> None:
        self.port = port
        self.origin = f"http://{LOOPBACK}:{port}"
        self.hub = hub
        self.greeting = greeting
        self._access = access

    def url(self) -> str:
        """A fresh URL that opens the page once, within a minute."""
        return f"{self.origin}/boot?t={self._access.issue()}"


class _Server(uvicorn.Server):
    """Uvicorn as one task among others: signals are the launcher's business."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()
        self._ended = anyio.Event()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().serve(sockets)
        finally:
            self._ended.set()

    async def end(self) -> None:
        """Stop listening and let what is under way end, for a bounded time."""
        self.should_exit = True
        await self._ended.wait()

    def abandon(self) -> None:
        """Close what a cancelled server, or a client that does not read, has left."""
        for listening in self.servers:
            listening.close()
        for connection in tuple(self.server_state.connections):
            transport = connection.transport
            if transport is not None:
                transport.abort()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@plugin
async def host(
    config: HostConfig, home: Home, scope: Scope, events: Events
) -> AsyncIterator[Host]:
    """Serves until it is stopped; open sockets are closed then."""
    access, hub = Access(home), Hub()
    greeting = Greeting(hub, scope)
    with (
        _listen(config.port) as listener,
        events.on(HostEvent, lambda fact: _tell(hub, fact)),
        events.on(SessionSignal, lambda fact: _signal(hub, fact)),
    ):
        port = listener.getsockname()[1]
        app = application(scope, home, access, hub, greeting, port)
        async with anyio.create_task_group() as group:
            server = _Server(_server_config(app))
            group.start_soon(server.serve, [listener])
            await server.ready.wait()
            group.start_soon(greeting.run)
            try:
                yield Host(port, access, hub, greeting)
                await server.end()
            finally:
                server.abandon()
                group.cancel_scope.cancel()


def _server_config(app: App) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        ws_max_size=2**20,
        ws_per_message_deflate=False,  # it never leaves the machine
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


def _tell(hub: Hub, fact: HostEvent) -> None:
    data = fact.data.model_dump_json(by_alias=True).encode()
    hub.tell(fact.type, data, transient=fact.transient)


def _signal(hub: Hub, fact: SessionSignal) -> None:
    if hub.watched(fact.session_id):
        data = fact.data.model_dump_json(by_alias=True).encode()
        hub.tell_watchers(fact.session_id, fact.type, data)


def _listen(port: int) -> socket.socket:
    # The protocol is spelled out: asyncio turns Nagle's delay off only where it is, and
    # with it every answer would wait 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        message = f"port {port} cannot be used: {error.strerror}"
        raise PortTaken(message, remedy="choose another --port, or none") from error
    return listener
