"""What a home holds, read from its files as any other program could."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]  # Any: the log's own JSON


def logs(home: Path) -> list[Path]:
    """The logs of a home, oldest first."""
    found = (home / "desktop" / "sessions").rglob("log.jsonl")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def only_log(home: Path) -> Path:
    """The log of a home with one session."""
    [log] = logs(home)
    return log


def events(log: Path) -> list[Event]:
    """The events of a log; a line that is not finished yet is left out."""
    lines = log.read_bytes().split(b"\n")
    return [json.loads(line) for line in lines[1:-1]]


def kinds(log: Path, *types: str) -> list[Event]:
    """The events of some types."""
    return [event for event in events(log) if event["type"] in types]


def result_text(event: Event) -> str:
    """The text of a `tool/result`."""
    return str(event["data"]["message"]["content"][0]["content"][0]["text"])


def endings(log: Path) -> list[str]:
    """How each turn ended."""
    return [str(e["data"]["reason"]["kind"]) for e in kinds(log, "turn/end")]
