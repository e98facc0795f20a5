"""States that plugins fold from events, kept for every session."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh.data.events import Event
from dsh.kernel import DuplicateContribution
from dsh.runtime.session import Projection, Session
from unit.session.story import (
    HEADER,
    MARK,
    Step,
    golden_turn,
    sessions_in,
    stored,
    tell,
    user,
)

pytestmark = pytest.mark.anyio


def counting(key: str = "prompts", version: int = 1) -> Projection[int]:
    def apply(count: int, event: Event) -> int:
        return count + len(event.data["content"])

    return Projection(key, version, int, apply, frozenset({"user/message"}))


async def test_an_added_projection_is_kept_from_the_first_event_on(
    tmp_path: Path,
) -> None:
    prompts = counting()
    async with sessions_in(tmp_path) as sessions:
        with sessions.projections.add(prompts):
            session = await sessions.create(tmp_path)
            assert session.state(prompts) == 0
            session.append("user/message", user("one"))
            session.append("user/message", user("two"))
            assert session.state(prompts) == 2
            assert session.states()["prompts"] == 2


@pytest.mark.parametrize("written", [1, 700])
async def test_a_late_projection_catches_up_with_a_live_session(
    tmp_path: Path, written: int
) -> None:
    prompts = counting()
    async with sessions_in(tmp_path, strict=False) as sessions:
        session = await sessions.create(tmp_path)
        for _ in range(written):
            session.append("user/message", user("x"))
        await session.flush()
        session.append("user/message", user("not written yet"))
        assert await session.ensure(prompts) == written + 1
        session.append("user/message", user("x"))
        assert session.state(prompts) == written + 2


async def test_adding_one_reaches_the_sessions_that_are_open(tmp_path: Path) -> None:
    prompts = counting()
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        session.append("user/message", user("x"))
        with sessions.projections.add(prompts), anyio.fail_after(10):
            while "prompts" not in session.states():
                await anyio.sleep(0)
            assert session.state(prompts) == 1


async def test_the_same_projection_may_be_added_by_several_and_another_may_not(
    tmp_path: Path,
) -> None:
    prompts = counting()
    async with sessions_in(tmp_path) as sessions:
        with sessions.projections.add(prompts):
            with sessions.projections.add(prompts):
                pass
            session = await sessions.create(tmp_path)
            assert session.state(prompts) == 0
            for other in (counting(), counting("title")):
                with (
                    pytest.raises(DuplicateContribution),
                    sessions.projections.add(other),
                ):
                    pass


async def test_only_a_new_version_is_folded_again(tmp_path: Path) -> None:
    folds: list[int] = []

    def apply(count: int, event: Event) -> int:
        folds.append(event.seq)
        return count + 1

    async def life(version: int) -> None:
        prompts = Projection("prompts", version, int, apply, frozenset({"user/message"}))
        async with sessions_in(tmp_path, strict=False) as sessions:
            with sessions.projections.add(prompts):  # gone before the sessions are
                session = await sessions.open("s1")
                assert session.state(prompts) == 1

    await stored(tmp_path, [("user/message", user("x"), None)])
    for version in (1, 1, 2, 2):
        await life(version)
    assert folds == [0, 0]


async def test_a_broken_projection_stops_nothing(tmp_path: Path) -> None:
    def apply(_: int, __: Event) -> int:
        raise RuntimeError("a plugin's mistake")

    broken = Projection("broken", 1, int, apply)
    async with sessions_in(tmp_path) as sessions:
        with sessions.projections.add(broken):
            session = await sessions.create(tmp_path)
            session.append("user/message", user("x"))
            assert session.state(broken) == 0
            assert session.tip == 0


def usage(input_: int, output: int) -> dict[str, int]:
    return {"inputTokens": input_, "outputTokens": output}


def announced(figures: dict[str, int]) -> Step:
    return "assistant/chunk", {**MARK, "chunk": {"type": "usage", "usage": figures}}, None


async def test_usage_counts_failed_requests_and_counts_nothing_twice(
    tmp_path: Path,
) -> None:
    story = golden_turn()
    message: Step = ("assistant/message", {**story[13][1], "usage": usage(90, 9)}, [])
    retried: Step = ("llm/retry-started", {"retryId": "r", **MARK, "retry": 1}, None)
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        tell(session, [*story[:7], announced(usage(100, 5))])
        assert session.usage == usage(100, 5)
        tell(session, [retried, announced(usage(80, 3)), announced(usage(80, 8))])
        assert session.usage == usage(180, 13)
        tell(session, [message])
        assert session.usage == usage(190, 14)


async def test_what_was_set_last_is_in_force(tmp_path: Path) -> None:
    def set_all(session: Session) -> None:
        title = {"title": "Pots", "messageSeqs": [], "source": {"kind": "user"}}
        session.append("session/title", title)
        session.append("sandbox/mode", {"mode": "read-only"})
        session.append("sandbox/mode", {"mode": "workspace-write"})
        session.append("approval/policy", {"policy": "never"})
        session.append("permission/preset", {"preset": "careful"})
        session.append("agent-preset/selected", {"agentPreset": "plan"})

    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path, id="s1", preset="code")
        assert (session.title, session.sandbox_mode, session.preset) == (
            None,
            None,
            "code",
        )
        set_all(session)
        assert session.blank
    async with sessions_in(tmp_path, strict=False) as sessions:
        session = await sessions.open("s1")
        assert session.title == "Pots"
        assert session.sandbox_mode == "workspace-write"
        assert session.approval_policy == "never"
        assert session.permission_preset == "careful"
        assert session.preset == "plan"


async def test_the_inbox_follows_every_splice(tmp_path: Path) -> None:
    def splice(target: str, start: int, removed: int, *ids: str) -> Step:
        inserted = [user(id_, id_) for id_ in ids]
        data = {"target": target, "start": start, "inserted": inserted}
        return "agent/inbox/spliced", {**data, "removedCount": removed}, None

    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        tell(
            session,
            [splice("next-turn", 0, 0, "a", "b", "c"), splice("next-step", 0, 0, "d")],
        )
        tell(session, [splice("next-turn", 1, 1, "x", "y"), splice("next-step", 0, 1)])
        assert [m["id"] for m in session.next_turn] == ["a", "x", "y", "c"]
        assert session.next_step == []
        assert not session.blank


async def test_the_request_header_is_the_last_one(tmp_path: Path) -> None:
    other = {"header": {"config": {"provider": "q", "model": "n"}}, "reason": "change"}
    await stored(tmp_path, [*golden_turn()[:7], ("request/header", other, None)])
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.open("s1")
        assert session.request_header == other["header"] != HEADER["header"]
