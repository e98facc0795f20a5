"""What is kept of a stream: its head and its tail, and the whole in a private file."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path

from dsh.seams.subprocess import Collected

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class Stream:
    """One output stream of a process, fed by the reader.

    At most ``limit`` bytes stay in memory, half from the start and half from the end.
    With ``spill`` the stream also goes to that file once memory overflows, up to
    ``spill_max`` bytes; counting goes on after that.
    """

    def __init__(self, limit: int, spill: Path | None, spill_max: int) -> None:
        self.total = 0
        self._head_limit = limit - limit // 2
        self._tail_limit = limit // 2
        self._limit = limit
        self._head = bytearray()
        self._tail = bytearray()
        self._spill = spill
        self._spill_max = spill_max
        self._spilled = 0
        self._file: FileIO | None = None

    def feed(self, data: memoryview) -> None:
        """Take the next bytes; they may be overwritten afterwards."""
        if self._spill is not None and self.total + len(data) > self._limit:
            self._store(data)
        self.total += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) >= self._tail_limit:
            self._tail = bytearray(data[len(data) - self._tail_limit :])
        elif len(data):
            self._tail += data
            if len(self._tail) > 2 * self._tail_limit:  # now and then, not every time
                del self._tail[: -self._tail_limit or None]

    def close(self) -> None:
        """The stream is over."""
        if self._file is not None:
            self._file.close()

    def collected(self) -> Collected:
        """What was kept so far, cut between characters, and exactly how much was not."""
        tail = self._tail[max(0, len(self._tail) - self._tail_limit) :]
        kept = self._spill if self._spilled else None
        if self.total <= self._limit:
            data = bytes(self._head + tail)
            if len(_decoded(data).encode()) <= max(self._limit, 1):
                return Collected(_decoded(data), self.total, 0, kept, self._spilled)
            half = self._head_limit
            return self._cut(data[:half], data[half:], kept)
        return self._cut(bytes(self._head), bytes(tail), kept)

    def _cut(self, head: bytes, tail: bytes, kept: Path | None) -> Collected:
        head, tail = head[: _last_boundary(head)], tail[_first_boundary(tail) :]
        if len((_decoded(head) + _decoded(tail)).encode()) > self._limit:
            # Bytes that are no text grow threefold when they are replaced.
            head = head[: len(head) // 3]
            tail = tail[len(tail) - len(tail) // 3 :]
        omitted = self.total - len(head) - len(tail)
        notice = f"\n[… {omitted:,} bytes left out …]\n"
        text = _decoded(head) + notice + _decoded(tail)
        return Collected(text, self.total, omitted, kept, self._spilled)

    def _store(self, data: memoryview) -> None:
        """Append to the file; the first time everything that memory still holds."""
        assert self._spill is not None
        try:
            if self._file is None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
                self._file = FileIO(os.open(self._spill, flags, 0o600), "wb")
                self._write(memoryview(self._head))
                self._write(memoryview(self._tail))
            self._write(data)
        except OSError:
            self._spill = None  # a full disk must not end the command
            self._spilled = 0

    def _write(self, data: memoryview) -> None:
        assert self._file is not None
        data = data[: self._spill_max - self._spilled]
        while len(data):
            written = self._file.write(data)
            self._spilled += written
            data = data[written:]


def _decoded(data: bytes) -> str:
    # NUL is valid UTF-8, but neither screens nor every model interface bear it.
    return data.decode(errors="replace").replace("\0", _REPLACEMENT)


def _last_boundary(data: bytes) -> int:
    """Where to cut the end so that no character is torn; other bytes are left alone."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:  # a character starts here: is all of it there?
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= wanted else len(data) - back
        if byte < 0x80:
            break
    return len(data)


def _first_boundary(data: bytes) -> int:
    """As :func:`_last_boundary`, for the start."""
    for start in range(min(4, len(data))):
        if data[start] & 0xC0 != 0x80:
            return start
    return len(data) if len(data) < 4 else 0
