"""The real program as a child process, and a client that holds its secrets."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

ROOT = Path(__file__).resolve().parents[2]
DSH = (sys.executable, "-m", "dsh")
START_SECONDS = 30.0


def environment(home: Path, **extra: str) -> dict[str, str]:
    """A bare environment: no proxies, no keys, a home of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home.parent),
        "LANG": "C.UTF-8",
        "DSH_HOME": str(home),
        "PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT / 'plugins'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **extra,
    }


def run_dsh(
    *words: str,
    home: Path,
    cwd: Path | None = None,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    **extra: str,
) -> subprocess.CompletedProcess[str]:
    """Run a command of the program to its end."""
    return subprocess.run(
        [*DSH, *words],
        env=environment(home, **extra, **(env or {})),
        cwd=cwd or home.parent,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Program:
    """A running `dsh --headless`."""

    def __init__(self, process: subprocess.Popen[str], ready: Mapping[str, Any]) -> None:
        self.process = process
        self.url = str(ready["url"])
        self.origin = str(ready["origin"])
        self.pid = int(ready["pid"])

    def family(self) -> list[psutil.Process]:
        """The program and all its descendants, now."""
        root = psutil.Process(self.pid)
        return [root, *root.children(recursive=True)]

    def terminate(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self.process.kill()
        self.process.wait(10)


@contextmanager
def headless(
    home: Path,
    *words: str,
    argv: tuple[str, ...] = DSH,
    env: Mapping[str, str] | None = None,
    **extra: str,
) -> Iterator[Program]:
    """The program serving without a window; killed at the end if it still runs."""
    process = subprocess.Popen(
        [*argv, "--headless", *words],
        env=environment(home, **extra, **(env or {})),
        cwd=home.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            assert process.stderr is not None
            raise AssertionError(f"it did not start: {process.stderr.read()}")
        yield Program(process, json.loads(line))
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


class Client:
    """What the page is to the host: cookie, page token, calls and the socket."""

    def __init__(self, origin: str, url: str) -> None:
        self.origin = origin
        self.http = httpx.Client(trust_env=False, timeout=30)
        self.http.get(url)
        page = self.http.get(origin + "/").text
        found = re.search(r'name="dsh-page-token" content="([^"]+)"', page)
        assert found is not None, page
        self.token = found[1]

    @property
    def cookie(self) -> str:
        """The Cookie header of this client."""
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        """A call as it is, refused or not."""
        sent = {"origin": self.origin, "x-dsh-page": self.token, **headers}
        kept = {name: value for name, value in sent.items() if value}
        return self.http.post(f"{self.origin}/api/{path}", json=body, headers=kept)

    def call(self, path: str, /, **body: object) -> Any:  # Any: the method's own JSON
        """A call that must succeed, once the row that answers it has started."""
        deadline = time.monotonic() + START_SECONDS
        while "UNKNOWN_METHOD" in (answer := self.post(path, body)).text:
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.02)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @contextmanager
    def socket(
        self, /, frames: int | None = 16, **hello: object
    ) -> Iterator[ClientConnection]:
        """An open socket that has said hello; it takes in so many frames unread."""
        address = self.origin.replace("http:", "ws:") + "/api/events"
        with connect(
            address,
            origin=Origin(self.origin),
            additional_headers={"cookie": self.cookie},
            max_size=None,
            max_queue=frames,
            proxy=None,
        ) as opened:
            opened.send(json.dumps({"op": "hello", "token": self.token, **hello}))
            yield opened


@contextmanager
def client_of(program: Program) -> Iterator[Client]:
    """A client that has opened the program's URL."""
    client = Client(program.origin, program.url)
    try:
        yield client
    finally:
        client.http.close()


def items_until(
    socket: ClientConnection, wanted: str, timeout: float = 30.0
) -> list[dict[str, Any]]:
    """The socket's items up to the first of type ``wanted``."""
    found: list[dict[str, Any]] = []
    while True:
        for item in json.loads(socket.recv(timeout)):
            found.append(item)
            if item["type"] == wanted:
                return found
