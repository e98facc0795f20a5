"""The list of sessions: its first page, and what a new program learns from the disk."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from pathlib import Path

from bench._table import Anchor, row, timed, usual
from dsh.data.catalogue import Catalogue, SessionRow
from dsh.data.events import Event, Header
from dsh.data.log import event_line, header_line

ROWS = 20_000
STORED = 1000
NEWEST = "SELECT * FROM sessions ORDER BY updated DESC, id DESC LIMIT 50"


def entry(number: int) -> SessionRow:
    name = f"s{number:05}"
    return SessionRow(
        name, f"w/{name}", "/w", created=1, updated=number, title=f"Session {number}"
    )


def store(sessions: Path) -> None:
    """Logs of sessions that nobody has listed yet."""
    for number in range(STORED):
        folder = sessions / "w-1" / f"n{number:05}"
        folder.mkdir(parents=True)
        header = Header(1, folder.name, 1, "/w")
        title = Event(0, "session/title", 2, {"title": f"Stored {number}"})
        (folder / "log.jsonl").write_bytes(header_line(header) + event_line(title))


async def pages(catalogue: Catalogue) -> list[float]:
    taken = []
    for _ in range(20):
        began = time.perf_counter()
        page = await catalogue.page(50)
        taken.append((time.perf_counter() - began) * 1e3)
        if len(page.rows) != 50:
            raise SystemExit("the page is not full")
    return taken


def read_all(sessions: Path) -> None:
    for log in sessions.glob("*/*/log.jsonl"):
        log.read_bytes()


async def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dsh-bench-") as folder:
        root = Path(folder)
        sessions = root / "sessions"
        catalogue = Catalogue(root / "index.db", sessions)
        await catalogue.put([entry(number) for number in range(ROWS)])
        page = usual(await pages(catalogue))
        with sqlite3.connect(root / "index.db") as database:
            query = usual(timed(20, lambda: database.execute(NEWEST).fetchall()))
        database.close()
        await catalogue.close()
        store(sessions)
        files = Anchor("reading their logs", usual(timed(3, lambda: read_all(sessions))))
        other = Catalogue(root / "other.db", sessions)
        began = time.perf_counter()
        await other.scan()
        scanned = (time.perf_counter() - began) * 1e3
        await other.close()
    anchor = Anchor("the query alone", query)
    row(f"first page of {ROWS:,} sessions", page, "ms", anchor, "≤ 20 ms")
    row(f"index of {STORED:,} sessions from their logs", scanned, "ms", files)


if __name__ == "__main__":
    asyncio.run(main())
