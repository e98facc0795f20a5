"""The socket against clients that do not behave; real sockets on loopback."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from dsh.data.clock import monotonic
from dsh.surfaces.host import socket as module
from dsh.surfaces.host.plugin import Host, host
from support.agents import runtime
from support.scripted import Scripted
from unit.host.room import Room, eventually, room

pytestmark = pytest.mark.anyio


class Browser:
    """A client that has opened the page."""

    def __init__(self, origin: str, cookie: str, token: str) -> None:
        self.origin = origin
        self.cookie = cookie
        self.token = token

    @asynccontextmanager
    async def silent(self) -> AsyncIterator[ClientConnection]:
        """A socket that has not said anything yet."""
        async with connect(
            self.origin.replace("http", "ws") + "/api/events",
            origin=Origin(self.origin),
            additional_headers={"cookie": self.cookie},
            proxy=None,
            max_size=None,
        ) as opened:
            yield opened

    @asynccontextmanager
    async def socket(self, **hello: object) -> AsyncIterator[ClientConnection]:
        """A socket that was greeted."""
        async with self.silent() as opened:
            await say(opened, op="hello", token=self.token, **hello)
            yield opened


async def say(opened: ClientConnection, **frame: object) -> None:
    await opened.send(json.dumps(frame))


async def until(opened: ClientConnection, type_: str) -> dict[str, object]:
    """The first item of a type."""
    with anyio.fail_after(20):
        while True:
            for found in json.loads(await opened.recv()):
                if found["type"] == type_:
                    return dict(found)


async def closed(opened: ClientConnection) -> int | None:
    """The code with which the host ends the connection."""
    with anyio.fail_after(20):
        while True:
            try:
                await opened.recv()
            except ConnectionClosed as end:
                return end.rcvd.code if end.rcvd is not None else None


async def browser(running: Host) -> Browser:
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(running.url())
        cookie = answer.headers["set-cookie"].partition(";")[0]
        page = (await http.get(running.origin, headers={"cookie": cookie})).text
    token = page.partition('name="dsh-page-token" content="')[2].partition('"')[0]
    return Browser(running.origin, cookie, token)


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[tuple[Room, Browser]]:
    async with room(tmp_path) as here:
        yield here, await browser(here.root.get(Host))


async def test_who_says_nothing_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HELLO_SECONDS", 0.05)
    async with opened(tmp_path) as (here, page), page.silent() as quiet:
        assert await closed(quiet) == 4401
        assert not here.hub.clients


@pytest.mark.parametrize(
    "first",
    [
        '{"op":"hello","token":"guess"}',
        '{"op":"hello"}',
        '{"op":"ping"}',
        "hello",
        "",
        "[" * 100_000,
        b"\x00\xff",
        '{"op":"hello","token":"\\ud800"}',
    ],
)
async def test_who_says_something_else_first_is_not_let_in(
    tmp_path: Path, first: str | bytes
) -> None:
    async with opened(tmp_path) as (here, page), page.silent() as stranger:
        await stranger.send(first)
        assert await closed(stranger) == 4401
        assert not here.hub.clients


@pytest.mark.parametrize(
    "frame",
    [
        "{",
        "7",
        '{"op":"dance"}',
        '{"op":"subscribe"}',
        b"\x00",
        "x" * 300_000,
        '{"op":"hello"}',
    ],
)
async def test_a_frame_that_means_nothing_ends_the_connection(
    tmp_path: Path, frame: str | bytes
) -> None:
    async with opened(tmp_path) as (here, page), page.socket() as mine:
        await until(mine, "host/snapshot")
        await mine.send(frame)
        assert await closed(mine) == 4400
        await eventually(lambda: not here.hub.clients)


async def test_a_huge_frame_is_not_even_taken_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as (here, page), page.socket() as mine:
        await until(mine, "host/snapshot")
        await mine.send("x" * 3_000_000)
        assert await closed(mine) == 1009
        await eventually(lambda: not here.hub.clients)


async def test_one_client_cannot_watch_without_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as (here, page):
        async with page.socket() as mine:
            for number in range(module.WATCHED + 1):
                await say(mine, op="subscribe", session=f"s{number}")
            assert await closed(mine) == 4400
        many = {f"s{number}": -1 for number in range(module.WATCHED + 1)}
        async with page.socket(sessions=many) as mine:
            assert await closed(mine) == 4401
        await eventually(lambda: not here.hub.clients and not here.hub.sessions)


async def test_a_client_may_look_here_and_there_for_ever(tmp_path: Path) -> None:
    async with opened(tmp_path) as (here, page), page.socket() as mine:
        for number in range(3 * module.WATCHED):
            await say(mine, op="subscribe", session=f"s{number}")
            await say(mine, op="unsubscribe", session=f"s{number}")
        await say(mine, op="ping")
        await until(mine, "pong")
        assert not here.hub.sessions


async def test_clients_that_come_and_go_leave_nothing_and_no_word_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as (here, page):
        session_id = await here.stored()
        for number in range(40):
            async with page.silent() as mine:
                if number % 4:
                    hello = {
                        "op": "hello",
                        "token": page.token,
                        "sessions": {session_id: -1},
                    }
                    await say(mine, **hello)
                if number % 4 == 2:
                    await until(mine, "host/snapshot")
                if number % 4 == 3:
                    mine.transport.abort()
        await eventually(lambda: not here.hub.clients and not here.hub.sessions)
    assert not [r for r in caplog.records if r.levelno >= logging.ERROR]


async def test_a_client_that_comes_back_hears_only_what_it_missed(tmp_path: Path) -> None:
    async with opened(tmp_path) as (here, page):
        async with page.socket() as mine:
            data = (await until(mine, "host/snapshot"))["data"]
            assert isinstance(data, dict)
        here.hub.tell("host/notice", b'{"message":"meanwhile"}')
        position = {"epoch": data["epoch"], "seq": data["seq"]}
        async with page.socket(host=position) as mine:
            found = await until(mine, "host/notice")
            assert found["data"] == {"message": "meanwhile"}
            await say(mine, op="ping")
            await until(mine, "pong")
        async with page.socket(host={"epoch": "before", "seq": 3}) as mine:
            await until(mine, "host/snapshot")


async def test_the_host_stops_in_time_whatever_its_clients_do(tmp_path: Path) -> None:
    model = Scripted()
    async with runtime(tmp_path, model) as running:
        mount = running.root.mount("host", host)
        await mount.settled()
        serving = running.root.get(Host)
        page = await browser(serving)
        half = socket.create_connection(("127.0.0.1", serving.port))
        half.sendall(b"POST /api/a/b HTTP/1.1\r\nHost: ")
        deaf = socket.create_connection(("127.0.0.1", serving.port))
        host_line = f"Host: 127.0.0.1:{serving.port}\r\nCookie: {page.cookie}\r\n"
        deaf.sendall(f"GET / HTTP/1.1\r\n{host_line}\r\n".encode() * 2_000)
        async with page.socket() as mine:
            await until(mine, "host/snapshot")
            for feed in serving.hub.clients:
                feed.put(b'"' + b"x" * 20_000_000 + b'"')
            began = monotonic()
            await mount.close()
            assert monotonic() - began < 5
        half.close()
        deaf.close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", serving.port))
