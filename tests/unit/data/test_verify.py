"""Verify names everything that is wrong with a log, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dsh.data.events import Event, Header
from dsh.data.events.envelope import APPEND
from dsh.data.events.registry import SURFACE_TYPES
from dsh.data.log import event_line, header_line, verify
from unit.session.story import MARK, Step, golden_turn, result, started, user


def log(folder: Path, steps: list[Step]) -> Path:
    path = folder / "log.jsonl"
    lines = [header_line(Header(1, "s1", 1, "/w"))]
    for seq, (type_, data, sources) in enumerate(steps):
        op = APPEND if type_ in SURFACE_TYPES else None
        lines.append(event_line(Event(seq, type_, 1, data, op, sources)))
    path.write_bytes(b"".join(lines))
    return path


def codes(folder: Path, steps: list[Step]) -> list[tuple[int, str]]:
    return [(p.seq, p.code) for p in verify(log(folder, steps))]


def test_a_golden_turn_has_no_problem(tmp_path: Path) -> None:
    assert codes(tmp_path, golden_turn()) == []


def event(type_: str, **data: Any) -> Step:  # Any: JSON
    return type_, data, None


TURN, STEP = event("turn/start", turn=1), event("step/start", **MARK)
END = event("turn/end", turn=1, reason={"kind": "completed"})


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ([event("turn/start", turn=2)], [(0, "ORDER")]),
        ([TURN, event("turn/start", turn=2)], [(1, "ORDER")]),
        ([TURN, STEP, END], [(2, "ORDER")]),
        ([STEP], [(0, "ORDER")]),
        ([TURN, STEP, STEP], [(2, "ORDER")]),
        ([TURN, event("step/start", turn=1, step=2)], [(1, "ORDER")]),
        ([TURN, event("step/end", **MARK)], [(1, "ORDER")]),
        ([TURN, ("tool/call", started("c1"), None)], [(1, "ORDER")]),
        ([TURN, STEP, ("tool/result", result("c1"), None)], [(2, "ORDER")]),
        ([event("request/context", provider="p", model="m")], [(0, "ORDER")]),
        ([event("approval/decided", id="x", outcome="rejected")], [(0, "ORDER")]),
        ([event("turn/start", turn="1")], [(0, "SCHEMA")]),
        ([event("no/such")], [(0, "UNKNOWN_TYPE")]),
        ([("user/message", user("x"), [0])], [(0, "SURFACE")]),
        ([TURN, END, event("turn/start", turn=2)], []),
    ],
)
def test_each_broken_rule_is_found(
    tmp_path: Path, steps: list[Step], found: list[tuple[int, str]]
) -> None:
    assert codes(tmp_path, steps) == found


def test_a_result_of_a_call_that_never_started_needs_no_call(tmp_path: Path) -> None:
    error = {"name": "ToolNotStartedError", "code": "TOOL_NOT_STARTED"}
    steps: list[Step] = [
        TURN,
        STEP,
        ("tool/result", {**result("c1"), "error": error}, None),
    ]
    assert codes(tmp_path, steps) == []


def test_damage_and_torn_tails_are_problems_with_their_line(tmp_path: Path) -> None:
    path = log(tmp_path, golden_turn())
    with path.open("ab") as file:
        file.write(b"{")
    (torn,) = verify(path)
    assert (torn.code, torn.line) == ("TORN", len(golden_turn()) + 2)
    content = path.read_bytes().split(b"\n")
    content[5] = content[5].replace(b"go on", b"go off")
    path.write_bytes(b"\n".join(content))
    (damage,) = verify(path)
    assert (damage.code, damage.line) == ("CRC", 6)
