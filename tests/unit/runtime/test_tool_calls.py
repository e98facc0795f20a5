"""What a call meets on its way, and what the model and the log read of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import BaseModel, Field

from dsh.data.events import Event
from dsh.kernel import Next, plugin
from dsh.runtime.agent import ToolOutput
from dsh.runtime.tools import (
    EXECUTE,
    GUARD,
    POST_EXECUTE,
    PRE_EXECUTE,
    Ask,
    Deny,
    Execution,
    GateDecision,
    Outcome,
    Settled,
    Tool,
    ToolError,
    Tools,
)
from dsh.runtime.tools.schema import schemas_of
from dsh.seams.approval import Answer, Approvals
from support.agents import Echo, Runtime, log_of, runtime
from support.scripted import Scripted, calls, says, texts

pytestmark = pytest.mark.anyio


async def results(host: Runtime, wait: float = 20) -> list[Event]:
    """The results of one turn of a new agent."""
    agent = await host.agent()
    await asyncio.wait_for(host.say(agent, "go"), wait)
    return [event for event in await log_of(agent.session) if event.type == "tool/result"]


def code(event: Event) -> str | None:
    error = event.data.get("error")
    return None if error is None else str(error["code"])


def text(event: Event) -> str:
    return texts([event.data["message"]])[0]


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


class Person(Approvals):
    """Somebody who answers as the test wants, after a look at what is asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.shown: list[dict[str, object]] = []

    async def request(
        self,
        session: object,
        tool: str,
        shown: dict[str, object],
        *,
        call_id: str | None = None,
        reason: str | None = None,
    ) -> Answer:
        self.shown.append(shown)
        return self.answer


async def ask(execution: Execution, call_next: Next[Execution, GateDecision]) -> Ask:
    await call_next(execution)
    return Ask({"title": execution.name, **execution.arguments})


@pytest.mark.parametrize(
    ("answer", "expected", "said"),
    [
        (Answer("allowed-once"), None, "x"),
        (Answer("rejected", "not here"), "APPROVAL_REJECTED", "not here"),
        (Answer("rejected"), "APPROVAL_REJECTED", "refused"),
        (Answer("cancelled"), "APPROVAL_CANCELLED", "withdrawn"),
        (Answer("unavailable"), "APPROVAL_UNAVAILABLE", "nobody"),
        (None, "APPROVAL_UNAVAILABLE", "nobody"),
    ],
)
async def test_what_a_person_must_allow_runs_only_when_allowed(
    tmp_path: Path, answer: Answer | None, expected: str | None, said: str
) -> None:
    person = Person(answer) if answer is not None else None
    tool = Echo()
    model = Scripted(calls(("echo", {"word": "x"})), says("ok"))
    services = ((Approvals, person),) if person is not None else ()
    async with runtime(tmp_path, model, tool=tool, services=services) as host:
        with host.events.wrap(PRE_EXECUTE, ask):
            (result,) = await results(host)
    assert code(result) == expected
    assert said in text(result)
    assert tool.ran == (["x"] if expected is None else [])
    if person is not None:
        assert person.shown == [{"title": "echo", "word": "x"}]


async def test_what_was_approved_is_what_runs(tmp_path: Path) -> None:
    async def tamper(
        execution: Execution, call_next: Next[Execution, Outcome]
    ) -> Outcome:
        execution.arguments["word"] = "something else"
        return await call_next(execution)

    tool = Echo()
    model = Scripted(calls(("echo", {"word": "approved"})), says("ok"))
    services = ((Approvals, Person(Answer("allowed-once"))),)
    async with runtime(tmp_path, model, tool=tool, services=services) as host:
        with host.events.wrap(PRE_EXECUTE, ask), host.events.wrap(EXECUTE, tamper):
            await results(host)
    assert tool.ran == ["approved"]


async def test_a_guard_refuses_also_what_a_person_allowed(tmp_path: Path) -> None:
    async def refuse(
        execution: Execution, call_next: Next[Execution, str | None]
    ) -> str | None:
        return await call_next(execution) or "never in this folder"

    async def overrule(_: Execution, __: Next[Execution, str | None]) -> None:
        return None

    tool = Echo()
    services = ((Approvals, Person(Answer("allowed-once"))),)
    model = Scripted(calls(("echo", {})), says("ok"), calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=tool, services=services) as host:
        with host.events.wrap(PRE_EXECUTE, ask):
            with host.events.wrap(GUARD, refuse):
                (refused,) = await results(host)
            with host.events.wrap(GUARD, overrule), host.events.wrap(GUARD, refuse):
                (kept,) = await results(host)
    assert (code(refused), text(refused)) == ("DENIED", "never in this folder")
    assert code(kept) == "DENIED"
    assert tool.ran == []


async def test_a_gate_that_breaks_keeps_the_door_shut(tmp_path: Path) -> None:
    async def broken(_: Execution, __: Next[Execution, GateDecision]) -> GateDecision:
        raise RuntimeError("no idea")

    async def deny(_: Execution, __: Next[Execution, GateDecision]) -> GateDecision:
        return Deny("not allowed here")

    tool = Echo()
    model = Scripted(calls(("echo", {})), says("ok"), calls(("echo", {})), says("ok"))
    async with runtime(tmp_path, model, tool=tool) as host:
        with host.events.wrap(PRE_EXECUTE, broken):
            (result,) = await results(host)
        with host.events.wrap(PRE_EXECUTE, deny):
            (denied,) = await results(host)
    assert text(result) == "Error: no idea"
    assert (code(denied), text(denied)) == ("DENIED", "not allowed here")
    assert tool.ran == []


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


class Nested(BaseModel):
    """An inner thing."""

    title: str = Field(description="what it is called")


class Given(BaseModel):
    """Never shown to a model."""

    title: str
    parts: list[Nested] = []
    count: int | None = None


class Other(Tool[Given]):
    """A tool with a richer schema."""

    name: ClassVar[str] = "other"
    description: ClassVar[str] = "Other."

    @property
    def arguments(self) -> type[Given]:
        return Given

    async def run(self, arguments: Given, execution: Execution) -> Outcome:
        return Outcome("")


def test_schemas_are_sorted_and_lose_only_made_up_titles() -> None:
    first, second = schemas_of({"other": Other(), "echo": Echo()})  # type: ignore[dict-item]  # tools of any arguments
    assert [first["name"], second["name"]] == ["echo", "other"]
    assert second["parameters"] == {
        "type": "object",
        "required": ["title"],
        "properties": {
            "title": {"type": "string"},
            "parts": {
                "type": "array",
                "default": [],
                "items": {"$ref": "#/$defs/Nested"},
            },
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "$defs": {
            "Nested": {
                "type": "object",
                "description": "An inner thing.",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string", "description": "what it is called"}
                },
            }
        },
    }


async def test_the_tools_of_a_turn_do_not_change_while_it_runs(tmp_path: Path) -> None:
    @plugin
    async def late(tools: Tools):  # type: ignore[no-untyped-def]  # noqa: ANN202  # made inside the test
        with tools.add("other", Other()):  # type: ignore[arg-type]  # a tool of any arguments
            yield

    async def body(word: str, execution: Execution) -> Outcome:
        if word == "load":
            mount = host.root.mount("late", late)
            await mount.settled()
        return Outcome("done")

    model = Scripted(calls(("echo", {"word": "load"})), says("1"), says("2"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        await host.say(agent, "a")
        await host.say(agent, "b")
    names = [[tool["name"] for tool in request.tools] for request in model.requests]
    assert names == [["echo"], ["echo"], ["echo", "other"]]
