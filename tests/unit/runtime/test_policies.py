"""Checkpoints, deadlines, delays and titles."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh.errors import DataError
from dsh.runtime.session import Session
from dsh.runtime.tools import Execution, Outcome
from dsh.seams.llm import RetryPolicy
from dsh_plugins.checkpoint import checkpoint
from dsh_plugins.retry.policy import Attempts, delay_of
from dsh_plugins.timeouts import timeouts
from dsh_plugins.titles import titles
from dsh_plugins.titles.fallback import fallback_title
from support.agents import Echo, kinds, log_of, runtime
from support.scripted import Scripted, calls, says

pytestmark = pytest.mark.anyio


class Flushes:
    """Notes what was in the log at each barrier; some of them fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fail_at: int = 0) -> None:
        self.last: list[str] = []
        real = Session.flush

        async def flush(session: Session) -> None:
            await real(session)
            events = await session.read(session.tip, 1)
            self.last.append(events[0].type)
            if len(self.last) == fail_at:
                raise DataError("the disk is gone", code="SESSION_WRITE_FAILED")

        monkeypatch.setattr(Session, "flush", flush)


async def test_the_log_is_on_disk_before_anything_leaves_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, checkpoint, tool=Echo()) as host:
        flushes = Flushes(monkeypatch)
        agent = await host.agent()
        await host.say(agent, "go")
    assert flushes.last == ["turn/start", "request/context", "tool/call", "step/start"]


@pytest.mark.parametrize("fail_at", [1, 2, 3])
async def test_a_log_that_cannot_be_written_blocks_what_would_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail_at: int
) -> None:
    tool = Echo()
    model = Scripted(calls(("echo", {"word": "x"})), says("ok"))
    async with runtime(tmp_path, model, checkpoint, tool=tool) as host:
        Flushes(monkeypatch, fail_at)
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
    assert tool.ran == []
    assert len(model.requests) == (0 if fail_at < 3 else 2)
    if fail_at == 3:
        (result,) = [event for event in events if event.type == "tool/result"]
        assert result.data["error"]["code"] == "SESSION_WRITE_FAILED"
    else:
        error = events[-1].data["reason"]["error"]
        assert error["code"] == "SESSION_WRITE_FAILED"


async def test_a_tool_is_stopped_at_its_own_deadline_only(tmp_path: Path) -> None:
    async def body(word: str, _: Execution) -> Outcome:
        if word == "slow":
            await asyncio.Event().wait()
        if word == "own":
            raise TimeoutError("the server did not answer")
        return Outcome("in time")

    tool = Echo(body)
    tool.timeout = 0.02
    words = [("echo", {"word": word}) for word in ("slow", "own", "fast")]
    async with runtime(
        tmp_path, Scripted(calls(*words), says("ok")), timeouts, tool=tool
    ) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        events = await log_of(agent.session)
    codes = [
        e.data.get("error", {}).get("code") for e in events if e.type == "tool/result"
    ]
    assert codes == ["TOOL_TIMEOUT", "UNKNOWN", None]


def delays(policy: RetryPolicy, code: str = "SERVER", **failure: int) -> list[int | None]:
    attempts = Attempts((1, 1, "p"))
    found: list[int | None] = []
    for _ in range(7):
        fact = {"code": code, "message": "", **failure}
        delay = delay_of(policy, fact, attempts, visible=False, chance=0.5)  # type: ignore[arg-type]  # built of parts
        found.append(delay)
        attempts.count += 1
    return found


def test_delays_double_up_to_their_limit_and_end() -> None:
    policy = RetryPolicy(base_ms=500, max_ms=3_000, max_retries=5)
    assert delays(policy) == [500, 1000, 2000, 3000, 3000, None, None]
    assert delays(policy, "AUTH") == [None] * 7
    always = RetryPolicy(mode="always", base_ms=500, max_ms=3_000)
    assert delays(always, "AUTH")[-1] == 3_000


def test_what_the_provider_asks_for_is_obeyed_or_the_request_fails() -> None:
    policy = RetryPolicy(max_ms=10_000)
    patient = delays(policy, "RATE_LIMIT", providerRetryAfterMs=2_000)[:5]
    assert all(delay is not None and 2_000 <= delay <= 2_200 for delay in patient)
    assert delays(policy, "RATE_LIMIT", providerRetryAfterMs=60_000)[0] is None


def test_sessions_that_failed_together_do_not_come_back_together() -> None:
    attempts = Attempts((1, 1, "p"))
    for failure in ({}, {"providerRetryAfterMs": 2_000}):
        found = {
            delay_of(
                RetryPolicy(),
                {"code": "RATE_LIMIT", "message": "", **failure},  # type: ignore[typeddict-item]  # built of parts
                attempts,
                visible=False,
                chance=chance / 3,
            )
            for chance in range(3)
        }
        assert len(found) == 3


def test_a_stream_that_ended_early_is_asked_for_once_more_if_something_was_seen() -> None:
    attempts = Attempts((1, 1, "p"))
    closed = {"code": "STREAM_CLOSED", "message": ""}

    def again(*, visible: bool) -> bool:
        delay = delay_of(RetryPolicy(), closed, attempts, visible=visible, chance=0)  # type: ignore[arg-type]  # a failure
        return delay is not None

    assert again(visible=False)
    assert again(visible=True)
    attempts.broken = 1
    assert again(visible=False)
    assert not again(visible=True)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("fix the login page please now", "fix the login page please"),
        ("  one\n\ttwo  ", "one two"),
        ("\x1b[31mred\x1b[0m \x1b]0;evil\x07text\u202e\u200b!", "red text!"),
        ("修复登录页面的样式问题并添加测试用例", "修复登录页面的样式问题并添"),
        ("a" * 60, "a" * 40),
        (
            "write internationalisation documentations quickly",
            "write internationalisation",
        ),
        ("é" * 3 + "e\u0301" * 20, "é" * 3 + "e\u0301" * 11),
        ("\u200b\x00", ""),
    ],
)
def test_a_first_title_is_made_of_the_words_of_the_prompt(
    prompt: str, title: str
) -> None:
    made = fallback_title(prompt, max_words=5, max_bytes=40)
    assert made == title
    assert len(made.encode()) <= 40


async def test_a_session_gets_one_title_from_its_first_prompt(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("1"), says("2")), titles) as host:
        agent = await host.agent()
        await host.say(agent, "tidy up")
        await host.say(agent, "something else")
        assert agent.session.title == "tidy up"
        events = await log_of(agent.session)
    (event,) = [event for event in events if event.type == "session/title"]
    assert [events[seq].type for seq in event.data["messageSeqs"]] == ["user/message"]
    assert kinds(events).index("session/title") < kinds(events).index("request/header")
