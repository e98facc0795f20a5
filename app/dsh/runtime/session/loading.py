"""From the bytes of a log to the state of a session. Everything here blocks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from dsh.data.catalogue import Snapshot
from dsh.data.events import EVENT_SCHEMAS, Event, Header
from dsh.data.log import (
    Checks,
    Damage,
    Place,
    Scan,
    append_events,
    cut_torn_tail,
    open_header,
    prefix_matches,
    read_at,
    read_window,
    upgrade_log,
)
from dsh.errors import DataError
from dsh.runtime.session.core import POSITION
from dsh.runtime.session.fold import Fold
from dsh.runtime.session.projection import Projection
from dsh.runtime.session.recovery import closers, needs_closing

# Up to here a checksum of all earlier bytes costs less than anybody notices; beyond it,
# size and time of change vouch for a log that was closed properly.
_ALWAYS_CHECKED: Final = 16 << 20


class Loaded:
    """A log that was read: its header, what was folded, and what is wrong with it."""

    __slots__ = ("checks", "damage", "fold", "header", "notice", "torn")

    def __init__(
        self,
        header: Header,
        fold: Fold,
        damage: Damage | None,
        torn: int,
        checks: Checks | None,
    ) -> None:
        self.header = header
        self.fold = fold
        self.damage = damage
        self.torn = torn
        self.checks = checks
        self.notice: str | None = None  # what was repaired, in words for a person

    @property
    def fault(self) -> str | None:
        """Why nothing may be appended to this log, in words for a person."""
        if self.damage is not None:
            return f"the log is damaged at {self.damage}; what is before can be read"
        unknown = [t for t in self.fold.required if EVENT_SCHEMAS.get(t) is None]
        if unknown:
            return f"it needs a plugin that knows {', '.join(sorted(unknown))}"
        return None


def load(
    path: Path,
    projections: Iterable[Projection[Any]],  # Any: of different states
    snapshot: Snapshot | None = None,
    checks: Checks | None = None,
) -> Loaded:
    """Read a log without touching it. With ``checks`` each event is checked as well.

    Raises :class:`DataError` SESSION_NOT_FOUND, SESSION_DAMAGED or FORMAT_NEWER.
    """
    header, first = open_header(path)
    kept = list(projections)
    fold = Fold(first, kept)
    if snapshot is not None and checks is None and not _restored(path, fold, snapshot):
        fold = Fold(first, kept)
    damage, torn = _take_rest(path, fold, checks)
    if not fold.type and fold.tip >= 0:
        last = read_window(path, fold.mark(fold.tip), fold.tip, 1)[0]
        fold.type, fold.time = last.type, last.time
    return Loaded(header, fold, damage, torn, checks)


def load_for_writing(
    path: Path,
    projections: Iterable[Projection[Any]],  # Any: of different states
    snapshot: Snapshot | None = None,
    checks: Checks | None = None,
) -> Loaded:
    """As :func:`load`, with an upgrade, a torn tail moved aside and an interrupted turn
    closed. The caller holds the session's lock.
    """
    upgrade_log(path)
    loaded = load(path, projections, snapshot, checks)
    if loaded.fault is not None:
        return loaded
    fold = loaded.fold
    if loaded.torn:
        aside = cut_torn_tail(path, fold.place)
        loaded.notice = (
            f"{loaded.torn} bytes of an unfinished line are now in {aside.name}"
        )
    if needs_closing(fold):
        try:
            append_events(path, _closers(path, fold))
        except (KeyError, TypeError, AttributeError):
            message = "its open turn is malformed and cannot be closed"
            loaded.damage = Damage(fold.tip + 2, "SCHEMA", message)
            return loaded
        # Read back, not assumed: what is on disk is what the session goes on from.
        loaded.damage, _ = _take_rest(path, fold, checks)
    return loaded


def _closers(path: Path, fold: Fold) -> list[Event]:
    start = fold.tip
    if fold.state(POSITION)["stepOpen"]:
        start = fold.state(POSITION)["stepSeq"]
    return closers(fold, read_window(path, fold.mark(start), start, fold.tip - start + 1))


def fold_whole(path: Path, projection: Projection[Any]) -> Fold:
    """Fold one more projection over all that is written. Any: whatever its state."""
    _, first = open_header(path)
    fold = Fold(first, [projection])
    for event, _, size in Scan(path, first):
        fold.take(event, size)
    return fold


def _restored(path: Path, fold: Fold, snapshot: Snapshot) -> bool:
    stat = path.stat()
    if stat.st_size < snapshot.offset:
        return False
    untouched = stat.st_size == snapshot.offset and stat.st_mtime_ns == snapshot.mtime
    if snapshot.offset <= _ALWAYS_CHECKED or not untouched:
        place = Place(snapshot.seq, snapshot.offset, snapshot.crc)
        if not prefix_matches(path, place):
            return False
    try:
        nodes = read_at(path, snapshot.nodes)
    except DataError:
        return False
    return fold.restore(snapshot, nodes)


def _take_rest(
    path: Path, fold: Fold, checks: Checks | None
) -> tuple[Damage | None, int]:
    """Fold what comes after the fold's place; returns damage and torn bytes."""
    scan = Scan(path, fold.place)
    for event, _, size in scan:
        wrong = fold.surface.refusal(event)
        if wrong is None and checks is not None and (problem := checks.problem(event)):
            wrong = problem[1]
        if wrong is not None:
            return Damage(event.seq + 2, "SURFACE", wrong), 0
        fold.take(event, size)
    fold.crc = scan.end.crc
    return scan.damage, scan.torn
