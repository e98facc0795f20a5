"""Stop really stops, wherever the turn is, and the session can go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh.kernel import Next
from dsh.runtime.agent import Agent, AgentsConfig
from dsh.runtime.loop import PRE_STEP, PreStep, StepDecision
from dsh.runtime.tools import Execution, Outcome
from dsh_plugins.retry import retry
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Answer, Piece, Scripted, calls, fails, says, texts

pytestmark = pytest.mark.anyio


class Hold:
    """Something that is reached and then goes on forever."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    async def __call__(self, *_: object) -> Outcome:
        self.reached.set()
        await asyncio.Event().wait()
        return Outcome("never")


async def stop(agent: Agent) -> None:
    agent.cancel()
    await asyncio.wait_for(agent.idle(), 10)


def held(hold: Hold, *before: Piece) -> Answer:
    return [*before, hold, {"type": "finish", "reason": "stop"}]


async def test_a_prompt_that_was_stopped_before_it_was_claimed_stays_queued(
    tmp_path: Path,
) -> None:
    hold = Hold()

    async def slow(
        draft: PreStep, call_next: Next[PreStep, StepDecision]
    ) -> StepDecision:
        await hold()
        return await call_next(draft)

    async with runtime(tmp_path, Scripted(says("fine"))) as host:
        agent = await host.agent()
        with host.events.wrap(PRE_STEP, slow):
            agent.followup("later")
            await hold.reached.wait()
            await stop(agent)
        assert [m["content"] for m in agent.session.next_turn] == [
            [{"type": "text", "text": "later"}]
        ]
        assert kinds(await log_of(agent.session))[-2:] == ["turn/start", "turn/end"]
        assert agent.resume_queue()
        await agent.idle()
        assert texts(agent.session.surface.messages()) == ["later", "fine"]


async def test_a_stop_right_after_a_prompt_starts_no_turn(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted()) as host:
        agent = await host.agent()
        agent.followup("no")
        assert agent.cancel()
        await agent.idle()
        assert agent.session.turn == 0
        assert len(agent.session.next_turn) == 1


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ([], []),
        ([{"type": "reasoning-delta", "index": 0, "text": "hm"}], []),
        (calls(("echo", '{"wor'))[:-1], []),
        ([{"type": "text-delta", "index": 0, "text": "so far"}], ["so far"]),
    ],
    ids=["before the first token", "in reasoning", "in half arguments", "in text"],
)
async def test_a_stop_in_the_stream_leaves_nothing_empty_behind(
    tmp_path: Path, before: Answer, kept: list[str]
) -> None:
    hold = Hold()
    model = Scripted(held(hold, *before), says("one"), says("two"), says("three"))
    async with runtime(tmp_path, model, tool=Echo()) as host:
        agent = await host.agent()
        agent.followup("start")
        await hold.reached.wait()
        await stop(agent)
        events = await log_of(agent.session)
        assert events[-1].data["reason"] == {
            "kind": "aborted",
            "reason": {"kind": "user"},
        }
        interrupted = [e for e in events if e.type == "assistant/message"]
        assert [e.data.get("interrupted") for e in interrupted] == [True] * len(kept)
        for prompt in ("a", "b", "c"):
            await host.say(agent, prompt)
        shown = texts(agent.session.surface.messages())
    assert shown == ["start", *kept, "a", "one", "b", "two", "c", "three"]


async def test_a_stop_in_a_tool_gives_every_call_a_result_and_runs_no_other(
    tmp_path: Path,
) -> None:
    hold = Hold()

    async def body(word: str, execution: Execution) -> Outcome:
        execution.output("stdout", "half way\n")
        return await hold()

    tool = Echo(body)
    wanted = [("echo", {"word": word}) for word in ("one", "two", "three")]
    async with runtime(tmp_path, Scripted(calls(*wanted), says("ok")), tool=tool) as host:
        agent = await host.agent()
        agent.followup("go")
        await hold.reached.wait()
        await stop(agent)
        events = await log_of(agent.session)
        codes = [e.data["error"]["code"] for e in events if e.type == "tool/result"]
        assert tool.ran == ["one"]
        assert codes == ["ABORTED", "ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]
        assert "half way" in texts(agent.session.surface.messages())[2]
        await host.say(agent, "and now?")
        assert texts(agent.session.surface.messages())[-1] == "ok"


async def test_a_body_that_ignores_its_end_has_an_unknown_outcome(tmp_path: Path) -> None:
    started, release = asyncio.Event(), asyncio.Event()

    async def stubborn(word: str, _: Execution) -> Outcome:
        started.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return Outcome("late")

    model = Scripted(calls(("echo", {})), says("ok"))
    config = AgentsConfig(stop_grace=0.05)
    async with runtime(tmp_path, model, tool=Echo(stubborn), config=config) as host:
        agent = await host.agent()
        agent.followup("go")
        await started.wait()
        await stop(agent)
        (result,) = [e for e in await log_of(agent.session) if e.type == "tool/result"]
        assert result.data["error"]["code"] == "TOOL_OUTCOME_UNKNOWN"
        await host.say(agent, "next")
        release.set()


async def test_a_stop_while_waiting_for_another_attempt_ends_the_wait(
    tmp_path: Path,
) -> None:
    waiting = asyncio.Event()
    model = Scripted(fails("RATE_LIMIT", retry_after_ms=3_000), says("ok"))
    async with runtime(tmp_path, model, retry) as host:
        agent = await host.agent()
        with agent.session.listen(
            lambda event: waiting.set() if event.type == "llm/retry" else None
        ):
            agent.followup("go")
            await waiting.wait()
        await stop(agent)
        assert "llm/retry-started" not in kinds(await log_of(agent.session))
        await host.say(agent, "again")
        assert texts(agent.session.surface.messages()) == ["go", "again", "ok"]


async def test_a_prompt_during_a_stop_is_answered_after_it(tmp_path: Path) -> None:
    hold = Hold()
    async with runtime(tmp_path, Scripted(held(hold), says("sure"))) as host:
        agent = await host.agent()
        agent.followup("first")
        await hold.reached.wait()
        agent.cancel()
        agent.steer("second")
        await asyncio.wait_for(agent.idle(), 10)
        assert texts(agent.session.surface.messages()) == ["first", "second", "sure"]
        assert agent.session.turn == 2


async def test_a_stop_keeps_the_queue_and_sends_nothing_of_it(tmp_path: Path) -> None:
    hold = Hold()
    model = Scripted(held(hold), says("1"), says("2"))
    async with runtime(tmp_path, model) as host:
        agent = await host.agent()
        agent.followup("running")
        await hold.reached.wait()
        agent.followup("waits")
        await stop(agent)
        assert len(model.requests) == 1
        assert len(agent.session.next_turn) == 1
        await host.say(agent, "go on")
        assert texts(agent.session.surface.messages())[1:] == ["waits", "1", "go on", "2"]


async def test_closing_an_agent_stops_it_and_leaves_a_sound_log(tmp_path: Path) -> None:
    hold = Hold()
    async with runtime(tmp_path, Scripted(held(hold))) as host:
        agent = await host.agent()
        agent.followup("go")
        await hold.reached.wait()
        await host.agents.close(agent.id)
        assert host.agents.get(agent.id) is None
        stored = await host.sessions.inspect(agent.id)
        assert stored.open_turn is None
        assert stored.ended == "aborted"
