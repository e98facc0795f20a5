"""Requests through a proxy: a plain one on loopback that notes what it is asked."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from support.asking import ask, endpoint_provider

pytestmark = pytest.mark.anyio


class Seen:
    """What the proxy was asked."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headers: list[str] = []
        self.port = 0


@asynccontextmanager
async def proxy(answer: bytes) -> AsyncIterator[Seen]:
    seen = Seen()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.lines.append((await reader.readline()).decode().strip())
        while (row := await reader.readline()).strip():
            seen.headers.append(row.decode().strip())
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    seen.port = server.sockets[0].getsockname()[1]
    async with server:
        yield seen


REFUSES = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"


async def test_a_remote_server_is_reached_through_the_proxy() -> None:
    async with proxy(REFUSES) as seen:
        where = f"http://user:p%40ss@127.0.0.1:{seen.port}"
        async with endpoint_provider(
            "https://api.example.com", environment={"HTTPS_PROXY": where}
        ) as provider:
            answer = await ask(provider)
    assert seen.lines == ["CONNECT api.example.com:443 HTTP/1.1"]
    secret = base64.b64encode(b"user:p@ss").decode()
    assert any(secret in header for header in seen.headers)
    assert answer.code == "TRANSPORT"
    assert "127.0.0.1" in answer.message
    assert "p@ss" not in answer.message


async def test_plain_http_is_forwarded() -> None:
    body = b'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    async with (
        proxy(head + body) as seen,
        endpoint_provider(
            "http://model.example.com",
            environment={"http_proxy": f"127.0.0.1:{seen.port}"},
        ) as provider,
    ):
        answer = await ask(provider)
    assert seen.lines == ["POST http://model.example.com/v1/chat/completions HTTP/1.1"]
    assert answer.text == "x"


async def test_a_proxy_that_is_not_there_is_named() -> None:
    async with endpoint_provider(
        "https://api.example.com",
        environment={"ALL_PROXY": "http://u:secret@127.0.0.1:9"},
    ) as provider:
        answer = await ask(provider)
    assert answer.code == "TRANSPORT"
    assert "http://127.0.0.1:9" in answer.message
    assert "secret" not in answer.message
