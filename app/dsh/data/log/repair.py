"""Make a log fit to be appended to, without ever losing a byte of it.

A torn tail (an unfinished or undecodable last line) is the normal trace of a power cut:
it is moved aside whenever the log is opened for writing. Damage before the end is only
cut off when a person asks for it, and then the whole original stays as a backup.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dsh.data.clock import now_ms
from dsh.data.events import Event
from dsh.data.log.codec import event_line, header_line
from dsh.data.log.file import sync_data, sync_folder
from dsh.data.log.scan import Damage, Place, Scan, open_header
from dsh.data.log.upgrade import UPGRADES, Upgrade, upgrade_from
from dsh.errors import DataError


def cut_torn_tail(path: Path, end: Place) -> Path:
    """Move everything after ``end`` to ``log.torn-<ms>`` and truncate the log there."""
    aside = path.with_name(f"log.torn-{now_ms()}")
    with path.open("r+b") as log:
        log.seek(end.offset)
        _write_new(aside, iter(lambda: log.read(1 << 20), b""))
        log.truncate(end.offset)
        sync_data(log.fileno())
    sync_folder(path.parent)
    return aside


def append_events(path: Path, events: Iterable[Event]) -> None:
    """Add whole lines to a log that nobody has open, and sync it."""
    with path.open("ab") as log:
        log.write(b"".join(event_line(event) for event in events))
        log.flush()
        sync_data(log.fileno())


def cut_at_damage(path: Path) -> tuple[Path, Damage]:
    """Keep the sound part before the damage; returns the backup of the original.

    The caller holds the session's lock. Raises :class:`DataError` SESSION_SOUND when
    there is nothing to repair.
    """
    _, first = open_header(path)
    scan = Scan(path, first)
    for _ in scan:
        pass
    if scan.damage is None:
        raise DataError("the log has no damage to repair", code="SESSION_SOUND")
    backup = path.with_name(f"log.damaged-{now_ms()}.jsonl")
    with path.open("rb") as log:
        left = scan.end.offset
        pieces = (log.read(min(1 << 20, left - at)) for at in range(0, left, 1 << 20))
        _replace(path, backup, pieces)
    return backup, scan.damage


def upgrade_log(path: Path, chain: Sequence[Upgrade] = UPGRADES) -> Path | None:
    """Rewrite a log of an older format; returns the backup, None when it is up to date.

    The caller holds the session's lock. What is not sound at the end stays behind in the
    backup. Raises :class:`DataError` FORMAT_NEWER.
    """
    header, first = open_header(path, chain)
    upgrade = upgrade_from(header.format, chain)
    if upgrade is None:
        return None
    newest = header_line(msgspec.structs.replace(header, format=len(chain) + 1))
    events = (event_line(upgrade(event)) for event, _, _ in Scan(path, first))
    backup = path.with_name(f"log.format-{header.format}.jsonl")
    _replace(path, backup, itertools.chain([newest], events))
    return backup


def _replace(path: Path, backup: Path, pieces: Iterable[bytes]) -> None:
    """Put a new log in the place of one that stays under another name."""
    new = path.with_name("log.new")
    new.unlink(missing_ok=True)  # of an attempt that did not end
    _write_new(new, pieces)
    path.replace(backup)
    new.replace(path)
    sync_folder(path.parent)


def _write_new(path: Path, pieces: Iterable[bytes]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        sync_data(file.fileno())
