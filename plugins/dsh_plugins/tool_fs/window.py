"""A window of lines of a text that may be endless."""

from __future__ import annotations

from typing import NamedTuple


class Bounds(NamedTuple):
    """How much of a file one call shows."""

    lines: int  # per call
    line: int  # characters of one line
    size: int  # bytes of all lines
    scan: int  # characters looked through for the number of lines


class Line(NamedTuple):
    """A line with its number, counted from 1."""

    number: int
    text: str


class Window:
    """Feed it the text in pieces; it keeps the lines from ``offset`` on.

    A line is kept only as far as it is shown, so memory stays bounded.
    """

    def __init__(self, offset: int, limit: int, bounds: Bounds) -> None:
        self.lines: list[Line] = []
        self.capped = False  # by the bytes shown
        self.total = 0  # lines counted so far
        self.exact = True  # whether ``total`` is that of the whole file
        self._offset = offset
        self._limit = limit
        self._bounds = bounds
        self._room = bounds.size
        self._scanned = 0
        self._open = ""  # beginning of a line whose end has not come yet
        self._length = 0  # of the open line

    def feed(self, piece: str) -> bool:
        """Take more text. False: nothing more is needed."""
        *ended, rest = piece.split("\n")
        for part in ended:
            self._extend(part)
            self._close()
        self._extend(rest)
        self._scanned += len(piece)
        if self._scanned > self._bounds.scan and self._complete():
            self.exact = False
        return self.exact

    def finish(self) -> None:
        """The text has ended: a last line without a line end counts too."""
        if self._length:
            self._close()

    def footer(self) -> str:
        """What the model must know about the rest."""
        if not self.lines:
            return f"(End of file - total {self.total} lines)"
        first, last = self.lines[0].number, self.lines[-1].number
        more = f"Use offset={last + 1} to continue."
        if self.capped:
            return f"(Output capped. Showing lines {first}-{last}. {more})"
        if not self.exact:
            return f"(Showing lines {first}-{last} of more than {self.total}. {more})"
        if last < self.total:
            return f"(Showing lines {first}-{last} of {self.total}. {more})"
        return f"(End of file - total {self.total} lines)"

    def _extend(self, part: str) -> None:
        self._length += len(part)
        missing = self._bounds.line + 1 - len(self._open)
        if missing > 0:
            self._open += part[:missing]

    def _close(self) -> None:
        text, length = self._open, self._length
        self._open, self._length = "", 0
        self.total += 1
        if self.total < self._offset or self._complete():
            return
        if length <= self._bounds.line + 1 and text.endswith("\r"):
            text, length = text[:-1], length - 1
        if length > self._bounds.line:
            cut = self._bounds.line
            text = f"{text[:cut]}... (line truncated to {cut} chars)"
        size = len(f"{self.total}: {text}\n".encode(errors="replace"))
        if size > self._room and self.lines:
            self.capped = True
            return
        self._room -= size
        self.lines.append(Line(self.total, text))

    def _complete(self) -> bool:
        return self.capped or len(self.lines) >= self._limit
