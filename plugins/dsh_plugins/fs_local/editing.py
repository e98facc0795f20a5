"""Literal replacement that leaves every byte outside the matches alone."""

from __future__ import annotations

import re

from dsh.seams.fs import FsEdit
from dsh_plugins.fs_local.encoding import Encoding, Text, newline_of
from dsh_plugins.fs_local.failures import refused

Span = tuple[int, int]


def edited(data: bytes, text: Text, edit: FsEdit, shown: str) -> tuple[bytes, str]:
    """The new bytes and the new text of a file whose bytes are ``data``.

    Line endings match across their forms and are written in the form they replace.
    Raises FS_EDIT_NOT_FOUND, FS_AMBIGUOUS_EDIT and FS_ENCODING.
    """
    spans = _chosen(text, edit, shown)
    encoding = text.encoding
    new = _asked(edit.new, text)
    pieces: list[bytes] = [encoding.bom]
    words: list[str] = []
    position, offset = 0, len(encoding.bom)
    for start, end in spans:
        offset = _keep(data, text.raw[position:start], offset, encoding, pieces)
        inserted = _spelled(new, text, start, end)
        pieces.append(encoding.encode(inserted, shown))
        words += text.raw[position:start], inserted
        offset += len(text.raw[start:end].encode(encoding.codec))
        position = end
    offset = _keep(data, text.raw[position:], offset, encoding, pieces)
    words.append(text.raw[position:])
    after = "".join(words)
    result = b"".join(pieces)
    body = result[len(encoding.bom) :]
    # Neighbouring bytes must not fuse into other characters, nor an edit forge a BOM.
    assert offset == len(data)
    assert body.decode(encoding.codec) == after
    return result, after


def _keep(
    data: bytes, text: str, offset: int, encoding: Encoding, pieces: list[bytes]
) -> int:
    end = offset + len(text.encode(encoding.codec))
    pieces.append(data[offset:end])
    return end


def _chosen(text: Text, edit: FsEdit, shown: str) -> list[Span]:
    if not edit.old:
        raise refused("FS_EDIT_NOT_FOUND", "the text to replace is empty")
    spans = _matches(text, _asked(edit.old, text))
    if not spans:
        message = f"the text to replace does not stand in {shown}"
        raise refused("FS_EDIT_NOT_FOUND", message)
    if len(spans) > 1 and not edit.replace_all:
        message = f"the text to replace stands {len(spans)} times in {shown}"
        remedy = "add surrounding lines until it is unique, or replace all of them"
        raise refused("FS_AMBIGUOUS_EDIT", message, remedy)
    return spans


def _asked(asked: str, text: Text) -> str:
    """What a model wrote, with LF for what ends a line in this file."""
    asked = asked.replace("\r\n", "\n")
    return asked.replace("\r", "\n") if text.encoding.newline == "\r" else asked


def _matches(text: Text, old: str) -> list[Span]:
    if "\n" in old:
        ending = "\r" if text.encoding.newline == "\r" else "(?:\r\n|\n)"
        pattern = ending.join(map(re.escape, old.split("\n")))
    else:
        pattern = re.escape(old)
    return [found.span() for found in re.finditer(pattern, text.raw)]


def _spelled(new: str, text: Text, start: int, end: int) -> str:
    """``new`` with the line ending of what it replaces, else of the whole file."""
    replaced = text.raw[start:end]
    local = newline_of(replaced) if "\n" in replaced else text.encoding.newline
    return new if local == "\n" else new.replace("\n", local)
