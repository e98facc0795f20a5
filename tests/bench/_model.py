"""A model server that notes to the microsecond what came when; replies are prepared."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from support.scripted_model import Reply

_BATCH = 20  # events that leave together, as they do from a fast server
_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


class Model:
    """The running server; times are those of ``time.monotonic``."""

    def __init__(
        self, listener: socket.socket, replies: Sequence[Reply], pause: float
    ) -> None:
        self._listener = listener
        self._pause = pause
        self._replies = iter([_batches(reply) for reply in replies])
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        self.arrived: list[float] = []  # first byte of each request
        self.answered: list[float] = []  # last byte of each reply

    def serve(self) -> None:
        """Take connections, one after the other, until the listener is shut."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while self._exchange(connection):
                    pass

    def _exchange(self, connection: socket.socket) -> bool:
        data = connection.recv(1 << 20)
        came = time.monotonic()
        if not data:
            return False
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 20)
        head, _, body = data.partition(b"\r\n\r\n")
        missing = _length(head) - len(body)
        while missing > 0:
            missing -= len(connection.recv(1 << 20))
        self.arrived.append(came)
        for batch in next(self._replies):
            connection.sendall(batch)
            if self._pause:
                time.sleep(self._pause)
        self.answered.append(time.monotonic())
        return True


@contextmanager
def model(replies: Sequence[Reply], pause: float = 0) -> Iterator[Model]:
    """A server with one reply a request; seconds of ``pause`` follow each batch."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        running = Model(listener, replies, pause)
        thread = threading.Thread(target=running.serve)
        thread.start()
        try:
            yield running
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def _batches(reply: Reply) -> list[bytes]:
    pieces = [piece for piece in reply.pieces if isinstance(piece, bytes)]
    chunks = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces]
    stream = [_HEAD, *chunks, b"0\r\n\r\n"]
    return [b"".join(stream[at : at + _BATCH]) for at in range(0, len(stream), _BATCH)]
