"""Everything that is wrong with a log, from its bytes to the order of its events."""

from __future__ import annotations

import copy
from pathlib import Path

import msgspec
from pydantic import ValidationError

from dsh.data.events import EVENT_SCHEMAS, Event, EventSchemas
from dsh.data.log.invariants import Invariants
from dsh.data.log.scan import Scan, open_header
from dsh.data.log.surface import Surface


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong. Codes: CRC, JSON, GAP, DUPLICATE (nothing after it was
    read), TORN, UNKNOWN_TYPE, SCHEMA, ORDER, SURFACE.
    """

    line: int
    seq: int
    code: str
    message: str


class Checks:
    """What an event must satisfy after the ones before it. Feed them in order."""

    def __init__(self, schemas: EventSchemas = EVENT_SCHEMAS) -> None:
        self._schemas = schemas
        self._invariants = Invariants()
        self._surface = Surface()

    def trial(self, event: Event) -> str | None:
        """As :meth:`problem`, but an event with a problem is not taken in."""
        before = copy.deepcopy(self._invariants)
        found = self.problem(event)
        if found is None:
            return None
        self._invariants = before
        return found[1]

    def problem(self, event: Event) -> tuple[str, str] | None:
        """Code and message of the first thing wrong with ``event``; takes it in."""
        schema = self._schemas.get(event.type)
        if schema is None:
            if event.ignorable:
                return None
            return "UNKNOWN_TYPE", f"{event.type} is no known type"
        try:
            schema.validate(event.data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            return "SCHEMA", f"{event.type}: {where}: {first['msg']}"
        violation = self._invariants.violation(event)
        if violation is not None:
            return "ORDER", f"{event.type}: {violation}"
        refusal = self._surface.refusal(event)
        if refusal is not None:
            return "SURFACE", f"{event.type}: {refusal}"
        self._surface.apply(event)
        return None


def verify(path: Path, schemas: EventSchemas = EVENT_SCHEMAS) -> list[Problem]:
    """Check a whole log. It may be open elsewhere; nothing is changed.

    Raises :class:`~dsh.errors.DataError` when there is not even a header.
    """
    _, first = open_header(path)
    scan, checks = Scan(path, first), Checks(schemas)
    problems = [
        Problem(event.seq + 2, event.seq, *found)
        for event, _, _ in scan
        if (found := checks.problem(event))
    ]
    seq = scan.end.seq
    if scan.damage is not None:
        damage = scan.damage
        problems.append(Problem(damage.line, seq, damage.code, damage.message))
    if scan.torn:
        message = f"{scan.torn} bytes of an unfinished line"
        problems.append(Problem(seq + 2, seq, "TORN", message))
    return problems
