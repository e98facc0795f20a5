"""All that a session keeps of its events as they go by."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from dsh.data.catalogue import Snapshot
from dsh.data.events import Event
from dsh.data.log import STRIDE, Place, Surface
from dsh.runtime.session.projection import Projection

S = TypeVar("S")
_log = logging.getLogger(__name__)


class Cell:
    """One projection's state."""

    __slots__ = ("projection", "state")

    def __init__(self, projection: Projection[Any], state: object) -> None:
        self.projection = projection  # Any: each cell has its own type of state
        self.state = state


class Fold:
    """Surface, states and byte positions after the event ``tip``.

    Feed it every event once, in order, after it passed the surface's rules. Chunks and
    other plain events leave no trace but their effect on the states.
    """

    def __init__(self, place: Place, projections: Iterable[Projection[Any]]) -> None:
        # Any: as above
        self.surface = Surface()
        self.tip = place.seq - 1
        self.offset = place.offset
        self.crc = place.crc
        self.time = 0  # of the last event
        self.type = ""  # of the last event
        self.required: set[str] = set()  # types that a reader must know
        self._marks: list[int] = []
        self._nodes: dict[int, tuple[int, int]] = {}
        self._cells = {p.key: Cell(p, p.init()) for p in projections}
        self._by_type: dict[str, tuple[Cell, ...]] = {}

    def take(self, event: Event, size: int) -> None:
        """Take in the next event, whose line has ``size`` bytes."""
        seq = self.tip = event.seq
        if not seq % STRIDE:
            self._marks.append(self.offset)
        if event.surface_op is not None:
            self._nodes[seq] = (self.offset, size)
            self.surface.apply(event)
        cells = self._by_type.get(event.type)
        if cells is None:
            cells = self._meet(event)
        for cell in cells:
            try:
                cell.state = cell.projection.apply(cell.state, event)
            except Exception:  # noqa: BLE001  # a plugin's mistake must not stop a session
                _log.exception("projection %s at event %d", cell.projection.key, seq)
        self.offset += size
        self.time = event.time
        self.type = event.type

    def advance(self, line: bytes) -> None:
        """Count a line that was just taken into the checksum."""
        self.crc = crc32(line, self.crc)

    @property
    def place(self) -> Place:
        """The point behind the last event."""
        return Place(self.tip + 1, self.offset, self.crc)

    def mark(self, seq: int) -> tuple[int, int]:
        """A seq at or shortly before ``seq``, and where its line begins."""
        index = min(seq // STRIDE, len(self._marks) - 1)
        return index * STRIDE, self._marks[index]

    def state(self, projection: Projection[S]) -> S:
        """The state of a projection. Raises ``KeyError`` when it is not kept."""
        state: S = self._cells[projection.key].state  # type: ignore[assignment]  # the cell was made from this projection
        return state

    def keeps(self, projection: Projection[Any]) -> bool:  # Any: whatever its state
        """Whether this very projection is kept."""
        cell = self._cells.get(projection.key)
        return cell is not None and cell.projection is projection

    def adopt(self, projection: Projection[S], state: S) -> None:
        """Keep one more projection, whose state at the tip is known."""
        self._cells[projection.key] = Cell(projection, state)
        self._by_type.clear()

    def states(self) -> dict[str, object]:
        """All states, by key."""
        return {key: cell.state for key, cell in self._cells.items()}

    def snapshot(self) -> Snapshot:
        """Everything needed to go on from here without the events before."""
        nodes = [(n.seq, *self._nodes[n.seq]) for n in self.surface.nodes]
        self._nodes = {seq: (offset, size) for seq, offset, size in nodes}
        states = {
            key: (cell.projection.version, msgspec.Raw(msgspec.json.encode(cell.state)))
            for key, cell in self._cells.items()
        }
        return Snapshot(
            self.tip + 1,
            self.offset,
            self.crc,
            0,
            list(self._marks),
            nodes,
            self.surface.generation,
            sorted(self.required),
            states,
        )

    def restore(self, snapshot: Snapshot, nodes: list[Event]) -> bool:
        """Go on from a snapshot; False when it does not hold what this fold keeps."""
        states = {}
        for key, cell in self._cells.items():
            version, raw = snapshot.states.get(key, (None, msgspec.Raw(b"null")))
            if version != cell.projection.version:
                return False
            states[key] = msgspec.json.decode(raw)
        for key, state in states.items():
            self._cells[key].state = state
        self.surface = Surface(nodes, snapshot.generation)
        self.tip, self.offset = snapshot.seq - 1, snapshot.offset
        self.crc, self.required = snapshot.crc, set(snapshot.required)
        self._marks = snapshot.marks
        self._nodes = {seq: (offset, size) for seq, offset, size in snapshot.nodes}
        return True

    def _meet(self, event: Event) -> tuple[Cell, ...]:
        """The cells for a type that comes for the first time."""
        type_ = event.type
        if not event.ignorable:
            self.required.add(type_)
        cells = tuple(
            cell
            for cell in self._cells.values()
            if cell.projection.types is None or type_ in cell.projection.types
        )
        if not event.ignorable:  # else the next one of its type may be required
            self._by_type[type_] = cells
        return cells
