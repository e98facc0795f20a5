"""File names as text that anybody may read: what is odd in them stands escaped.

A byte that is not UTF-8, and every control character, is shown as ``\\xNN``. A path
written like that is understood again, so a model can name any file that it was shown.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_ODD: Final = re.compile("[\x00-\x1f\x7f-\x9f\udc80-\udcff]")
_ESCAPES: Final = re.compile(r"(?:\\x[0-9a-f]{2})+")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_LONGEST: Final = 4096  # PATH_MAX of Linux; longer ones exist nowhere
# Windows opens these, and names that end in a dot or a blank, as something else.
_DEVICES: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*[. ]|.*:.*")


def escaped(path: str | Path) -> str:
    """The path as plain text that is valid UTF-8 and has no control characters."""

    def spelled(found: re.Match[str]) -> str:
        return "".join(f"\\x{byte:02x}" for byte in os.fsencode(found[0]))

    return _ODD.sub(spelled, str(path))


def unescaped(text: str) -> str | None:
    """The path that :func:`escaped` would show like this; ``None`` without escapes."""
    if not _ESCAPES.search(text):
        return None

    def meant(found: re.Match[str]) -> str:
        return os.fsdecode(bytes.fromhex(found[0].replace("\\x", "")))

    return _ESCAPES.sub(meant, text)


def objection(path: str, *, windows: bool = os.name == "nt") -> str | None:
    """Why this text cannot be the path of a file here; ``None`` if it can."""
    if not path.strip():
        return "the path is empty"
    if "\0" in path:
        return "the path contains a NUL character"
    try:
        if len(os.fsencode(path)) > _LONGEST:
            return "the path is too long"
    except UnicodeEncodeError:
        return "the path is not valid Unicode"
    if _URL.match(path):
        return "a path is expected, not a URL"
    if not windows:
        return "this is a Windows path" if _DRIVE.match(path) else None
    parts = re.split(r"[\\/]", _DRIVE.sub("", path))
    if any(part not in (".", "..") and _DEVICES.fullmatch(part) for part in parts):
        return "Windows would take this name for something else"
    return None
