"""What the catalogue knows of a session, and how to learn it from the log's two ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import msgspec

from dsh.data.events import Event, Header
from dsh.data.log import LOG, BadLine, read_event, read_header

Status = Literal["idle", "running", "waiting", "failed"]
_PEEK = 1 << 16  # bytes read at each end of a log
_MOST = 1 << 63  # what a column holds


class SessionRow(msgspec.Struct):
    """One stored session, as lists show it. Times are ms since the epoch.

    ``status`` is what the log's end says: ``running`` for an open turn (which, without a
    program that holds the session, was interrupted).
    """

    id: str
    folder: str  # below the folder of all sessions
    cwd: str
    created: int
    updated: int
    title: str | None = None
    preset: str | None = None
    parent: str | None = None
    events: int = 0
    bytes: int = 0
    mtime: int = 0  # ns; 0 while it is being written
    status: Status = "idle"
    blank: bool = True
    mode: str | None = None
    provider: str | None = None
    model: str | None = None
    effort: str | None = None


class Snapshot(msgspec.Struct):
    """The folded states of a session at one point, and how to find lines before it.

    ``states`` maps a projection's key to its version and its state as JSON. ``marks``
    are the offsets of every 256th event. ``nodes`` are seq, offset and length of the
    surface's events. ``mtime`` is 0 unless the log ended here and was then left alone.
    """

    seq: int
    offset: int
    crc: int
    mtime: int
    marks: list[int]
    nodes: list[tuple[int, int, int]]
    generation: int
    required: list[str]  # event types that a reader must know
    states: dict[str, tuple[int, msgspec.Raw]]


def peek(folder: Path) -> SessionRow | None:
    """Learn a row from header, beginning and end of a log.

    None when it has no header, or figures that no program of ours wrote.
    """
    try:
        with (folder / LOG).open("rb") as file:
            stat = os.fstat(file.fileno())
            head = file.read(_PEEK)
            file.seek(max(len(head), stat.st_size - _PEEK))
            cut = file.tell() > len(head)
            tail = file.read()
    except OSError:
        return None
    first, *lines = (head if cut else head + tail).split(b"\n")
    try:
        header = read_header(first)
    except BadLine:
        return None
    row = row_of_header(header, f"{folder.parent.name}/{folder.name}")
    row.bytes, row.mtime = stat.st_size, stat.st_mtime_ns
    if cut:
        lines += tail.split(b"\n")
    for line in lines:
        try:
            take_in(row, read_event(line))
        except BadLine:
            continue  # cut by the window, or damage, which opening the session reports
    figures = (row.created, row.updated, row.events)
    return row if all(-_MOST <= figure < _MOST for figure in figures) else None


def row_of_header(header: Header, folder: str) -> SessionRow:
    """The row of a session without events."""
    return SessionRow(
        header.id,
        folder,
        header.cwd,
        header.created,
        header.created,
        preset=header.preset,
        parent=header.parent,
    )


def take_in(row: SessionRow, event: Event) -> None:
    """Bring ``row`` up to date with a later event."""
    row.events = event.seq + 1
    data: dict[str, Any] = event.data  # Any: of a stranger's log, until it is opened
    match event.type, data:
        case "session/end-seed", _:
            return  # opening a session is no news of it
        case "session/title", {"title": str(title)}:
            row.title = title
        case "user/message", _:
            row.blank = False
        case "agent/inbox/spliced", {"inserted": [_, *_]}:
            row.blank = False
        case "turn/start", _:
            row.status = "running"
        case "turn/end", {"reason": {"kind": kind}}:
            row.status = "failed" if kind == "error" else "idle"
        case "approval/asked", _:
            row.status = "waiting"
        case "approval/decided", _:
            row.status = "running"
        case "sandbox/mode", {"mode": str(mode)}:
            row.mode = mode
        case "agent-preset/selected", {"agentPreset": str(preset)}:
            row.preset = preset
        case "request/header", {"header": {"config": dict(config)}}:
            row.provider = _words(config.get("provider"))
            row.model = _words(config.get("model"))
            row.effort = _words(config.get("reasoningEffort"))
    row.updated = event.time


def _words(value: object) -> str | None:
    return value if isinstance(value, str) else None
