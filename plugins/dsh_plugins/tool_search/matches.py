"""Matches in files: read from ripgrep's JSON, and written for the model."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

NOT_TEXT: Final = "(line is not valid UTF-8)"
TRUNCATED: Final = " (line truncated)"


class _Text(msgspec.Struct, rename={"base64": "bytes"}):
    text: str | None = None
    base64: str | None = None  # for what is not UTF-8

    def raw(self) -> bytes:
        if self.text is not None:
            return self.text.encode()
        return b64decode(self.base64 or "")


class _Match(msgspec.Struct):
    path: _Text
    lines: _Text
    line_number: int | None = None


class _Row(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"null")


class Line(msgspec.Struct, frozen=True):
    """One line that matched."""

    number: int
    text: str


File = tuple[str, list[Line]]


def matches_in(output: bytes, longest: int, shown: Callable[[bytes], str]) -> list[File]:
    """The matches by file, in the order of their paths. ``longest`` is in bytes."""
    row = msgspec.json.Decoder(_Row)
    match = msgspec.json.Decoder(_Match)
    files: dict[bytes, list[Line]] = {}
    for line in output.splitlines():
        decoded = row.decode(line)
        if decoded.type != "match":
            continue
        found = match.decode(decoded.data)
        text = _line(found.lines, longest)
        files.setdefault(found.path.raw(), []).append(Line(found.line_number or 0, text))
    return [(shown(path), files[path]) for path in sorted(files)]


def first(files: Iterable[File], most: int) -> list[File]:
    """The first ``most`` matches, still by file."""
    kept: list[File] = []
    for path, lines in files:
        if most <= 0:
            break
        kept.append((path, lines[:most]))
        most -= len(lines)
    return kept


def rendered(files: Iterable[File]) -> str:
    """Files apart by a blank line: the path, then its lines."""
    blocks = (
        "\n".join([path, *(f"Line {line.number}: {line.text}" for line in lines)])
        for path, lines in files
    )
    return "\n\n".join(blocks)


def _line(lines: _Text, longest: int) -> str:
    if lines.text is None:
        return NOT_TEXT
    text = lines.text.rstrip("\r\n").replace("\r", " ").replace("\n", " ")
    data = text.encode()
    if len(data) <= longest:
        return text
    return data[:longest].decode(errors="ignore") + TRUNCATED
