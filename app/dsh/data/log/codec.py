"""One line of ``log.jsonl``: header or event as bytes, and back.

Lines end in ``\\n`` and are split at that byte only; other line separators are text. An
event's line ends in ``,"crc":"xxxxxxxx"}``: the CRC-32 of the bytes before that comma.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

import msgspec

from dsh.data.events import Event, Header

_CRC_SIZE: Final = len(b',"crc":"00000000"}')
_encode = msgspec.json.Encoder().encode
_decode_event = msgspec.json.Decoder(Event).decode
_decode_header = msgspec.json.Decoder(Header).decode


class BadLine(Exception):
    """Bytes that are no line of a log. ``code`` is CRC or JSON."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def header_line(header: Header) -> bytes:
    """The first line of a log, with its newline."""
    return _encode(header) + b"\n"


def read_header(line: bytes) -> Header:
    """Decode the first line. Raises :class:`BadLine`."""
    try:
        return _decode_header(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine("JSON", f"no header: {error}") from None


def event_line(event: Event) -> bytes:
    """An event as its line, with crc and newline.

    Raises ``TypeError`` for what JSON cannot hold and ``UnicodeEncodeError`` for lone
    surrogates. NaN becomes null and tuples become lists: compare what comes back.
    """
    body = _encode(event)[:-1]
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def read_event(line: bytes) -> Event:
    """Check and decode a line (with or without newline). Raises :class:`BadLine`."""
    if line.endswith(b"\n"):
        line = line[:-1]
    body, tail = line[:-_CRC_SIZE], line[-_CRC_SIZE:]
    if tail != b',"crc":"%08x"}' % crc32(body):
        code, what = ("CRC", "the checksum does not match its bytes")
        if not tail.startswith(b',"crc":"'):
            code, what = ("JSON", "the line is no event of a log")
        raise BadLine(code, what)
    try:
        return _decode_event(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine("JSON", str(error)) from None
