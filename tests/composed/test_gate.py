"""Who may talk to the host: nobody but its own page."""

from __future__ import annotations

import json
import re
import socket as sockets
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from support.program import Client, Program, client_of, headless, items_until


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with headless(tmp_path_factory.mktemp("gate") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def client(program: Program) -> Iterator[Client]:
    with client_of(program) as opened:
        yield opened


def refused(answer: httpx.Response) -> bool:
    body = answer.json() if "json" in answer.headers.get("content-type", "") else {}
    return 400 <= answer.status_code < 500 and (not body or "error" in body)


def raw(program: Program, request: str) -> str:
    """Status line of a request as it stands."""
    port = int(program.origin.rsplit(":", 1)[1])
    with sockets.create_connection(("127.0.0.1", port), timeout=10) as stream:
        stream.sendall(request.replace("\n", "\r\n").encode())
        return stream.makefile("rb").readline().decode()


def test_the_ticket_opens_the_page_once(program: Program, client: Client) -> None:
    with httpx.Client(trust_env=False) as other:
        assert other.get(program.url).status_code == 403
        assert other.get(program.origin + "/boot").status_code == 403
        assert other.get(program.origin + "/boot?t=" + "x" * 43).status_code == 403
        assert not other.cookies


def test_the_cookie_is_for_this_session_and_out_of_reach_of_scripts(
    tmp_path: Path,
) -> None:
    with headless(tmp_path / "home") as running, httpx.Client(trust_env=False) as browser:
        answer = browser.get(running.url)
        assert answer.status_code == 303 and answer.headers["location"] == "/"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert "Max-Age" not in cookie and "Expires" not in cookie
        value = re.search(r"=([\w-]+);", cookie)
        assert value is not None and len(value[1]) >= 43


@pytest.mark.parametrize(
    "path",
    ["/", "/assets/index.js", "/api/host/describe", "/schema", "/nothing", "/boot/x"],
)
def test_without_the_cookie_nothing_is_served(program: Program, path: str) -> None:
    with httpx.Client(trust_env=False) as stranger:
        assert stranger.get(program.origin + path).status_code == 401
        headers = {"origin": program.origin}
        answer = stranger.post(program.origin + path, json={}, headers=headers)
        assert answer.status_code == 401


@pytest.mark.parametrize("change", ["truncated", "other", "old-run", "empty"])
def test_a_wrong_cookie_is_no_cookie(
    program: Program, client: Client, change: str, tmp_path: Path
) -> None:
    name, value = client.cookie.split("=", 1)
    if change == "old-run":
        with headless(tmp_path / "home") as earlier, client_of(earlier) as before:
            value = before.cookie.split("=", 1)[1]
    values = {"truncated": value[:-1], "other": "y" * 43, "old-run": value, "empty": ""}
    with httpx.Client(trust_env=False) as stranger:
        headers = {"cookie": f"{name}={values[change]}"}
        answer = stranger.get(program.origin + "/", headers=headers)
        assert answer.status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost:{port}",
        "",
    ],
)
def test_another_host_name_is_refused_with_otherwise_good_credentials(
    program: Program, client: Client, host: str
) -> None:
    port = program.origin.rsplit(":", 1)[1]
    name = host.format(port=port)
    head = f"Host: {name}\nCookie: {client.cookie}\n"
    assert " 4" in raw(program, f"GET / HTTP/1.1\n{head}\n")
    upgrade = (
        "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nOrigin: {program.origin}\n"
    )
    assert " 4" in raw(program, f"GET /api/events HTTP/1.1\n{head}{upgrade}\n")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"origin": "https://evil.example"}, "{}"),
        ({"origin": "null"}, "{}"),
        ({"origin": ""}, "{}"),
        ({"sec-fetch-site": "cross-site"}, "{}"),
        ({"sec-fetch-site": "same-site"}, "{}"),
        ({"content-type": "text/plain"}, "{}"),
        ({"content-type": "application/x-www-form-urlencoded"}, "a=b"),
        ({"x-dsh-page": ""}, "{}"),
        ({"x-dsh-page": "guess"}, "{}"),
    ],
)
def test_a_cross_site_request_changes_nothing(
    client: Client, headers: dict[str, str], body: str
) -> None:
    good = {
        "origin": client.origin,
        "x-dsh-page": client.token,
        "content-type": "application/json",
    }
    sent = {name: value for name, value in (good | headers).items() if value}
    url = f"{client.origin}/api/ui/saveState"
    answer = client.http.post(url, content=body, headers=sent)
    assert refused(answer), answer.text
    assert "access-control-allow-origin" not in answer.headers


def test_no_method_answers_get_or_preflight(client: Client) -> None:
    for verb in ("GET", "OPTIONS", "PUT", "DELETE", "PATCH"):
        headers = {"origin": client.origin, "x-dsh-page": client.token}
        answer = client.http.request(
            verb, f"{client.origin}/api/host/describe", headers=headers
        )
        assert answer.status_code in (404, 405), verb
        assert "access-control-allow-origin" not in answer.headers


def test_the_harmless_description_needs_no_page_token(client: Client) -> None:
    answer = client.post("host/describe", {}, **{"x-dsh-page": ""})
    assert answer.status_code == 200


def test_every_other_method_needs_the_page_token(client: Client) -> None:
    for path in ("session/list", "workspace/list", "settings/describe", "boot/report"):
        assert client.post(path, {}, **{"x-dsh-page": ""}).status_code == 403


def test_every_answer_carries_the_content_policy(
    program: Program, client: Client
) -> None:
    with httpx.Client(trust_env=False) as stranger:
        answers = [
            client.http.get(client.origin + "/"),
            client.http.get(client.origin + "/nothing"),
            stranger.get(program.origin + "/"),
            client.post("host/describe", {}),
        ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/..%5c..%5cetc",
        "//etc/passwd",
        "/assets/..%2f..%2f__init__.py",
        "/C:%5cWindows",
        "/file:%2f%2f/etc/passwd",
        "/a%00b",
        "/" + "a/" * 5_000,
        "/index.html%20",
    ],
)
def test_only_listed_files_are_served(
    program: Program, client: Client, path: str
) -> None:
    port = program.origin.rsplit(":", 1)[1]
    head = f"Host: 127.0.0.1:{port}\nCookie: {client.cookie}\n"
    status = raw(program, f"GET {path} HTTP/1.1\n{head}\n")
    assert " 40" in status, status


@pytest.mark.parametrize(
    ("origin", "cookie", "token"),
    [
        ("https://evil.example", True, True),
        (None, True, True),
        ("own", False, True),
        ("own", True, False),
    ],
)
def test_a_socket_without_all_proofs_hears_nothing(
    client: Client, origin: str | None, cookie: bool, token: bool
) -> None:
    address = client.origin.replace("http:", "ws:") + "/api/events"
    headers = {"cookie": client.cookie} if cookie else {}
    shown = client.origin if origin == "own" else origin
    with pytest.raises((InvalidStatus, ConnectionClosed)):  # noqa: SIM117
        with connect(
            address,
            origin=Origin(shown) if shown else None,
            additional_headers=headers,
            proxy=None,
        ) as socket:
            hello = {"op": "hello", "token": client.token if token else "guess"}
            socket.send(json.dumps(hello))
            socket.recv(10)


def test_a_socket_with_all_proofs_is_greeted(client: Client) -> None:
    with client.socket() as socket:
        [first] = items_until(socket, "host/snapshot")
        assert first["data"]["epoch"]
        socket.send(json.dumps({"op": "ping"}))
        assert items_until(socket, "pong")


def test_many_strangers_do_not_exhaust_the_host(program: Program, client: Client) -> None:
    address = client.origin.replace("http:", "ws:") + "/api/events"
    for _ in range(200):
        with (
            pytest.raises(InvalidStatus),
            connect(address, origin=Origin(client.origin), proxy=None),
        ):
            pass
    assert client.call("host/describe")["pid"] == program.pid


def test_only_loopback_is_listened_on(program: Program) -> None:
    listening = {
        connection.laddr.ip
        for process in program.family()
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}


def test_sigterm_ends_everything_in_time(tmp_path: Path) -> None:
    with headless(tmp_path / "home") as running:
        family = running.family()
        assert running.terminate() == 0
        _, alive = psutil.wait_procs(family, timeout=5)
        assert not alive
