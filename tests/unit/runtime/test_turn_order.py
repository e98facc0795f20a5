"""The order of events in the log is the contract between runtime and everybody else."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from dsh.runtime.tools import Execution, Outcome
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Scripted, calls, says, texts

pytestmark = pytest.mark.anyio


async def test_a_turn_with_two_overlapping_calls_is_logged_in_the_order_of_the_model(
    tmp_path: Path,
) -> None:
    second_done = asyncio.Event()

    async def body(word: str, _: Execution) -> Outcome:
        if word == "first":
            await second_done.wait()  # the first call cannot end before the second
        else:
            second_done.set()
        return Outcome(f"{word} done", meta={"word": word})

    tool = Echo(body, parallel=True)
    model = Scripted(
        calls(("echo", {"word": "first"}), ("echo", {"word": "second"})), says("ready")
    )
    async with runtime(tmp_path, model, tool=tool) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
    assert kinds(events) == [
        "agent/inbox/spliced",
        "turn/start",
        "agent/inbox/spliced",
        "step/start",
        "user/message",
        "request/header",
        "request/context",
        "assistant/message",
        "tool/call",
        "tool/call",
        "tool/result",
        "tool/result",
        "step/end",
        "step/start",
        "assistant/message",
        "step/end",
        "turn/end",
    ]
    results = [event for event in events if event.type == "tool/result"]
    assert [event.data["meta"]["word"] for event in results] == ["first", "second"]
    assert events[-1].data == {"turn": 1, "reason": {"kind": "completed"}}
    assert texts(model.requests[1].messages) == ["go", "", "first done", "second done"]


async def test_an_answer_cites_its_chunks_and_carries_its_usage(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("hello"))) as host:
        agent = await host.agent()
        await host.say(agent, "hi")
        events = await log_of(agent.session)
    chunks = [event.seq for event in events if event.type == "assistant/chunk"]
    (answer,) = [event for event in events if event.type == "assistant/message"]
    assert answer.source_event_seqs == chunks
    assert answer.data["usage"] == {"inputTokens": 10, "outputTokens": 5}


async def test_the_prefix_of_requests_stays_the_same_also_after_a_restart(
    tmp_path: Path,
) -> None:
    rounds = [answer for _ in range(5) for answer in (calls(("echo", {})), says("ok"))]
    first = Scripted(*rounds)
    async with runtime(tmp_path, first, tool=Echo()) as host:
        agent = await host.agent()
        session_id = agent.id
        for number in range(5):
            await host.say(agent, f"prompt {number}")
    second = Scripted(says("again"))
    async with runtime(tmp_path, second, tool=Echo()) as host:
        agent = await host.agents.resume(session_id)
        await host.say(agent, "and now")
        events = await log_of(agent.session)
    requests = first.requests + second.requests
    for before, after in pairwise(requests):
        assert after.messages[: len(before.messages)] == before.messages
        assert (after.system, after.tools) == (before.system, before.tools)
    headers = [e.data["reason"] for e in events if e.type == "request/header"]
    assert headers == ["initial", "resume"]
