"""`dsh session list|show|verify`: stored sessions, without booting anything."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from dsh.data.catalogue import SessionRow, peek
from dsh.data.log import LOG, find_folder, stored_folders, verify
from dsh.data.paths import Home
from dsh.errors import DataError
from dsh.surfaces.cli.arguments import USAGE, Options
from dsh.surfaces.cli.selection import home_of


def execute(options: Options) -> int:
    """Do the action; 0 sound, 1 not (or not there), 2 usage."""
    home = home_of(options)
    if options.action == "list":
        return _list(home, options.format)
    if options.action == "show":
        return _show(home, options)
    return _verify(home, options.id, options.format)


def stored(home: Home) -> list[SessionRow]:
    """Every stored session, newest first."""
    found = [peek(folder) for folder in stored_folders(home.sessions)]
    rows = [row for row in found if row is not None]
    return sorted(rows, key=lambda row: (row.updated, row.id), reverse=True)


def _list(home: Home, format_: str) -> int:
    rows = stored(home)
    if format_ == "json":
        _write(json.dumps([_facts(row) for row in rows], ensure_ascii=False, indent=1))
        return 0
    for row in rows:
        when = datetime.fromtimestamp(row.updated / 1000, UTC).astimezone()
        title = row.title or "(no title)"
        _write(f"{row.id}  {when:%Y-%m-%d %H:%M}  {title}  {row.cwd}")
    return 0


def _facts(row: SessionRow) -> dict[str, object]:
    return {
        "id": row.id,
        "title": row.title,
        "workspace": row.cwd,
        "updated": row.updated,
        "created": row.created,
        "events": row.events,
        "status": row.status,
    }


def _show(home: Home, options: Options) -> int:
    if options.id is None:
        sys.stderr.write("dsh session show: an ID is needed\n")
        return USAGE
    folder = find_folder(home.sessions, options.id)
    row = peek(folder) if folder is not None else None
    if folder is None or row is None:
        return _missing(options.id)
    if options.format == "json":
        _write(json.dumps(_facts(row), ensure_ascii=False, indent=1))
        return 0
    for line in (folder / LOG).read_bytes().split(b"\n"):
        text = _readable(line)
        if text:
            _write(text)
    return 0


def _readable(line: bytes) -> str | None:
    """What a person wants to see of one line of a log."""
    try:
        event = json.loads(line)
        data, type_ = event["data"], event["type"]
        match type_:
            case "user/message":
                return "> " + _text(data["content"])
            case "assistant/message":
                return _text(data["message"]["content"])
            case "tool/call":
                return f"[{data['name']}] {data['arguments']}"
            case "tool/result":
                return _text(data["message"]["content"][0]["content"])
            case "turn/end":
                return f"-- turn {data['turn']}: {data['reason']['kind']}"
            case _:
                return None
    except (ValueError, KeyError, TypeError, IndexError):
        return None  # the header, or damage, which `verify` names


def _text(blocks: list[dict[str, str]]) -> str:
    return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def _verify(home: Home, id_: str | None, format_: str) -> int:
    if id_ is not None:
        folder = find_folder(home.sessions, id_)
        folders = [folder] if folder is not None else []
        if not folders:
            return _missing(id_)
    else:
        # A folder without a log is what a kill left of a session that never began.
        stored = stored_folders(home.sessions)
        folders = sorted(folder for folder in stored if (folder / LOG).exists())
    found = {folder.name: _problems(folder / LOG) for folder in folders}
    if format_ == "json":
        facts = [
            {"id": name, "sound": not problems, "problems": problems}
            for name, problems in found.items()
        ]
        _write(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        for name, problems in found.items():
            _write(f"{name}: {'; '.join(problems) or 'sound'}")
    return 1 if any(found.values()) else 0


def _problems(log: Path) -> list[str]:
    try:
        return [str(problem) for problem in verify(log)]
    except DataError as error:  # not even a header: the others are still looked at
        return [f"{error.code}: {error}"]


def _missing(id_: str) -> int:
    sys.stderr.write(f"dsh: there is no session {id_}\n")
    return 1


def _write(line: str) -> None:
    # A title may hold what the terminal's encoding lacks.
    sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
