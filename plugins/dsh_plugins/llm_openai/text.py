"""JSON and text as servers really send them: broken UTF-8, characters cut in two."""

from __future__ import annotations

import json as lenient
import re

import msgspec

from dsh.data import json

_HALF = re.compile("[\ud800-\udfff]")


def decoded(data: bytes) -> object:
    """The JSON value. Raises ``ValueError``.

    Lone halves of characters, which strict readers refuse, come through: the other half
    may be in the next event.
    """
    try:
        return json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass  # a second, slower reading, as the answer is worth it
    try:
        return lenient.loads(data.decode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encoded(value: object) -> str:
    """The text of a value that :func:`decoded` gave."""
    return repaired(lenient.dumps(value, ensure_ascii=False, separators=(",", ":")))


def without_half(text: str) -> tuple[str, str]:
    """``text`` with its characters whole, and the first half of one at its end."""
    half = ""
    if text and "\ud800" <= text[-1] <= "\udbff":
        text, half = text[:-1], text[-1]
    return repaired(text), half


def repaired(text: str) -> str:
    """``text`` with pairs of halves joined and lone halves replaced."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
