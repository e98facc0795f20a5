"""A way to the host that can be cut: a SOCKS proxy between browser and program."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PIECE = 65536


class Cut:
    """The proxy. Every connection has a thread of its own, which ends with it."""

    def __init__(self, listener: socket.socket) -> None:
        self.port = int(listener.getsockname()[1])
        self.carried = 0  # bytes that went to the browser so far
        self.deaf = False  # nothing reaches the browser any more
        self.closed = False  # nobody is let in
        self._listener = listener
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []

    @property
    def server(self) -> str:
        """Its address, as browsers take it."""
        return f"socks5://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End every connection."""
        with self._lock:
            for stream in self._open:
                with suppress(OSError):
                    stream.shutdown(socket.SHUT_RDWR)

    def serve(self) -> None:
        """Accept until the listener is closed."""
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                thread = threading.Thread(target=self._carry, args=(browser,))
                self._threads.append(thread)
                thread.start()

    def join(self) -> None:
        """Wait for every connection's end."""
        for thread in self._threads:
            thread.join(10)

    def _carry(self, browser: socket.socket) -> None:
        with browser, suppress(OSError, struct.error), self._kept(browser):
            if self.closed:
                return
            port = _asked(browser)
            with socket.create_connection(("127.0.0.1", port)) as host, self._kept(host):
                browser.sendall(b"\x05\x00\x00\x01" + bytes(6))
                self._pump(browser, host)

    def _pump(self, browser: socket.socket, host: socket.socket) -> None:
        with selectors.DefaultSelector() as ready:
            ready.register(browser, selectors.EVENT_READ, host)
            ready.register(host, selectors.EVENT_READ, browser)
            while True:
                for key, _ in ready.select():
                    data = key.fileobj.recv(_PIECE)  # type: ignore[union-attr]  # a socket
                    if not data:
                        return
                    if key.data is browser:
                        if self.deaf:
                            continue
                        self.carried += len(data)
                    key.data.sendall(data)

    @contextmanager
    def _kept(self, stream: socket.socket) -> Iterator[None]:
        with self._lock:
            self._open.add(stream)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(stream)


def _asked(browser: socket.socket) -> int:
    """The SOCKS 5 greeting and request; the port that is asked for."""
    _, methods = _exactly(browser, 2)
    _exactly(browser, methods)
    browser.sendall(b"\x05\x00")
    _, _, _, kind = _exactly(browser, 4)
    length = {1: 4, 4: 16}.get(kind) or _exactly(browser, 1)[0]
    _exactly(browser, length)
    return int(struct.unpack(">H", _exactly(browser, 2))[0])


def _exactly(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = stream.recv(size - len(data))
        if not piece:
            raise ConnectionResetError
        data += piece
    return data


@contextmanager
def cutting() -> Iterator[Cut]:
    """A running proxy."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cut = Cut(listener)
        thread = threading.Thread(target=cut.serve)
        thread.start()
        try:
            yield cut
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            cut.cut()
            thread.join(10)
            cut.join()
