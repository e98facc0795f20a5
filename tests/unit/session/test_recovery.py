"""A crash at any event: what is open is closed, what is unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.events import Event
from dsh.data.log import Scan, open_header, verify
from dsh.runtime.session import Session
from unit.session.story import (
    MARK,
    Step,
    chunk,
    golden_turn,
    sessions_in,
    stored,
    user,
)

pytestmark = pytest.mark.anyio


def events_of(path: Path) -> list[Event]:
    return [event for event, _, _ in Scan(path, open_header(path)[1])]


def types_after(path: Path, seq: int) -> list[str]:
    return [event.type for event in events_of(path)[seq:]]


async def reopened(folder: Path) -> Session:
    async with sessions_in(folder) as sessions:
        return await sessions.open("s1")


async def test_after_a_crash_at_any_event_the_log_is_valid_and_the_request_too(
    tmp_path: Path,
) -> None:
    story = golden_turn()
    for size in range(1, len(story) + 1):
        folder = tmp_path / str(size)
        folder.mkdir()
        path = await stored(folder, story[:size])
        async with sessions_in(folder) as sessions:
            session = await sessions.open("s1")
            assert session.read_only is None
            assert session.open_turn is None
            assert session.open_approvals == {}
            assert_paired(session)
            session.append("user/message", user("go on"))
            again = session.surface.messages()
        assert verify(path) == []
        assert [event.seq for event in events_of(path)] == list(range(session.tip + 1))
        assert again[-1] == user("go on")


def assert_paired(session: Session) -> None:
    """Each call has exactly one result, as every provider demands."""
    asked: list[str] = []
    given: list[str] = []
    for message in session.surface.messages():
        assert message["content"]
        for block in message["content"]:
            if block["type"] == "tool-call":
                asked.append(block["id"])
            elif block["type"] == "tool-result":
                given.append(block["toolCallId"])
    assert sorted(asked) == sorted(given)


async def test_the_same_log_is_always_closed_in_the_same_way(tmp_path: Path) -> None:
    logs: list[bytes] = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        path = await stored(folder, golden_turn()[:16])
        if logs:
            path.write_bytes(logs[0])
        else:
            logs.append(path.read_bytes())
        await reopened(folder)
        logs.append(path.read_bytes())
    assert logs[1] == logs[2]


async def test_calls_without_a_result_say_whether_they_had_started(
    tmp_path: Path,
) -> None:
    path = await stored(tmp_path, golden_turn()[:15])  # c1 runs, c2 does not
    await reopened(tmp_path)
    first, second, step_end, turn_end, seed = events_of(path)[15:]
    assert first.data["error"]["code"] == "TOOL_OUTCOME_UNKNOWN"
    assert first.data["message"]["source"]["callId"] == "c1"
    assert first.source_event_seqs == [14]
    assert first.data["message"]["content"][0]["isError"]
    assert second.data["error"]["code"] == "TOOL_NOT_STARTED"
    assert second.data["message"]["source"]["callId"] == "c2"
    assert second.source_event_seqs is None
    assert (step_end.type, step_end.data) == ("step/end", MARK)
    assert turn_end.data == {"turn": 1, "reason": {"kind": "interrupted"}}
    assert seed.type == "session/end-seed"
    assert {event.time for event in events_of(path)[14:]} == {events_of(path)[14].time}


async def test_a_question_nobody_can_answer_any_more_is_cancelled(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn()[:17])
    await reopened(tmp_path)
    decided = events_of(path)[17]
    assert decided.data == {"id": "ap1", "outcome": "cancelled"}


async def test_half_an_answer_is_kept_and_marked(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn()[:13])  # text, and half a call
    await reopened(tmp_path)
    message = events_of(path)[13]
    assert message.type == "assistant/message"
    assert message.data["interrupted"] is True
    assert message.data["message"]["content"] == [
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "On it."},
    ]
    assert message.source_event_seqs == [7, 8, 9, 10, 11, 12]
    assert types_after(path, 14) == ["step/end", "turn/end", "session/end-seed"]


BEGUN = golden_turn()[:7]
ENDING = {"type": "finish", "reason": "error"}
FAILED: Step = ("assistant/chunk", {**MARK, "chunk": ENDING}, None)


@pytest.mark.parametrize(
    "arrived",
    [
        [],
        [chunk("block-start", 0, blockType="text")],
        [chunk("text-delta", 0, text=" \n")],
        [chunk("tool-call-delta", 0, id="c", name="bash", argumentsDelta='{"a')],
        [chunk("text-delta", 0, text="never mind"), FAILED],
    ],
)
async def test_nothing_said_means_no_answer_at_all(
    tmp_path: Path, arrived: list[Step]
) -> None:
    path = await stored(tmp_path, BEGUN + arrived)
    await reopened(tmp_path)
    closing = ["step/end", "turn/end", "session/end-seed"]
    assert types_after(path, len(BEGUN + arrived)) == closing


async def test_a_bare_thought_is_kept_in_the_log_but_not_sent(tmp_path: Path) -> None:
    thought = chunk("reasoning-delta", 0, text="I wonder")
    path = await stored(tmp_path, [*BEGUN, thought])
    session = await reopened(tmp_path)
    assert events_of(path)[8].type == "assistant/message"
    assert [m["role"] for m in session.surface.messages()] == ["user"]


async def test_only_the_last_try_of_a_request_counts(tmp_path: Path) -> None:
    retried = {"retryId": "r", **MARK, "retry": 1}
    story: list[Step] = [
        *BEGUN,
        chunk("text-delta", 0, text="first"),
        ("llm/retry-started", retried, None),
        chunk("text-delta", 0, text="second"),
    ]
    path = await stored(tmp_path, story)
    await reopened(tmp_path)
    message = events_of(path)[10]
    assert message.data["message"]["content"] == [{"type": "text", "text": "second"}]
    assert message.source_event_seqs == [9]


async def test_waiting_prompts_survive_and_wait(tmp_path: Path) -> None:
    await stored(tmp_path, golden_turn()[:2])
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.open("s1")
        assert session.next_turn == [user("go on")]
        assert session.open_turn is None


async def test_a_clean_session_is_opened_without_writing_anything(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    before = path.read_bytes()
    await reopened(tmp_path)
    assert path.read_bytes() == before


async def test_a_resumed_session_marks_where_its_new_life_begins(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    for _ in range(2):
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.open("s1")
            assert session.tip == len(events_of(path)) - 1
            session.append("user/message", user("more"))
    assert types_after(path, 22) == ["session/end-seed", "user/message"] * 2
    assert verify(path) == []


async def test_recovery_works_the_same_from_a_snapshot(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn()[:15])
    async with sessions_in(tmp_path, strict=False) as sessions:
        session = await sessions.open("s1")
        assert session.turn == 1
    assert types_after(path, 15)[-1] == "session/end-seed"
    assert verify(path) == []
