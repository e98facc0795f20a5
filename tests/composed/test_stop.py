"""Stop really stops, and what was stopped can be gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.page import hosted
from support.program import run_dsh
from support.scripted_model import Reply, calls, chunk, event, says, tool_call
from support.served import Scripting, bash, results_of, served
from support.stored import endings, kinds
from support.waiting import gone, marked_sleep, running, until


def test_stop_ends_commands_and_what_was_to_follow(tmp_path: Path) -> None:
    sleep = marked_sleep()
    wanted = calls(bash(f"{sleep}; touch late1", "c1"), bash("touch late2", "c2"))
    script = Scripting(wanted, says("You stopped me."))
    with served(script) as model, hosted(tmp_path, model) as host:
        session = host.session()
        session.prompt("go")
        until(lambda: running(sleep), "the command")
        sleeping = running(sleep)
        session.call("cancel")
        session.idle(3)
        host.ended(1)
        assert gone(sleeping, 1)
        assert endings(host.log) == ["aborted"]
        codes = [e["data"]["error"]["code"] for e in kinds(host.log, "tool/result")]
        assert codes == ["ABORTED", "ABORTED_BEFORE_DISPATCH"]
        session.prompt("and now?")
        host.ended(2)
        assert endings(host.log)[-1] == "completed"
        assert model.refusals == []
        assert len(results_of(model.chats[1])) == 2
        assert not (host.work / "late1").exists()
        assert not (host.work / "late2").exists()


POINTS: dict[str, list[dict[str, object]]] = {
    "before the first token": [],
    "in reasoning only": [{"reasoning_content": "Let me think"}],
    "in text": [{"content": "Half a sen"}],
    "in half the arguments of a call": [
        {"tool_calls": [tool_call("bash", '{"command": "touch ne')]}
    ],
}


@pytest.mark.parametrize("point", POINTS)
def test_stop_in_an_answer_leaves_nothing_empty(tmp_path: Path, point: str) -> None:
    deltas = POINTS[point]
    with served() as model, hosted(tmp_path, model) as host:
        gate = model.gate()
        streaming = Reply(*[event(chunk(delta)) for delta in deltas], gate)
        model.answer(Scripting(streaming, says("One."), says("Two."), says("Three.")))
        session = host.session()
        session.prompt("go")
        until(gate.reached.is_set, "the stream")
        until(
            lambda: (
                not deltas
                or any(
                    "delta" in e["data"]["chunk"]["type"]
                    for e in kinds(host.log, "assistant/chunk")
                )
            ),
            "the delta",
        )
        session.call("cancel")
        session.idle(3)
        for number, text in enumerate(("a", "b", "c"), 2):
            session.prompt(text)
            host.ended(number)
        assert endings(host.log) == ["aborted", "completed", "completed", "completed"]
        assert model.refusals == []
        answers = [m for m in model.chats[-1].messages if m["role"] == "assistant"]
        kept = [m["content"] for m in answers]
        assert kept == [*(["Half a sen"] if point == "in text" else []), "One.", "Two."]
        assert not (host.work / "never").exists()
    assert run_dsh("session", "verify", home=host.home).returncode == 0


def test_stop_while_waiting_to_try_again(tmp_path: Path) -> None:
    busy = Reply(b"{}", status=429, headers={"retry-after": "9"})
    with served(lambda _: busy) as model, hosted(tmp_path, model) as host:
        session = host.session()
        session.prompt("go")
        until(lambda: kinds(host.log, "llm/retry"), "the wait")
        session.call("cancel")
        session.idle(2)
        host.ended(1)
        assert endings(host.log) == ["aborted"]
        assert len(model.chats) == 1


def test_stop_when_nothing_runs_is_no_harm(tmp_path: Path) -> None:
    with served(Scripting(says("Hello."))) as model, hosted(tmp_path, model) as host:
        session = host.session()
        session.call("cancel")
        session.prompt("hi")
        host.ended(1)
        session.call("cancel")
        session.call("cancel")
        assert endings(host.log) == ["completed"]


def test_sigterm_in_a_command_is_a_stop_too(tmp_path: Path) -> None:
    sleep = marked_sleep()
    script = Scripting(calls(bash(f"{sleep}; touch late", "c1")), says("Ok."))
    with served(script) as model:
        with hosted(tmp_path, model) as host:
            session = host.session()
            session.prompt("go")
            until(lambda: running(sleep), "the command")
            everything = [*host.program.family(), *running(sleep)]
            assert host.program.terminate() == 0
            assert gone(everything, 1)
        assert endings(host.log) == ["aborted"]
        with hosted(tmp_path, model) as host:
            [row] = host.client.call("session/list")["sessions"]
            assert row["status"] in ("idle", "failed")
        done = run_dsh(
            *("run", "--session", session.id, "go on"),
            home=host.home,
            env=model.variables,
        )
        assert done.returncode == 0, done.stderr
        assert model.refusals == []
