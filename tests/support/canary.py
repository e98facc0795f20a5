"""A server that nobody should ever ask."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Canary:
    """Where it listens, and who came by."""

    def __init__(self, server: ThreadingHTTPServer, visits: list[str]) -> None:
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.host = f"127.0.0.1:{server.server_port}"
        self.visits = visits


@contextmanager
def canary() -> Iterator[Canary]:
    """A running one. It also notes connections that ask for nothing."""
    visits: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def setup(self) -> None:
            visits.append("connection")
            super().setup()

        def do_GET(self) -> None:
            visits.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:  # Any: as its parent has it
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Canary(server, visits)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
