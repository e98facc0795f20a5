"""A model that goes wrong again and again: every turn ends, with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh.runtime.agent import AgentsConfig
from dsh_plugins.repeat_reminder import repeat_reminder
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Answer, Scripted, calls, cut, says, texts

pytestmark = pytest.mark.anyio


async def test_a_call_cut_off_by_the_limit_is_never_run_and_the_model_hears_why(
    tmp_path: Path,
) -> None:
    tool = Echo()
    model = Scripted(cut("echo", '{"word": "half of it'), says("in pieces then"))
    async with runtime(tmp_path, model, tool=tool) as host:
        agent = await host.agent()
        await host.say(agent, "write it")
        events = await log_of(agent.session)
        assert agent.session.ended == "completed"
    assert tool.ran == []
    (result,) = [event for event in events if event.type == "tool/result"]
    assert result.data["error"]["code"] == "OUTPUT_LIMIT"
    assert "output limit" in texts([result.data["message"]])[0]
    (call,) = [event for event in events if event.type == "tool/call"]
    assert call.data["arguments"] == '{"word": "half of it'


async def test_an_answer_cut_off_three_times_ends_the_turn_with_an_explanation(
    tmp_path: Path,
) -> None:
    model = Scripted(endless=lambda: cut("echo", '{"word": "x'))
    async with runtime(tmp_path, model, tool=Echo()) as host:
        agent = await host.agent()
        await host.say(agent, "write it")
        reason = (await log_of(agent.session))[-1].data["reason"]
        assert len(model.requests) == 3
        assert reason["error"]["code"] == "OUTPUT_LIMIT"
        assert "cut off" in reason["error"]["message"]
        model.script.append(says("smaller"))
        await host.say(agent, "try smaller")
        assert texts(agent.session.surface.messages())[-1] == "smaller"


async def test_prose_cut_off_by_the_limit_ends_the_turn_as_such(tmp_path: Path) -> None:
    chunks = says("half a sent")
    chunks[-1] = {"type": "finish", "reason": "max-tokens"}
    async with runtime(tmp_path, Scripted(chunks)) as host:
        agent = await host.agent()
        await host.say(agent, "talk")
        assert agent.session.ended == "max-tokens"


@pytest.mark.parametrize(
    ("answer", "because"),
    [
        (lambda: calls(("nope", {})), "a tool that does not exist (nope)"),
        (lambda: calls(("echo", {"word": 1})), "called echo with wrong arguments"),
        (lambda: calls(("echo", {"word": "ls"})), "made the same call to echo"),
    ],
    ids=["unknown tool", "wrong arguments", "same call"],
)
async def test_endless_repetition_is_told_and_then_stopped_with_its_reason(
    tmp_path: Path, answer: Callable[[], Answer], because: str
) -> None:
    model = Scripted(endless=answer)
    async with runtime(tmp_path, model, repeat_reminder, tool=Echo()) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
        reason = events[-1].data["reason"]
        assert reason["kind"] == "blocked"
        assert because in reason["reason"]["reason"]
        assert len(model.requests) == 10
        notices = [t for t in texts(agent.session.surface.messages()) if "in a row" in t]
        assert len(notices) == 3
        model.script.append(says("sorry"))
        await host.say(agent, "stop that")
        assert texts(agent.session.surface.messages())[-1] == "sorry"


async def test_different_calls_are_no_repetition(tmp_path: Path) -> None:
    number = 0

    def another() -> Answer:
        nonlocal number
        number += 1
        return says("done") if number > 20 else calls(("echo", {"word": str(number % 2)}))

    model = Scripted(endless=another)
    async with runtime(tmp_path, model, repeat_reminder, tool=Echo()) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        assert agent.session.ended == "completed"
        shown = texts(agent.session.surface.messages())
    assert not any("in a row" in text for text in shown)


async def test_a_turn_has_a_last_step(tmp_path: Path) -> None:
    model = Scripted(endless=lambda: calls(("echo", {})))
    config = AgentsConfig(max_steps=4)
    async with runtime(tmp_path, model, tool=Echo(), config=config) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
    assert kinds(events).count("step/start") == 4
    assert "4 steps" in events[-1].data["reason"]["reason"]["reason"]
