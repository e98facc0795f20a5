"""Every method answers hostile words with a refusal, never with a crash."""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from dsh.surfaces.host.plugin import _listen
from support.page import Host, Session, hosted
from support.program import ROOT

# What each method is called stands in its plugin; the page's types are made of the same.
_METHOD = re.compile(r'Method\(\s*"(\w+)",\s*"(\w+)"')
# Called for their effect elsewhere, and end the program or reach out of it.
SPARED = {"host/quit", "host/installDesktopEntry", "model/local"}
VALUES: tuple[object, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "x",
    "\x00",
    "../../etc/passwd",
    "a" * 100_000,
    "\u202e\u2028🚀",
    [],
    ["x"],
    {},
    {"__proto__": {}},
    [[[[[]]]]],
)
RAW = (
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"7",
    b"{",
    b'{"a":1}{"b":2}',
    b'{"a":NaN}',
    b'{"sessionId":"\\ud800"}',
    b"\xff\xfe{}",
    b'{"sessionId":' * 5_000,
    b"[" * 100_000,
)


def methods() -> list[str]:
    found: set[str] = set()
    for folder in ("app", "plugins"):
        for file in (ROOT / folder).rglob("*.py"):
            pairs = _METHOD.findall(file.read_text("utf-8"))
            found |= {f"{namespace}/{name}" for namespace, name in pairs}
    return sorted(found - SPARED)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosted(tmp_path_factory.mktemp("hostile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(host: Host) -> Session:
    made = host.session()
    made.prompt("run echo hi")
    host.ended(1)
    return made


def fields(host: Host, path: str) -> list[str]:
    """The names that a method takes, as it says itself when they are missing."""
    types = (ROOT / "ui" / "src" / "wire.gen.ts").read_text("utf-8")
    found = re.search(rf'"{path}": {{ request: (\w+);', types)
    if found is None:
        return []
    body = re.search(rf"export interface {found[1]} {{(.*?)\n}}", types, re.DOTALL)
    return re.findall(r"^\s+\"?(\w+)\"?\??:", body[1], re.MULTILINE) if body else []


def check(host: Host, path: str, answer: httpx.Response) -> None:
    assert answer.status_code < 500 or answer.status_code == 501, (path, answer.text)
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error["code"]
        assert error["message"]
        assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", methods())
def test_no_value_is_too_odd(host: Host, session: Session, path: str) -> None:
    names = fields(host, path)
    chance = random.Random(path)
    bodies: list[dict[str, object]] = [{}, {"unknown": 1}]
    for _ in range(25):
        body = {name: chance.choice(VALUES) for name in names}
        for name in ("sessionId",):
            if name in body and chance.random() < 0.6:
                body[name] = session.id
        bodies.append(body)
    for body in bodies:
        if path == "settings/update" and isinstance(body.get("patch"), dict):
            continue  # a patch of nothing is a fine one
        check(host, path, host.client.post(path, body))
    assert host.client.call("host/describe")["pid"] == host.program.pid


@pytest.mark.parametrize("path", ["session/list", "session/prompt", "host/describe"])
def test_what_is_no_object_is_refused(host: Host, path: str) -> None:
    headers = {
        "origin": host.client.origin,
        "x-dsh-page": host.client.token,
        "content-type": "application/json",
    }
    for raw in RAW:
        url = f"{host.client.origin}/api/{path}"
        answer = host.client.http.post(url, content=raw, headers=headers)
        check(host, path, answer)
        if path == "session/prompt":
            assert answer.status_code >= 400


@pytest.mark.parametrize("path", ["nope/nope", "session/nope", "session", "", "a/b/c"])
def test_what_is_no_method_is_not_found(host: Host, path: str) -> None:
    answer = host.client.post(path, {})
    assert 400 <= answer.status_code < 500
    assert "error" in answer.json()


def test_a_body_beyond_all_reason_is_refused(host: Host) -> None:
    answer = host.client.post("host/describe", {"x": "a" * 16_100_000})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "BODY_TOO_LARGE"


def test_answers_are_not_held_back() -> None:
    """asyncio turns Nagle's delay off for sockets that say which protocol they are."""
    with _listen(0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_the_session_is_as_it_was(host: Host, session: Session) -> None:
    log = Path(host.log).read_bytes()
    assert log.endswith(b"\n")
    session.prompt("run echo still here")
    host.ended(2)
