"""A program killed between any two events of a turn leaves a session that goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from dsh.data.events import Event
from dsh.runtime.session import SessionAppended
from dsh.runtime.tools import Execution, Outcome
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Scripted, calls, says, texts

PROMPT = "do it"
EVENTS = 23  # of the whole turn


def script() -> Scripted:
    both = calls(("echo", {"word": "one"}), ("echo", {"word": "two"}))
    return Scripted(both, says("ready"))


def noting(folder: Path) -> Echo:
    async def body(word: str, _: Execution) -> Outcome:
        with (folder / "ran").open("a") as file:
            file.write(f"{word}\n")
        return Outcome(f"did {word}")

    return Echo(body)


async def until_killed(folder: Path, seq: int) -> None:
    """Work until event ``seq`` is in the file, then die in the middle of the loop."""

    def die(fact: SessionAppended) -> None:
        if fact.event.seq == seq:
            path = fact.session.path
            while not path.exists() or path.read_bytes().count(b"\n") < seq + 2:
                time.sleep(0.001)  # the loop stands still; only the writer goes on
            os.kill(os.getpid(), signal.SIGKILL)

    async with runtime(folder, script(), tool=noting(folder)) as host:
        with host.events.on(SessionAppended, die):
            agent = await host.agent()
            await host.say(agent, PROMPT)


def killed_at(folder: Path, seq: int) -> None:
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(until_killed(folder, seq))
        finally:
            os._exit(1)  # it was to be killed: never go on as a second test run
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the turn ended before that event"
    assert os.WTERMSIG(status) == signal.SIGKILL


async def whole_turn(folder: Path) -> int:
    async with runtime(folder, script(), tool=noting(folder)) as host:
        agent = await host.agent()
        await host.say(agent, PROMPT)
        return agent.session.tip + 1


def test_every_event_of_the_turn_is_tried(tmp_path: Path) -> None:
    assert asyncio.run(whole_turn(tmp_path)) == EVENTS


async def go_on(folder: Path) -> tuple[list[Event], list[str]]:
    """Resume the only session, work off its queue and say one thing more."""
    model = Scripted(endless=lambda: says("fine"))
    async with runtime(folder, model, tool=noting(folder)) as host:
        (log,) = folder.rglob("log.jsonl")
        agent = await host.agents.resume(log.parent.name)
        assert not model.requests
        if agent.resume_queue():
            await agent.idle()
        await host.say(agent, "go on")
        return await log_of(agent.session), texts(model.requests[-1].messages)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("seq", range(EVENTS))
def test_after_a_kill_nothing_is_lost_and_nothing_runs_twice(
    tmp_path: Path, seq: int
) -> None:
    killed_at(tmp_path, seq)
    ran = tmp_path / "ran"
    before = ran.read_text() if ran.exists() else ""
    events, sent = asyncio.run(go_on(tmp_path))
    assert (ran.read_text() if ran.exists() else "") == before
    assert sent.count(PROMPT) == 1
    assert sent[-1] == "go on"
    called = [e.data["callId"] for e in events if e.type == "tool/call"]
    answered = [e for e in events if e.type == "tool/result"]
    errors = {e.data["error"]["code"] for e in answered if "error" in e.data}
    assert errors <= {"TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"}
    assert len(called) <= len(answered)
    assert kinds(events)[-1] == "turn/end"
