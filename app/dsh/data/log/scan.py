"""Walk through a log, line by line, and say how far it is sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from dsh.data.events import Event, Header
from dsh.data.log.codec import BadLine, read_event, read_header
from dsh.data.log.upgrade import UPGRADES, Upgrade, upgrade_from
from dsh.errors import DataError

STRIDE: Final = 256  # events between two remembered offsets


class Damage(msgspec.Struct, frozen=True):
    """Where the sound part of a log ends before the file does. Lines count from 1."""

    line: int
    code: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Place(msgspec.Struct, frozen=True):
    """A point between two lines: the next seq, its byte offset, the crc of all before."""

    seq: int
    offset: int
    crc: int


def open_header(path: Path, chain: Sequence[Upgrade] = UPGRADES) -> tuple[Header, Place]:
    """The header of a log and the place of its first event.

    Raises :class:`DataError` SESSION_NOT_FOUND, SESSION_DAMAGED or FORMAT_NEWER.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        raise DataError(f"there is no log at {path}", code="SESSION_NOT_FOUND") from None
    try:
        if not line.endswith(b"\n"):
            raise BadLine("JSON", "the first line is not complete")
        header = read_header(line)
    except BadLine as error:
        message = f"the log has no readable header: {error}"
        raise DataError(message, code="SESSION_DAMAGED") from None
    upgrade_from(header.format, chain)
    return header, Place(0, len(line), crc32(line))


class Scan:
    """Iterate over the events from ``start`` on, each with offset and length.

    It ends at the end of the file or at the first fault; then ``end`` is the place
    after the last sound line, ``torn`` the number of bytes of an unfinished or
    undecodable last line, and ``damage`` the fault, if something sound may follow it.
    """

    def __init__(self, path: Path, start: Place) -> None:
        self.path = path
        self.end = start
        self.torn = 0
        self.damage: Damage | None = None

    def __iter__(self) -> Iterator[tuple[Event, int, int]]:
        seq, offset, crc = self.end.seq, self.end.offset, self.end.crc
        line = b""
        with self.path.open("rb") as file:
            file.seek(offset)
            try:
                for line in file:  # binary: splits at \n and at nothing else
                    if line[-1] != 10:
                        raise BadLine("JSON", "the line is not complete")
                    event = read_event(line)
                    if event.seq != seq:
                        raise _out_of_order(event.seq, seq)
                    yield event, offset, len(line)
                    offset += len(line)
                    crc = crc32(line, crc)
                    seq += 1
            except BadLine as fault:
                last = not file.read(1)
                if last and fault.code in ("CRC", "JSON"):
                    self.torn = len(line)
                else:
                    self.damage = Damage(seq + 2, fault.code, str(fault))
            finally:
                self.end = Place(seq, offset, crc)


def _out_of_order(found: int, wanted: int) -> BadLine:
    code = "DUPLICATE" if found < wanted else "GAP"
    return BadLine(code, f"event {found} stands where {wanted} should be")


def read_window(path: Path, mark: tuple[int, int], start: int, count: int) -> list[Event]:
    """Up to ``count`` events from seq ``start`` on. ``mark`` is a seq at or before
    ``start`` and the offset of its line.

    Raises :class:`DataError` SESSION_DAMAGED when one of these lines is not sound.
    """
    seq, offset = mark
    events: list[Event] = []
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if len(events) == count or not line.endswith(b"\n"):
                break
            if seq >= start:
                events.append(_sound(line, seq))
            seq += 1
    return events


def read_at(path: Path, places: list[tuple[int, int, int]]) -> list[Event]:
    """The events at these (seq, offset, length); raises as :func:`read_window`."""
    with path.open("rb") as file:
        events = []
        for seq, offset, length in places:
            file.seek(offset)
            events.append(_sound(file.read(length), seq))
        return events


def _sound(line: bytes, seq: int) -> Event:
    try:
        event = read_event(line)
        if event.seq != seq:
            raise _out_of_order(event.seq, seq)
    except BadLine as error:
        message = f"line {seq + 2}: {error}"
        raise DataError(message, code="SESSION_DAMAGED") from None
    return event


def prefix_matches(path: Path, place: Place) -> bool:
    """Whether the bytes before ``place`` are the ones it was made of."""
    crc, left = 0, place.offset
    with path.open("rb") as file:
        while left > 0 and (piece := file.read(min(left, 1 << 20))):
            crc = crc32(piece, crc)
            left -= len(piece)
    return left == 0 and crc == place.crc
