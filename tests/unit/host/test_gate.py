"""The gate: what passes, and what is refused before anything is done."""

from __future__ import annotations

import itertools
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from dsh.data.paths import Home
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.gate import FORBIDDEN, UNAUTHORISED, Gate

pytestmark = pytest.mark.anyio

Message = MutableMapping[str, Any]  # Any: ASGI's own
PORT = 4711
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


class Door:
    """A gate before an application that answers everything."""

    def __init__(self) -> None:
        self.access = Access(Home(Path("/somewhere/.dsh")))
        self.cookie = (
            f"{self.access.cookie_name}={self.access.redeem(self.access.issue())}"
        )
        self.passed = 0
        self.sent: list[Message] = []
        self._gate = Gate(self._app, self.access, PORT)

    async def _app(self, scope: Message, receive: object, send: Any) -> None:
        self.passed += 1
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    async def knock(
        self, headers: list[tuple[str, str]], method: str = "GET", path: str = "/"
    ) -> int:
        """The status of a request, or the close code of a socket."""
        scope: Message = {
            "type": "websocket" if method == "SOCKET" else "http",
            "method": method,
            "path": path,
            "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers],
        }
        self.sent = []
        await self._gate(scope, self._receive, self._send)
        if not self.sent:
            return 0  # a socket was let through, and the application says nothing
        return int(self.sent[0].get("status") or self.sent[0]["code"])

    async def _receive(self) -> Message:
        return {"type": "websocket.connect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)


@pytest.fixture
def door() -> Door:
    return Door()


def good(door: Door, **changes: str | None) -> list[tuple[str, str]]:
    headers = {"host": HOST, "origin": ORIGIN, "cookie": door.cookie, **changes}
    return [(name, value) for name, value in headers.items() if value is not None]


async def test_our_own_page_passes(door: Door) -> None:
    assert await door.knock(good(door, origin=None)) == 200
    assert await door.knock(good(door), "POST") == 200
    assert await door.knock(good(door), "HEAD") == 200
    assert door.passed == 3


@pytest.mark.parametrize("origin", [None, "null", "", "https://evil.example", "own-port"])
async def test_a_post_and_a_socket_must_come_from_our_own_origin(
    door: Door, origin: str | None
) -> None:
    shown = "http://127.0.0.1:1" if origin == "own-port" else origin
    assert await door.knock(good(door, origin=shown), "POST") == 403
    assert await door.knock(good(door, origin=shown), "SOCKET") == FORBIDDEN
    assert door.passed == 0


@pytest.mark.parametrize(
    "host",
    [None, "", "localhost:4711", "127.0.0.1", "evil.example", f"{HOST}0", f" {HOST}"],
)
async def test_another_authority_is_refused_first(door: Door, host: str | None) -> None:
    assert await door.knock(good(door, host=host)) == 421
    assert await door.knock(good(door, host=host), "SOCKET") == FORBIDDEN


async def test_a_header_that_is_sent_twice_counts_as_neither(door: Door) -> None:
    for name, value in (("host", HOST), ("origin", ORIGIN), ("sec-fetch-site", "none")):
        other = [(name, value), (name.upper(), value)]
        kept = [(n, v) for n, v in good(door) if n != name]
        assert await door.knock([*kept, *other], "POST") in (403, 421), name
    assert door.passed == 0


async def test_the_cookie_may_be_split_over_headers(door: Door) -> None:
    headers = [("cookie", "a=b"), *good(door, origin=None)]
    assert await door.knock(headers) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "nonsense"])
async def test_other_sites_are_refused_but_for_opening_a_ticket(
    door: Door, site: str
) -> None:
    headers = good(door, **{"sec-fetch-site": site})
    assert await door.knock(headers) == 403
    assert await door.knock(headers, "POST", "/boot") == 403
    assert await door.knock(headers, "SOCKET", "/boot") == FORBIDDEN
    assert (
        await door.knock([("host", HOST), ("sec-fetch-site", site)], path="/boot") == 200
    )


@pytest.mark.parametrize(
    "path", ["/boot/", "/boot/x", "//boot", "/Boot", "/", "/api/a/b"]
)
async def test_only_the_ticket_needs_no_cookie(door: Door, path: str) -> None:
    assert await door.knock([("host", HOST)], path="/boot") == 200
    assert await door.knock([("host", HOST)], path=path) == 401
    assert await door.knock(good(door, cookie="x=y"), "SOCKET", path) == UNAUTHORISED


async def test_no_other_verb_is_answered(door: Door) -> None:
    for verb in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"):
        assert await door.knock(good(door), verb) == 405
    assert door.passed == 0


async def test_every_answer_says_what_the_page_may_load(door: Door) -> None:
    await door.knock(good(door))
    passed = dict(door.sent[0]["headers"])
    await door.knock([("host", HOST)])
    refused = dict(door.sent[0]["headers"])
    for headers in (passed, refused):
        policy = headers[b"content-security-policy"].decode()
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy
        assert not any(b"access-control" in name for name in headers)


async def test_nothing_passes_unless_all_proofs_are_there(door: Door) -> None:
    parts: dict[str, tuple[str | None, ...]] = {
        "host": (HOST, "evil.example"),
        "origin": (ORIGIN, None, "https://evil.example"),
        "cookie": (door.cookie, None, "x=y"),
        "sec-fetch-site": (None, "same-origin", "cross-site"),
    }
    for values in itertools.product(*parts.values()):
        chosen = dict(zip(parts, values, strict=True))
        proved = (
            chosen["host"] == HOST
            and chosen["origin"] == ORIGIN
            and chosen["cookie"] == door.cookie
            and chosen["sec-fetch-site"] != "cross-site"
        )
        for method in ("POST", "SOCKET"):
            before = door.passed
            await door.knock(good(door, **chosen), method)
            assert (door.passed > before) is proved, (method, chosen)
