"""The catalogue: quick, shared, and never needed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from dsh.data.catalogue import Catalogue, SessionRow, peek
from dsh.data.events import Event, Header
from dsh.data.log import event_line, header_line
from dsh.errors import DataError
from unit.session.story import user

pytestmark = pytest.mark.anyio


def row(number: int, cwd: str = "/w") -> SessionRow:
    id_ = f"s{number:05}"
    return SessionRow(id_, f"w/{id_}", cwd, created=1, updated=number)


def store(sessions: Path, id_: str, *events: tuple[str, Any]) -> Path:  # Any: JSON
    folder = sessions / "w-1" / id_
    folder.mkdir(parents=True)
    lines = [header_line(Header(1, id_, 100, "/w", preset="code"))]
    lines += [
        event_line(Event(seq, type_, 200 + seq, data))
        for seq, (type_, data) in enumerate(events)
    ]
    (folder / "log.jsonl").write_bytes(b"".join(lines))
    return folder


async def ids(catalogue: Catalogue, limit: int = 50) -> list[str]:
    return [r.id for r in (await catalogue.page(limit)).rows]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    return tmp_path


@pytest.fixture
def catalogue(home: Path) -> Catalogue:
    return Catalogue(home / "index.db", home / "sessions")


async def test_twenty_thousand_sessions_are_paged_newest_first(
    catalogue: Catalogue,
) -> None:
    await catalogue.put([row(n, f"/w{n % 2}") for n in range(20_000)])
    seen, cursor = list[str](), None
    for _ in range(3):
        page = await catalogue.page(100, cursor)
        seen += [r.id for r in page.rows]
        cursor = page.cursor
    assert seen == [f"s{n:05}" for n in range(19_999, 19_699, -1)]
    odd = await catalogue.page(5, cwd="/w1")
    assert [r.id for r in odd.rows] == [f"s{n:05}" for n in range(19_999, 19_989, -2)]
    last = await catalogue.page(30_000)
    assert (len(last.rows), last.cursor) == (20_000, None)
    await catalogue.close()


async def test_sessions_of_the_same_moment_are_each_listed_once(
    catalogue: Catalogue,
) -> None:
    rows = [row(n) for n in range(10)]
    for each in rows:
        each.updated = 7
    await catalogue.put(rows)
    seen = list[str]()
    cursor: str | None = "8:"
    while cursor is not None:
        page = await catalogue.page(3, cursor)
        seen += [r.id for r in page.rows]
        cursor = page.cursor
    assert sorted(seen) == [r.id for r in rows]
    with pytest.raises(DataError):
        await catalogue.page(3, "nonsense")
    await catalogue.close()


async def test_a_scan_finds_what_is_new_and_drops_what_is_gone(
    home: Path, catalogue: Catalogue
) -> None:
    folder = store(home / "sessions", "a", ("user/message", user("x")))
    store(home / "sessions", "b")
    await catalogue.put([row(1)])
    added, removed = await catalogue.scan()
    assert (sorted(added), removed) == (["a", "b"], ["s00001"])
    assert await catalogue.scan() == ([], [])
    (folder / "log.jsonl").unlink()
    assert await catalogue.scan() == ([], ["a"])
    await catalogue.close()


async def test_a_scan_looks_again_at_what_has_changed(
    home: Path, catalogue: Catalogue
) -> None:
    folder = store(home / "sessions", "a")
    await catalogue.scan()
    title = {"title": "New", "messageSeqs": [], "source": {"kind": "user"}}
    with (folder / "log.jsonl").open("ab") as log:
        log.write(event_line(Event(0, "session/title", 300, title)))
    assert await catalogue.scan() == ([], [])
    found = await catalogue.get("a")
    assert found is not None
    assert (found.title, found.updated, found.events) == ("New", 300, 1)
    await catalogue.close()


async def test_live_sessions_are_left_to_who_writes_them(
    home: Path, catalogue: Catalogue
) -> None:
    store(home / "sessions", "a")
    await catalogue.put([row(1)])
    assert await catalogue.scan(live=["a", "s00001"]) == ([], [])
    assert await ids(catalogue) == ["s00001"]
    await catalogue.close()


async def test_everything_comes_back_after_the_file_is_deleted(
    home: Path, catalogue: Catalogue
) -> None:
    store(home / "sessions", "a")
    await catalogue.scan()
    before = await catalogue.get("a")
    await catalogue.close()
    for file in home.glob("index.db*"):
        file.unlink()
    assert await ids(catalogue) == []
    await catalogue.scan()
    assert await catalogue.get("a") == before
    await catalogue.close()


@pytest.mark.parametrize("junk", [b"", b"no database at all" * 100])
async def test_a_file_that_is_no_database_is_replaced(
    home: Path, catalogue: Catalogue, junk: bytes
) -> None:
    (home / "index.db").write_bytes(junk)
    await catalogue.put([row(1)])
    assert await ids(catalogue) == ["s00001"]
    await catalogue.close()


async def test_damage_while_it_is_open_costs_the_rows_and_nothing_else(
    home: Path, catalogue: Catalogue
) -> None:
    await catalogue.put([row(n) for n in range(2000)])
    await catalogue.close()
    size = (home / "index.db").stat().st_size
    with (home / "index.db").open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    assert await ids(catalogue) == []
    await catalogue.put([row(1)])
    assert await ids(catalogue) == ["s00001"]
    await catalogue.close()


async def test_two_programs_share_it(home: Path, catalogue: Catalogue) -> None:
    other = Catalogue(home / "index.db", home / "sessions")
    await catalogue.put([row(1)])
    await other.put([row(2)])
    assert await ids(catalogue) == await ids(other) == ["s00002", "s00001"]
    await catalogue.close()
    await other.close()


async def test_a_place_that_cannot_be_written_is_an_error_with_a_code(
    home: Path,
) -> None:
    (home / "index.db").mkdir()
    with pytest.raises(DataError) as caught:
        await Catalogue(home / "index.db", home / "sessions").page()
    assert caught.value.code == "INDEX_FAILED"


async def test_an_index_that_points_nowhere_is_an_error_with_a_code(
    home: Path, catalogue: Catalogue
) -> None:
    (home / "index.db").symlink_to(home / "missing" / "index.db")
    with pytest.raises(DataError) as caught:
        await catalogue.page()
    assert caught.value.code == "INDEX_FAILED"
    assert caught.value.remedy


@pytest.mark.parametrize("words", [{"odd": 1}, 7, None, ["a"]])
async def test_odd_words_in_one_log_cost_nothing_else(
    home: Path, catalogue: Catalogue, words: object
) -> None:
    config = {"provider": words, "model": words, "reasoningEffort": words}
    header = {"header": {"config": config}, "reason": "initial"}
    await catalogue.put([row(1)])
    store(home / "sessions", "odd", ("request/header", header))
    store(home / "sessions", "good", ("user/message", user("x")))
    added, _ = await catalogue.scan(live=["s00001"])
    assert set(added) == {"odd", "good"}
    assert set(await ids(catalogue)) == {"odd", "good", "s00001"}


async def test_figures_beyond_all_reason_stop_no_scan(
    home: Path, catalogue: Catalogue
) -> None:
    folder = store(home / "sessions", "huge")
    header = header_line(Header(1, "huge", 1 << 63, "/w"))
    (folder / "log.jsonl").write_bytes(header)
    store(home / "sessions", "good")
    assert await catalogue.scan() == (["good"], [])


async def test_a_full_disk_is_told_and_the_next_use_works(
    home: Path, catalogue: Catalogue
) -> None:
    await catalogue.put([row(1)])
    database = catalogue._database
    assert database is not None
    database.run(lambda db: db.execute("PRAGMA max_page_count=1"))
    with pytest.raises(DataError, match="full"):
        await catalogue.put([row(n) for n in range(5_000)])
    database.run(lambda db: db.execute("PRAGMA max_page_count=100000"))
    await catalogue.put([row(2)])
    assert await ids(catalogue) == ["s00002", "s00001"]


async def test_a_peek_learns_a_long_session_from_both_ends(home: Path) -> None:
    title = {"title": "Long", "messageSeqs": [0], "source": {"kind": "fallback"}}
    header = {"config": {"provider": "p", "model": "m", "reasoningEffort": "high"}}
    folder = store(
        home / "sessions",
        "a",
        ("session/title", title),
        ("sandbox/mode", {"mode": "read-only"}),
        ("user/message", user("x")),
        ("turn/start", {"turn": 1}),
        ("request/header", {"header": header, "reason": "initial"}),
        *[("user/message", user("y" * 1000))] * 1000,
        ("turn/end", {"turn": 1, "reason": {"kind": "error"}}),
        ("session/end-seed", {}),
    )
    found = peek(folder)
    assert found is not None
    assert (found.title, found.mode, found.blank) == ("Long", "read-only", False)
    assert (found.provider, found.model, found.effort) == ("p", "m", "high")
    assert (found.status, found.events, found.updated) == ("failed", 1007, 200 + 1005)
    assert found.bytes == (folder / "log.jsonl").stat().st_size
    assert (found.cwd, found.preset, found.folder) == ("/w", "code", "w-1/a")


@pytest.mark.parametrize("content", [b"", b"junk", b"junk\n" * 9])
async def test_a_log_without_a_header_is_not_listed_and_stops_no_scan(
    home: Path, catalogue: Catalogue, content: bytes
) -> None:
    folder = store(home / "sessions", "bad")
    (folder / "log.jsonl").write_bytes(content)
    store(home / "sessions", "good")
    assert await catalogue.scan() == (["good"], [])
    await catalogue.close()
