"""Where the logs are: ``<sessions>/<workspace>/<session id>/log.jsonl``.

The workspace's folder name is for people (its last part) and for uniqueness (a hash of
the whole path). Only the header inside a log says where it really belongs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dsh.errors import DataError

LOG: Final = "log.jsonl"
LOCK: Final = "log.lock"
_ID: Final = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,128}")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


def workspace_name(cwd: str) -> str:
    """The folder name for the sessions of one workspace."""
    last = re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]
    readable = _UNSAFE.sub("-", last).strip("-.")[:40]
    digest = hashlib.sha256(cwd.encode()).hexdigest()[:10]
    return f"{readable}-{digest}" if readable else digest


def checked_id(session_id: str) -> str:
    """The id itself; raises :class:`DataError` when it would not be a file name."""
    if not _ID.fullmatch(session_id):
        message = f"{session_id!r} is no session id"
        raise DataError(message, code="SESSION_NOT_FOUND")
    return session_id


def session_folder(sessions: Path, cwd: str, session_id: str) -> Path:
    """Where a session of that workspace lives, or will."""
    return sessions / workspace_name(cwd) / checked_id(session_id)


def find_folder(sessions: Path, session_id: str) -> Path | None:
    """Look for a session in every workspace's folder."""
    for workspace in _folders(sessions):
        folder = workspace / checked_id(session_id)
        if (folder / LOG).is_file():
            return folder
    return None


def stored_folders(sessions: Path) -> Iterator[Path]:
    """The folders of all stored sessions; whether each has a log is not checked."""
    for workspace in _folders(sessions):
        yield from _folders(workspace)


def _folders(parent: Path) -> Iterator[Path]:
    try:
        children = sorted(parent.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # not created yet, or not ours: there is nothing to list in it
    for child in children:
        if child.is_dir() and not child.is_symlink():
            yield child
