"""Windows of a log: they begin with a turn, and leave finished chunks out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh.runtime.session import Session
from dsh.surfaces.host.sessions import windows
from dsh.surfaces.host.sessions.windows import open_chunks, window_before
from unit.session.story import sessions_in, user

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    async with sessions_in(tmp_path / "home", strict=False) as sessions:
        yield await sessions.create(tmp_path)


def chunk(session: Session) -> None:
    data = {
        "turn": 1,
        "step": 1,
        "chunk": {"type": "text-delta", "index": 0, "text": "x"},
    }
    session.append("assistant/chunk", data)


def turn(session: Session, number: int, events: int = 3, *, chunks: int = 0) -> None:
    """A turn of so many events besides its chunks."""
    session.append("turn/start", {"turn": number})
    session.append("step/start", {"turn": number, "step": 1})
    for _ in range(chunks):
        chunk(session)
    for _ in range(events - 2):
        session.append("user/message", user("x"))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "BLOCK", 7)


async def test_a_short_log_is_one_window(session: Session) -> None:
    turn(session, 1)
    window = await window_before(session, session.tip + 1, 400)
    assert window.first_seq == 0 and not window.has_more
    assert [event.seq for event in window.events] == list(range(session.tip + 1))


async def test_an_empty_log_is_an_empty_window(session: Session) -> None:
    window = await window_before(session, 0, 400)
    assert window.events == [] and not window.has_more


async def test_a_window_begins_with_a_turn_and_the_next_one_ends_there(
    session: Session,
) -> None:
    for number in range(1, 11):
        turn(session, number, 4)
    end, seen = session.tip + 1, list[int]()
    while end > 0:
        window = await window_before(session, end, 10)
        assert window.events[0].type == "turn/start"
        assert window.events[0].seq == window.first_seq
        assert len(window.events) >= min(10, end)
        seen = [event.seq for event in window.events] + seen
        end = window.first_seq
    assert seen == list(range(session.tip + 1))


async def test_a_turn_longer_than_a_window_is_cut_without_a_gap(session: Session) -> None:
    turn(session, 1, 100)
    end, seen = session.tip + 1, list[int]()
    while end > 0:
        window = await window_before(session, end, 10)
        seen = [event.seq for event in window.events] + seen
        assert window.first_seq < end
        end = window.first_seq
    assert seen == list(range(session.tip + 1))


async def test_chunks_do_not_count_and_are_not_in_it(session: Session) -> None:
    turn(session, 1, 4, chunks=50)
    turn(session, 2, 4, chunks=50)
    window = await window_before(session, session.tip + 1, 8)
    assert [event.type for event in window.events].count("turn/start") == 2
    assert all(event.type != "assistant/chunk" for event in window.events)


async def test_the_chunks_of_the_answer_under_way_are_found(session: Session) -> None:
    turn(session, 1, 4, chunks=5)
    session.append("step/end", {"turn": 1, "step": 1})
    session.append("step/start", {"turn": 1, "step": 2})
    for _ in range(30):
        chunk(session)
    session.append("user/message", user("meanwhile"))
    for _ in range(3):
        chunk(session)
    found = await open_chunks(session, session.tip + 1)
    assert len(found) == 33
    assert [event.seq for event in found] == sorted(event.seq for event in found)


async def test_without_an_open_step_there_are_none(session: Session) -> None:
    turn(session, 1, 3, chunks=5)
    session.append("step/end", {"turn": 1, "step": 1})
    assert await open_chunks(session, session.tip + 1) == []
