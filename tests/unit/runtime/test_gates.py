"""Policies, people and guards between a call and its body."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.kernel import Next
from dsh.runtime.tools import (
    EXECUTE,
    GUARD,
    PRE_EXECUTE,
    Ask,
    Deny,
    Execution,
    GateDecision,
    Outcome,
)
from dsh.seams.approval import Answer, Approvals
from support.agents import Echo, code, results, runtime, text
from support.scripted import Scripted, calls, says

pytestmark = pytest.mark.anyio


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
