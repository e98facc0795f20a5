"""What a call meets on its way, and what the model and the log read of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dsh.kernel import Next
from dsh.runtime.agent import ToolOutput
from dsh.runtime.tools import (
    POST_EXECUTE,
    Execution,
    Outcome,
    Settled,
    ToolError,
)
from support.agents import Echo, code, results, runtime, text
from support.scripted import Scripted, calls, says

pytestmark = pytest.mark.anyio


async def test_an_unknown_tool_and_wrong_arguments_are_results_not_failures(
    tmp_path: Path,
) -> None:
    wanted = [
        ("nope", {}),
        ("echo", '{"word": '),
        ("echo", "[1]"),
        ("echo", {"word": {"no": 1}}),
    ]
    tool = Echo()
    model = Scripted(calls(*wanted), says("ok"))
    async with runtime(tmp_path, model, tool=tool) as host:
        found = await results(host)
    assert [code(event) for event in found] == ["UNKNOWN_TOOL", *["INVALID_ARGS"] * 3]
    assert "Available tools: echo" in text(found[0])
    assert "- word: Input should be a valid string" in text(found[3])
    assert tool.ran == []


async def test_bodies_overlap_only_when_every_one_is_safe(tmp_path: Path) -> None:
    running: set[str] = set()
    together: list[set[str]] = []

    async def body(word: str, _: Execution) -> Outcome:
        running.add(word)
        await asyncio.sleep(0.005)
        together.append(set(running))
        running.discard(word)
        return Outcome(word)

    words = [("echo", {"word": str(number)}) for number in range(4)]
    for parallel in (False, True):
        together.clear()
        model = Scripted(calls(*words), says("ok"))
        tool = Echo(body, parallel=parallel)
        async with runtime(tmp_path, model, tool=tool) as host:
            await results(host)
        assert max(map(len, together)) == (4 if parallel else 1)


async def test_no_more_than_ten_bodies_overlap(tmp_path: Path) -> None:
    running: set[str] = set()
    most = 0

    async def body(word: str, _: Execution) -> Outcome:
        nonlocal most
        running.add(word)
        most = max(most, len(running))
        await asyncio.sleep(0.002)
        running.discard(word)
        return Outcome(word)

    model = Scripted(calls(*[("echo", {"word": str(n)}) for n in range(25)]), says("ok"))
    async with runtime(tmp_path, model, tool=Echo(body, parallel=True)) as host:
        found = await results(host)
    assert most == 10
    assert [text(event) for event in found] == [str(number) for number in range(25)]


async def test_a_tool_that_fails_tells_the_model_why(tmp_path: Path) -> None:
    async def body(word: str, _: Execution) -> Outcome:
        if word == "known":
            raise ToolError("the disk is full", code="DISK_FULL")
        if word == "bug":
            raise ZeroDivisionError("1/0")
        return Outcome("exit 1", error_code="EXIT")

    wanted = [("echo", {"word": word}) for word in ("known", "bug", "marked")]
    async with runtime(
        tmp_path, Scripted(calls(*wanted), says("ok")), tool=Echo(body)
    ) as host:
        found = await results(host)
    assert [code(event) for event in found] == ["DISK_FULL", "UNKNOWN", "EXIT"]
    assert [text(event) for event in found] == [
        "Error: the disk is full",
        "Error: 1/0",
        "exit 1",
    ]
    assert found[1].data["error"]["name"] == "ZeroDivisionError"
    blocks = [event.data["message"]["content"][0] for event in found]
    assert [block["isError"] for block in blocks] == [True] * 3


async def test_the_last_hook_sees_and_may_change_every_result(tmp_path: Path) -> None:
    async def shorten(settled: Settled, call_next: Next[Settled, Settled]) -> Settled:
        final = await call_next(settled)
        outcome = Outcome(final.outcome.text[:5], meta={"cut": True})
        return Settled(final.execution, outcome, final.error_code)

    model = Scripted(calls(("echo", {"word": "0123456789"}), ("nope", {})), says("ok"))
    async with runtime(tmp_path, model, tool=Echo()) as host:
        with host.events.wrap(POST_EXECUTE, shorten):
            first, second = await results(host)
    assert (text(first), first.data["meta"]) == ("01234", {"cut": True})
    assert (text(second), code(second)) == ("Error", "UNKNOWN_TOOL")


async def test_card_data_that_is_not_json_does_not_cost_the_result(
    tmp_path: Path,
) -> None:
    async def body(word: str, _: Execution) -> Outcome:
        return Outcome("name \udcff", meta={"bad": object()})

    model = Scripted(calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        (result,) = await results(host)
    assert text(result) == "name ?"
    assert "meta" not in result.data


async def test_live_output_is_told_and_never_logged(tmp_path: Path) -> None:
    told: list[ToolOutput] = []

    async def body(word: str, execution: Execution) -> Outcome:
        execution.output("stdout", "line\n")
        return Outcome("done")

    model = Scripted(calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        with host.events.on(ToolOutput, told.append):
            (result,) = await results(host)
    assert [(output.stream, output.text) for output in told] == [("stdout", "line\n")]
    assert text(result) == "done"


async def test_a_result_may_end_the_turn(tmp_path: Path) -> None:
    async def body(word: str, _: Execution) -> Outcome:
        return Outcome("all done", concludes_turn=True)

    model = Scripted(calls(("echo", {})))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        await host.say(agent, "go")
        assert agent.session.ended == "completed"
    assert len(model.requests) == 1
