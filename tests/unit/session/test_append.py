"""Appending: visible at once, refused without a trace, safe from its listeners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dsh.data.events import EVENT_SCHEMAS, Event, EventSchema
from dsh.data.log import verify
from dsh.data.paths import Home
from dsh.errors import DataError
from dsh.kernel import Events, Kernel
from dsh.runtime.session import SessionAppended, SessionClosed, SessionOpened, Sessions
from unit.session.story import golden_turn, sessions_in, stored, tell, text, user

pytestmark = pytest.mark.anyio


async def test_a_session_is_nowhere_on_disk_before_its_first_event(
    tmp_path: Path,
) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        await session.flush()
        assert session.tip == -1
        assert session.blank
        assert list(tmp_path.iterdir()) == []
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == []


async def test_an_event_is_visible_at_once_and_on_disk_after_a_flush(
    tmp_path: Path,
) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        event = session.append("user/message", user("hello"))
        assert (event.seq, session.tip) == (0, 0)
        assert session.surface.messages() == [user("hello")]
        assert await session.read(0, 10) == [event]
        await session.flush()
        assert b"hello" in session.path.read_bytes()


async def test_a_whole_turn_is_kept_and_folded(tmp_path: Path) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path, preset="code")
        with session.listen(lambda event: seen.append((event.seq, session.open_step))):
            seen: list[tuple[int, int | None]] = []
            tell(session, golden_turn())
        assert [seq for seq, _ in seen] == list(range(22))
        assert seen[5] == (5, 1)
        assert (session.turn, session.open_turn, session.open_step) == (1, None, None)
        assert session.ended == "completed"
        assert session.next_turn == session.next_step == []
        assert session.open_approvals == {}
        assert session.request_header == {
            "config": {"provider": "p", "model": "m"},
            "system": "Be brief.",
        }
        assert session.request_context == {"provider": "p", "model": "m"}
        assert session.preset == "code"
        assert not session.blank
        await session.flush()
    assert verify(session.path) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"a": float("nan")}, "EVENT_NOT_JSON"),
        ({"a": (1, 2)}, "EVENT_NOT_JSON"),
        ({"a": {1: 2}}, "EVENT_NOT_JSON"),
        ({"a": b"x"}, "EVENT_NOT_JSON"),
        ({"a": object()}, "EVENT_NOT_JSON"),
        ({"a": "\ud800"}, "EVENT_NOT_JSON"),
        ({"title": "x"}, "EVENT_INVALID"),
    ],
)
async def test_what_cannot_be_kept_is_refused_without_a_trace(
    tmp_path: Path,
    data: dict[str, Any],  # Any: what is wrong with it is the point
    code: str,
) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        with pytest.raises(DataError) as caught:
            session.append("session/title", data)
        assert caught.value.code == code
        assert session.tip == -1
        with pytest.raises(DataError) as caught:
            session.append("no/such", {})
        assert caught.value.code == "EVENT_UNKNOWN"
        assert session.append("turn/start", {"turn": 1}).seq == 0


async def test_strict_mode_refuses_a_wrong_order_and_goes_on_in_the_right_one(
    tmp_path: Path,
) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        with pytest.raises(DataError, match="turn 2 follows turn 0"):
            session.append("turn/start", {"turn": 2})
        assert session.append("turn/start", {"turn": 1}).seq == 0


async def test_nobody_can_change_an_event_afterwards(tmp_path: Path) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        mine = user("before")
        session.append("user/message", mine)
        mine["content"][0] = text("after")
        assert session.surface.messages() == [user("before")]


async def test_a_listener_cannot_append_and_its_error_hurts_nobody(
    tmp_path: Path,
) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        seen: list[int] = []

        def appends(_: Event) -> None:
            session.append("turn/start", {"turn": 1})

        def notes(event: Event) -> None:
            seen.append(event.seq)

        with session.listen(appends), session.listen(notes):
            session.append("user/message", user("one"))
        session.append("user/message", user("two"))
        assert seen == [0]
        assert session.tip == 1


async def test_the_service_tells_what_happens(tmp_path: Path) -> None:
    async with Kernel() as kernel:
        events = kernel.root.get(Events)
        told: list[object] = []
        with (
            events.on(SessionOpened, lambda fact: told.append(("opened", fact.session))),
            events.on(SessionAppended, lambda fact: told.append(fact.event)),
            events.on(SessionClosed, lambda fact: told.append(("closed", fact.session))),
        ):
            async with Sessions.running(Home(tmp_path), events) as sessions:
                session = await sessions.create(tmp_path)
                event = session.append("user/message", user("x"))
                assert sessions.live[session.id] is session
            assert told == [("opened", session), event, ("closed", session)]
        with pytest.raises(DataError) as caught:
            session.append("user/message", user("x"))
        assert caught.value.code == "SESSION_READ_ONLY"


async def test_an_ignorable_type_needs_nobody_who_knows_it(tmp_path: Path) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path, id="s1")
        session.append("stranger/note", {"x": 1}, ignorable=True)
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.open("s1")
        assert session.read_only is None


async def test_a_required_type_that_nobody_knows_makes_a_session_read_only(
    tmp_path: Path,
) -> None:
    EVENT_SCHEMAS.register(EventSchema("stranger/state", dict))
    try:
        await stored(tmp_path, [("stranger/state", {"x": 1}, None)])
    finally:
        EVENT_SCHEMAS.unregister("stranger/state")
    for strict in (False, False):  # folded from the log, then from the snapshot
        async with sessions_in(tmp_path, strict=strict) as sessions:
            session = await sessions.open("s1")
            assert "stranger/state" in (session.read_only or "")
            assert [e.data for e in await session.read(0, 9)] == [{"x": 1}]
            with pytest.raises(DataError):
                session.append("user/message", user("x"))


async def test_reading_gives_the_same_from_memory_and_from_disk(tmp_path: Path) -> None:
    async with sessions_in(tmp_path, strict=False) as sessions:
        session = await sessions.create(tmp_path)
        events = [
            session.append("user/message", user(str(i), f"u{i}")) for i in range(1499)
        ]
        await session.flush()
        events.append(session.append("user/message", user("last")))
        for start in (0, 1, 255, 256, 700, 1200, 1499, 1500):
            assert await session.read(start, 100) == events[start : start + 100]
        assert await session.read(-5, 2) == events[:2]
        assert await session.read(0, 9999) == events
        assert len(session._recent) < 1000
