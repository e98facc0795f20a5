"""What is read from and written to the catalogue's database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec

from dsh.data.catalogue.rows import SessionRow, Snapshot

if TYPE_CHECKING:
    import sqlite3

_COLUMNS: Final = SessionRow.__struct_fields__
_NAMES: Final = ", ".join(_COLUMNS)
_HOLES: Final = ", ".join("?" for _ in _COLUMNS)
_pack = msgspec.json.encode


def newest(
    db: sqlite3.Connection, limit: int, before: tuple[int, str] | None, cwd: str | None
) -> list[SessionRow]:
    """Rows by last change, latest first, older than ``before``."""
    where, values = [], list[object]()
    if before is not None:
        where.append("(updated, id) < (?, ?)")
        values += before
    if cwd is not None:
        where.append("cwd = ?")
        values.append(cwd)
    clause = f"WHERE {' AND '.join(where)}" if where else ""
    sql = f"SELECT {_NAMES} FROM sessions {clause} ORDER BY updated DESC, id DESC LIMIT ?"  # noqa: S608  # only our own words are put in
    return [_row(values_) for values_ in db.execute(sql, [*values, limit])]


def get(db: sqlite3.Connection, session: str) -> SessionRow | None:
    """One row."""
    sql = f"SELECT {_NAMES} FROM sessions WHERE id = ?"  # noqa: S608  # our own words
    found = db.execute(sql, [session]).fetchone()
    return _row(found) if found else None


def put(db: sqlite3.Connection, rows: Iterable[SessionRow]) -> None:
    """Add or replace rows."""
    sql = f"INSERT OR REPLACE INTO sessions ({_NAMES}) VALUES ({_HOLES})"  # noqa: S608  # our own words
    db.executemany(sql, [msgspec.structs.astuple(row) for row in rows])


def remove(db: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Forget sessions."""
    for session in sessions:
        db.execute("DELETE FROM sessions WHERE id = ?", [session])
        drop_snapshot(db, session)


def stamps(db: sqlite3.Connection) -> dict[str, tuple[str, int, int]]:
    """Folder, size and time of change of each session's log, as they are known."""
    rows = db.execute("SELECT id, folder, bytes, mtime FROM sessions")
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def drop_snapshot(db: sqlite3.Connection, session: str) -> None:
    """Forget the folded states of a session."""
    db.execute("DELETE FROM snapshots WHERE session = ?", [session])
    db.execute("DELETE FROM states WHERE session = ?", [session])


def put_snapshot(db: sqlite3.Connection, session: str, snapshot: Snapshot) -> None:
    """Replace the folded states of a session."""
    drop_snapshot(db, session)
    s = snapshot
    packed = (_pack(s.marks), _pack(s.nodes), _pack(s.required))
    db.execute(
        "INSERT INTO snapshots (session, seq, offset, crc, mtime, generation,"
        " marks, nodes, required) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [session, s.seq, s.offset, s.crc, s.mtime, s.generation, *packed],
    )
    db.executemany(
        "INSERT INTO states (session, key, version, state) VALUES (?, ?, ?, ?)",
        [(session, key, version, bytes(raw)) for key, (version, raw) in s.states.items()],
    )


def get_snapshot(db: sqlite3.Connection, session: str) -> Snapshot | None:
    """The folded states of a session, if there are any."""
    found = db.execute(
        "SELECT seq, offset, crc, mtime, generation, marks, nodes, required"
        " FROM snapshots WHERE session = ?",
        [session],
    ).fetchone()
    if found is None:
        return None
    seq, offset, crc, mtime, generation, marks, nodes, required = found
    states = db.execute(
        "SELECT key, version, state FROM states WHERE session = ?", [session]
    )
    return Snapshot(
        seq,
        offset,
        crc,
        mtime,
        msgspec.json.decode(marks, type=list[int]),
        msgspec.json.decode(nodes, type=list[tuple[int, int, int]]),
        generation,
        msgspec.json.decode(required, type=list[str]),
        {key: (version, msgspec.Raw(state)) for key, version, state in states},
    )


def _row(values: tuple[object, ...]) -> SessionRow:
    row = SessionRow(*values)  # type: ignore[arg-type]  # columns are in field order, and STRICT
    row.blank = bool(row.blank)
    return row
