"""What goes over the network: a listener that counts, and a record of every attempt."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Runs at the start of every interpreter that finds it: each attempt becomes a line.
_RECORDER = """
import json, os, sys
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        where = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        where = arguments[0]
    else:
        return
    if where is None:  # the stream was connected before
        return
    with open(os.environ["RECORD"], "a", encoding="utf-8") as file:
        file.write(json.dumps([event, str(where)]) + "\\n")
sys.addaudithook(note)
"""


class Canary:
    """Takes every connection, keeps the first line said on it, and hangs up."""

    def __init__(self, listener: socket.socket) -> None:
        self.port = int(listener.getsockname()[1])
        self.lines: list[str] = []

    @property
    def url(self) -> str:
        """An address that leads here."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def canary() -> Iterator[Canary]:
    """A listener on loopback while the block is open."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        bird = Canary(listener)

        def listen() -> None:
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                with stream:
                    stream.settimeout(5)
                    try:
                        line = stream.makefile("rb").readline().decode("latin-1")
                        bird.lines.append(line.strip())
                        stream.sendall(b"HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n")
                    except OSError:
                        bird.lines.append("")

        thread = threading.Thread(target=listen, name="canary")
        thread.start()
        try:
            yield bird
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)


class Record:
    """Every attempt of a program to reach somebody."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_RECORDER)
        self.folder = folder
        self._file = folder / "record"
        self._file.touch()

    def variables(self, python_path: str) -> dict[str, str]:
        """What makes a program keep the record."""
        return {
            "PYTHONPATH": f"{self.folder}:{python_path}",
            "RECORD": str(self._file),
        }

    @property
    def attempts(self) -> list[tuple[str, str]]:
        """Each attempt: what, and where to."""
        lines = self._file.read_text("utf-8").splitlines()
        return [(what, where) for what, where in map(json.loads, lines)]

    @property
    def abroad(self) -> list[tuple[str, str]]:
        """The attempts that were for anything but this machine."""
        near = ("127.0.0.1", "::1", "localhost", "/", "@", "b'/", "\0")
        found = []
        for what, where in self.attempts:
            host = where.strip("()'\"").split("'")[0]
            if not host.startswith(near):
                found.append((what, where))
        return found
