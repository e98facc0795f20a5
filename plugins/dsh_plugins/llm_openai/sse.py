"""A reader of event streams that works on bytes.

By the format, lines end at LF, CRLF or CR and nowhere else: splitting text by lines would
also cut at characters such as U+2028, which JSON strings may contain. Whole events are
handed out as bytes, so a character that arrives in pieces is never decoded in pieces.
"""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"


class TooLong(ValueError):
    """A single event is larger than any sensible one."""


class EventStream:
    """Takes bytes as they come and gives the data of each complete event."""

    def __init__(self, largest: int = 32 << 20) -> None:
        self._largest = largest  # bytes of one event
        self._rest: list[bytes] = []  # pieces of a line that is not complete
        self._held = 0
        self._data: list[bytes] = []
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events completed by ``chunk``. Raises :class:`TooLong`."""
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk.startswith(b"\n"):
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            self._hold(chunk)
            return []
        lines = chunk.split(b"\n")
        lines[0] = b"".join([*self._rest, lines[0]])
        self._rest, self._held = [], 0
        rest = lines.pop()
        if rest:
            self._hold(rest)
        return self._events(lines)

    def finish(self) -> list[bytes]:
        """What is left at the end: some servers leave out the last blank line."""
        last = b"".join(self._rest)
        self._rest, self._held = [], 0
        return self._events([last, b""])

    def _hold(self, piece: bytes) -> None:
        self._rest.append(piece)
        self._held += len(piece)
        if self._held > self._largest:
            raise TooLong

    def _events(self, lines: list[bytes]) -> list[bytes]:
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BOM)
        events = []
        for line in lines:
            if not line:
                if self._data:
                    events.append(b"\n".join(self._data))
                    self._data = []
            elif line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif line == b"data":
                self._data.append(b"")
            # Everything else is a comment, or a field that this wire does not use.
        return events
