"""What a person and a plugin may put into the queue, and when it is used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh.data.ids import new_message_id
from dsh.data.messages import Message, text_block
from dsh.kernel import Next
from dsh.runtime.agent import AgentClosed, AgentStatus, InboxChanged
from dsh.runtime.loop import PRE_STEP, TURN_STOPPING, PreStep, Reject, TurnStopping
from dsh.runtime.loop.hooks import StepDecision
from dsh.runtime.prompt import Context, Contexts
from dsh.runtime.tools import Execution, Outcome
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Scripted, calls, says, texts

pytestmark = pytest.mark.anyio


def note(text: str) -> Message:
    return {
        "id": new_message_id(),
        "role": "user",
        "content": [text_block(text)],
        "source": {"kind": "plugin", "plugin": "test", "form": "notice"},
    }


async def test_each_followup_gets_a_turn_of_its_own_in_order(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("1"), says("2"), says("3"))) as host:
        agent = await host.agent()
        for text in ("a", "b", "c"):
            agent.followup(text)
        await agent.idle()
        assert texts(agent.session.surface.messages()) == ["a", "1", "b", "2", "c", "3"]
        assert agent.session.turn == 3


async def test_a_steer_joins_the_running_turn_at_the_next_step(tmp_path: Path) -> None:
    started, go = asyncio.Event(), asyncio.Event()

    async def body(word: str, _: Execution) -> Outcome:
        started.set()
        await go.wait()
        return Outcome("done")

    model = Scripted(calls(("echo", {})), says("ok"), says("later"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        agent.followup("go")
        await started.wait()
        agent.followup("next turn")
        agent.steer("rather so")
        go.set()
        await agent.idle()
        shown = texts(agent.session.surface.messages())
    assert shown == ["go", "", "done", "rather so", "ok", "next turn", "later"]


async def test_a_steer_to_a_resting_agent_starts_a_turn(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        agent.steer("hello")
        await agent.idle()
        assert texts(agent.session.surface.messages()) == ["hello", "ok"]


async def test_injected_context_waits_for_the_next_wake(tmp_path: Path) -> None:
    model = Scripted(says("ok"))
    async with runtime(tmp_path, model) as host:
        agent = await host.agent()
        agent.inject(note("by the way"))
        await asyncio.sleep(0)
        assert agent.status == "idle"
        assert not model.requests
        await host.say(agent, "hello")
        assert texts(model.requests[0].messages) == ["by the way", "hello"]


async def test_a_prompt_after_the_last_look_at_the_queue_is_not_lost(
    tmp_path: Path,
) -> None:
    async with runtime(tmp_path, Scripted(says("1"), says("2"))) as host:
        agent = await host.agent()

        def at_the_end(status: AgentStatus) -> None:
            if status.status == "idle" and len(host.model.requests) == 1:
                agent.followup("and")

        with host.events.on(AgentStatus, at_the_end):
            await host.say(agent, "go")
            await asyncio.wait_for(agent.idle(), 10)
        assert texts(agent.session.surface.messages()) == ["go", "1", "and", "2"]


async def test_queued_prompts_can_be_edited_removed_and_promoted(tmp_path: Path) -> None:
    started, go = asyncio.Event(), asyncio.Event()

    async def body(word: str, _: Execution) -> Outcome:
        started.set()
        await go.wait()
        return Outcome("done")

    model = Scripted(calls(("echo", {})), says("ok"), says("edited"))
    changes: list[InboxChanged] = []
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        with host.events.on(InboxChanged, changes.append):
            agent.followup("go")
            await started.wait()
            ids = [agent.followup(text)["id"] for text in ("one", "two", "three")]
            assert agent.edit(ids[1], "two, better")
            assert agent.remove(ids[0])
            assert agent.promote(ids[2])
            assert not agent.remove(ids[0])
            assert texts(agent.session.next_turn) == ["two, better"]
            assert texts(agent.session.next_step) == ["three"]
            go.set()
            await agent.idle()
        shown = texts(agent.session.surface.messages())
        removed = [
            event.data
            for event in await log_of(agent.session)
            if event.type == "agent/inbox/spliced" and "outcome" in event.data
        ]
    assert shown == ["go", "", "done", "three", "ok", "two, better", "edited"]
    assert [data["outcome"] for data in removed] == ["canceled"]
    assert len(changes) >= 8


async def test_an_edit_while_policies_think_about_the_prompt_counts(
    tmp_path: Path,
) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        sent: list[str] = []

        async def slow(
            draft: PreStep, call_next: Next[PreStep, StepDecision]
        ) -> StepDecision:
            agent.edit(sent[0], "new text")
            return await call_next(draft)

        with host.events.wrap(PRE_STEP, slow):
            sent.append(agent.followup("old text")["id"])
            await agent.idle()
        assert texts(agent.session.surface.messages()) == ["new text", "ok"]


async def test_a_prompt_removed_while_policies_think_about_it_asks_nothing(
    tmp_path: Path,
) -> None:
    async with runtime(tmp_path, Scripted()) as host:
        agent = await host.agent()

        async def slow(
            draft: PreStep, call_next: Next[PreStep, StepDecision]
        ) -> StepDecision:
            agent.remove(draft.messages[0]["id"])
            return await call_next(draft)

        state = Context(110, lambda _: "writable")
        with (
            host.root.get(Contexts).add("sandbox", state),
            host.events.wrap(PRE_STEP, slow),
        ):
            await host.say(agent, "never mind")
        assert not host.model.requests
        assert kinds(await log_of(agent.session))[-1] == "turn/end"
        assert not agent.session.surface.messages()


async def test_a_refused_prompt_ends_its_turn_with_the_reason(tmp_path: Path) -> None:
    async def refuse(_: PreStep, __: Next[PreStep, StepDecision]) -> StepDecision:
        return Reject("not today")

    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        with host.events.wrap(PRE_STEP, refuse):
            await host.say(agent, "do it")
        events = await log_of(agent.session)
        assert events[-1].data["reason"]["kind"] == "blocked"
        assert events[-1].data["reason"]["reason"]["reason"] == "not today"
        assert not agent.session.next_turn
        await host.say(agent, "then this")


async def test_a_policy_may_prolong_a_turn_that_was_about_to_end(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("1"), says("2"))) as host:
        agent = await host.agent()

        async def once_more(
            stopping: TurnStopping, call_next: Next[TurnStopping, None]
        ) -> None:
            await call_next(stopping)
            if len(host.model.requests) == 1:
                stopping.agent.steer("and check it")

        with host.events.wrap(TURN_STOPPING, once_more):
            await host.say(agent, "do it")
        assert agent.session.turn == 1
        assert texts(agent.session.surface.messages())[2:] == ["and check it", "2"]


async def test_a_resumed_session_sends_nothing_by_itself(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted()) as host:
        agent = await host.agent()
        agent.followup("left over")
        agent.cancel()
        session_id = agent.id
    model = Scripted(says("ok"))
    async with runtime(tmp_path, model) as host:
        agent = await host.agents.resume(session_id)
        await agent.idle()
        assert not model.requests
        assert texts(agent.session.next_turn) == ["left over"]
        assert agent.resume_queue()
        await agent.idle()
        assert texts(agent.session.surface.messages()) == ["left over", "ok"]


async def test_a_session_has_one_agent_however_many_ask_for_it(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        await host.say(agent, "hi")
        await host.agents.close(agent.id)
        with pytest.raises(AgentClosed):
            agent.followup("too late")
        several = await asyncio.gather(*(host.agents.resume(agent.id) for _ in range(5)))
        assert len(set(several)) == 1
        assert several[0] is host.agents.get(agent.id)
        assert host.agents.live() == [several[0]]


async def test_what_a_person_steered_outlives_a_step_that_was_refused(
    tmp_path: Path,
) -> None:
    async def no_second(
        draft: PreStep, call_next: Next[PreStep, StepDecision]
    ) -> StepDecision:
        return Reject("enough") if draft.step > 1 else await call_next(draft)

    async def body(word: str, _: Execution) -> Outcome:
        agent.steer("and this")
        return Outcome("done")

    model = Scripted(calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        with host.events.wrap(PRE_STEP, no_second):
            await host.say(agent, "go")
        assert texts(agent.session.next_step) == ["and this"]
        assert agent.resume_queue()
        await agent.idle()
        assert texts(agent.session.surface.messages())[-2:] == ["and this", "ok"]


async def test_a_queue_can_be_thrown_away_with_the_turn(tmp_path: Path) -> None:
    reached = asyncio.Event()

    async def forever() -> None:
        reached.set()
        await asyncio.Event().wait()

    async with runtime(tmp_path, Scripted([forever])) as host:
        agent = await host.agent()
        agent.followup("go")
        await reached.wait()
        agent.followup("later")
        agent.inject(note("context"))
        agent.cancel({"kind": "parent"}, keep_inbox=False)
        await agent.idle()
        assert not agent.inbox
        assert not agent.resume_queue()
        reason = (await log_of(agent.session))[-1].data["reason"]
        assert reason == {"kind": "aborted", "reason": {"kind": "parent"}}
