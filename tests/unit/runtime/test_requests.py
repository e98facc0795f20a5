"""Failed requests, other routes, and the header that the log holds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh.data.events.vocabulary import RequestConfig
from dsh.kernel import Next
from dsh.runtime.agent import AgentError
from dsh.runtime.loop import REQUEST, PreRequest
from dsh.runtime.models import STREAM, Chunks, ModelCall, Route
from dsh.seams.llm import Models, RetryPolicy
from dsh_plugins.retry import retry
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Scripted, calls, fails, says, texts

pytestmark = pytest.mark.anyio


async def test_a_lost_connection_repeats_the_request_and_no_tool(tmp_path: Path) -> None:
    lost = fails("TRANSPORT", {"type": "text-delta", "index": 0, "text": "partial"})
    tool = Echo()
    model = Scripted(calls(("echo", {"word": "x"})), lost, says("whole"))
    async with runtime(tmp_path, model, retry, tool=tool) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
        assert texts(agent.session.surface.messages()) == ["go", "", "x", "whole"]
    assert tool.ran == ["x"]
    order = [k for k in kinds(events) if k.startswith(("llm/", "step/"))]
    assert order == [
        "step/start",
        "step/end",
        "step/start",
        "llm/retry",
        "llm/retry-started",
        "step/end",
    ]
    answer = [event for event in events if event.type == "assistant/message"][-1]
    chunks = [event for event in events if event.type == "assistant/chunk"]
    assert answer.source_event_seqs is not None
    assert len(answer.source_event_seqs) == len(says("whole"))
    assert chunks[-1].seq == answer.source_event_seqs[-1]


async def test_retries_are_bounded_and_the_failure_stands_in_the_log(
    tmp_path: Path,
) -> None:
    model = Scripted(endless=lambda: fails("RATE_LIMIT"))
    errors: list[AgentError] = []
    async with runtime(tmp_path, model, retry) as host:
        model.retry = RetryPolicy(base_ms=1, max_ms=2, max_retries=3)
        agent = await host.agent()
        with host.events.on(AgentError, errors.append):
            await host.say(agent, "go")
        events = await log_of(agent.session)
    assert len(model.requests) == 4
    retries = [event.data for event in events if event.type == "llm/retry"]
    assert [data["retry"] for data in retries] == [1, 2, 3]
    assert [data["maxRetries"] for data in retries] == [3, 3, 3]
    reason = events[-1].data["reason"]
    assert (reason["kind"], reason["error"]["code"]) == ("error", "RATE_LIMIT")
    assert [error.failure["code"] for error in errors] == ["RATE_LIMIT"]


async def test_a_failed_turn_can_be_asked_again_without_a_new_prompt(
    tmp_path: Path,
) -> None:
    async with runtime(tmp_path, Scripted(fails("AUTH"), says("now"))) as host:
        agent = await host.agent()
        assert not agent.retry()
        await host.say(agent, "go")
        agent.followup("queued")
        agent.cancel()
        host.model.script.append(says("then"))
        assert agent.retry()
        await agent.idle()
        shown = texts(agent.session.surface.messages())
    assert shown == ["go", "now", "queued", "then"]


async def test_an_error_leaves_the_rest_of_the_queue_alone(tmp_path: Path) -> None:
    model = Scripted(fails("AUTH"))
    async with runtime(tmp_path, model) as host:
        agent = await host.agent()
        agent.followup("one")
        agent.followup("two")
        await agent.idle()
        assert len(model.requests) == 1
        assert texts(agent.session.next_turn) == ["two"]


async def test_a_route_without_a_provider_fails_with_a_code(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        agent.select(Route("gone", "model"))
        await host.say(agent, "hi")
        events = await log_of(agent.session)
        assert events[-1].data["reason"]["error"]["code"] == "NO_ADAPTER"
        agent.select(Route("scripted", "model"))
        await host.say(agent, "hi again")
        assert texts(agent.session.surface.messages())[-1] == "ok"


async def test_a_provider_that_raises_is_a_failure_of_the_request(tmp_path: Path) -> None:
    async def explode() -> None:
        raise ValueError("a bug in the provider")

    async with runtime(tmp_path, Scripted([explode], says("ok"))) as host:
        agent = await host.agent()
        await host.say(agent, "hi")
        events = await log_of(agent.session)
        error = events[-1].data["reason"]["error"]
        assert error == {"code": "UNKNOWN", "message": "a bug in the provider"}
        await host.say(agent, "hi again")


async def test_another_model_is_a_change_of_the_header(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("1"), says("2"), says("3"))) as host:
        agent = await host.agent()
        await host.say(agent, "a")
        agent.select(Route("scripted", "other", "high"))
        await host.say(agent, "b")
        await host.say(agent, "c")
        session_id = agent.id
        events = await log_of(agent.session)
        await host.agents.close(session_id)
        again = await host.agents.resume(session_id)
        assert again.route == Route("scripted", "other", "high")
    headers = [event.data for event in events if event.type == "request/header"]
    assert [data["reason"] for data in headers] == ["initial", "change"]
    assert headers[1]["header"]["config"] == {
        "provider": "scripted",
        "model": "other",
        "reasoningEffort": "high",
    }
    contexts = [e.data["model"] for e in events if e.type == "request/context"]
    assert contexts == ["model", "other"]
    assert host.model.requests[1].system.endswith("as other.")


async def test_a_policy_may_change_the_settings_and_the_log_knows(tmp_path: Path) -> None:
    async def cooler(
        draft: PreRequest, call_next: Next[PreRequest, RequestConfig]
    ) -> RequestConfig:
        return {**await call_next(draft), "temperature": 0.5}

    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        with host.events.wrap(REQUEST, cooler):
            await host.say(agent, "hi")
        header = agent.session.request_header
    assert host.model.requests[0].temperature == 0.5
    assert header is not None
    assert header["config"]["temperature"] == 0.5


async def test_a_request_that_differs_from_the_log_never_leaves(tmp_path: Path) -> None:
    async def sneak(call: ModelCall, call_next: Next[ModelCall, Chunks]) -> Chunks:
        call.request.messages = call.request.messages[:-1]
        return await call_next(call)

    async with runtime(tmp_path, Scripted()) as host:
        agent = await host.agent()
        with host.events.wrap(STREAM, sneak):
            await host.say(agent, "hi")
        events = await log_of(agent.session)
    assert events[-1].data["reason"]["error"]["code"] == "REQUEST_NOT_LOGGED"
    assert not host.model.requests


async def test_call_ids_are_unique_in_a_session(tmp_path: Path) -> None:
    model = Scripted(calls(("echo", {})), calls(("echo", {}), ("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=Echo()) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
    ids = [event.data["callId"] for event in events if event.type == "tool/call"]
    assert len(set(ids)) == 3


async def test_sessions_wait_independently_of_each_other(tmp_path: Path) -> None:
    started = asyncio.Event()
    hold = asyncio.Event()

    async def wait() -> None:
        started.set()
        await hold.wait()

    model = Scripted([wait, *says("slow")], says("fast"))
    async with runtime(tmp_path, model) as host:
        slow, fast = await host.agent(), await host.agent()
        slow.followup("a")
        await started.wait()
        await host.say(fast, "b")
        assert texts(fast.session.surface.messages())[-1] == "fast"
        assert slow.status == "running"
        hold.set()
        await slow.idle()
        assert host.root.get(Models).get("scripted") is model
