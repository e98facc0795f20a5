"""SIGKILL at any point of a turn: nothing is lost, run twice, or left alive."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest

from support.program import DSH, environment, run_dsh
from support.scripted_model import Reply, calls, chunk, event, says, tool_call
from support.served import Scripting, Served, bash, results_of, served
from support.stored import endings, events, kinds, only_log
from support.waiting import gone, marked_sleep, running, until


class Killing:
    """A run that is going to be killed, and what remains of it."""

    def __init__(self, root: Path, model: Served, *words: str) -> None:
        self.home, self.work = root / "home", root / "work"
        self.work.mkdir()
        self.model = model
        self.process = subprocess.Popen(
            [*DSH, "run", "-w", str(self.work), *words, "go"],
            env=environment(self.home, **model.variables),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def log(self) -> Path:
        return only_log(self.home)

    def reaches(self, type_: str, count: int = 1) -> None:
        """Wait until the log holds so many events of a type."""

        def enough() -> bool:
            sessions = self.home / "desktop" / "sessions"
            found = list(sessions.rglob("log.jsonl")) if sessions.exists() else []
            return bool(found) and len(kinds(found[0], type_)) >= count

        until(enough, type_)

    def kill(self) -> None:
        """As a crash would; and nothing of it survives."""
        family = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.wait(10)
        assert gone(family, 5), "a child survived"

    def go_on(self, *words: str) -> None:
        """The next run on the same session is accepted by a strict server."""
        before = self.log.read_bytes()
        session = self.log.parent.name
        done = run_dsh(
            *("run", "--session", session, *words, "go on"),
            home=self.home,
            env=self.model.variables,
        )
        assert done.returncode == 0, done.stderr
        assert self.model.refusals == []
        whole = before[: before.rindex(b"\n") + 1]
        assert self.log.read_bytes().startswith(whole), "what was there was changed"
        verified = run_dsh("session", "verify", home=self.home)
        assert verified.returncode == 0, verified.stdout


@contextmanager
def killing(root: Path, model: Served, *words: str) -> Iterator[Killing]:
    run = Killing(root, model, *words)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.wait(10)


def test_in_a_command(tmp_path: Path) -> None:
    sleep = marked_sleep()
    command = f"echo x >> log; {sleep}"
    script = Scripting(calls(bash(command)), says("I see."))
    with served(script) as model, killing(tmp_path, model) as run:
        until(lambda: running(sleep), "the command")
        sleeping = running(sleep)
        run.kill()
        assert gone(sleeping, 5)
        run.go_on()
        [told] = results_of(model.chats[-1])
    assert "unknown" in told
    assert (run.work / "log").read_text() == "x\n"
    [result] = kinds(run.log, "tool/result")
    assert result["data"]["error"]["code"] == "TOOL_OUTCOME_UNKNOWN"
    assert endings(run.log) == ["interrupted", "completed"]


def test_in_the_first_of_several_commands(tmp_path: Path) -> None:
    sleep = marked_sleep()
    wanted = [
        bash(f"echo x >> log; {sleep}", "c1"),
        bash("echo y >> log", "c2"),
        bash("echo z >> log", "c3"),
    ]
    script = Scripting(calls(*wanted), says("I see."))
    with served(script) as model, killing(tmp_path, model) as run:
        until(lambda: running(sleep), "the command")
        run.kill()
        run.go_on()
        assert len(results_of(model.chats[-1])) == 3
    assert (run.work / "log").read_text() == "x\n"
    codes = [e["data"]["error"]["code"] for e in kinds(run.log, "tool/result")]
    assert codes == ["TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED", "TOOL_NOT_STARTED"]


def test_after_a_command_whose_result_is_known(tmp_path: Path) -> None:
    """The result was acknowledged: it is told as it was, and nothing runs again."""
    with served() as model:
        gate = model.gate()
        replies = Scripting(
            calls(bash("echo x >> log; cat log")), Reply(gate), says("Ok.")
        )
        model.answer(replies)
        with killing(tmp_path, model) as run:
            until(gate.reached.is_set, "the second request")
            run.kill()
            run.go_on()
            [told] = results_of(model.chats[-1])
            assert told == "x"
    assert (run.work / "log").read_text() == "x\n"
    assert endings(run.log) == ["interrupted", "completed"]


def test_before_the_first_token(tmp_path: Path) -> None:
    with served() as model:
        gate = model.gate()
        model.answer(Scripting(Reply(gate), says("Here I am.")))
        with killing(tmp_path, model) as run:
            until(gate.reached.is_set, "the request")
            run.kill()
            run.go_on()
            told = [(m["role"], m["content"]) for m in model.chats[-1].messages[1:]]
    assert [role for role, _ in told] == ["user"] * len(told)
    # Nothing was lost and nothing is asked twice; the rest is context.
    assert [text for _, text in told if text.startswith("go")] == ["go", "go on"]


@pytest.mark.parametrize("kept", ["half a thought", ""])
def test_in_the_middle_of_an_answer(tmp_path: Path, kept: str) -> None:
    with served() as model:
        gate = model.gate()
        delta = {"content": kept} if kept else {"reasoning_content": "hm"}
        streaming = Reply(event(chunk(delta)), gate)
        model.answer(Scripting(streaming, says("Again.")))
        with killing(tmp_path, model) as run:
            run.reaches("assistant/chunk")
            until(gate.reached.is_set, "the stream")
            until(lambda: _seen(run.log, kept or "hm"), "the delta in the log")
            run.kill()
            run.go_on()
            answers = [m for m in model.chats[-1].messages if m["role"] == "assistant"]
    assert [kept in m["content"] for m in answers] == ([True] if kept else [])
    interrupted = [
        e["data"].get("interrupted") for e in kinds(run.log, "assistant/message")
    ]
    assert interrupted == [True, None] or (not kept and interrupted == [None])


def _seen(log: Path, text: str) -> bool:
    return any(text in str(event["data"]) for event in kinds(log, "assistant/chunk"))


def test_in_half_a_tool_call(tmp_path: Path) -> None:
    with served() as model:
        gate = model.gate()
        half = tool_call("bash", '{"command": "touch never", "descr')
        streaming = Reply(event(chunk({"tool_calls": [half]})), gate)
        model.answer(Scripting(streaming, says("Again.")))
        with killing(tmp_path, model) as run:
            until(lambda: run.home.exists() and gate.reached.is_set(), "the stream")
            until(lambda: _seen(run.log, "touch never"), "the call in the log")
            run.kill()
            run.go_on()
            assert results_of(model.chats[-1]) == []
    assert not (run.work / "never").exists()
    assert kinds(run.log, "tool/call") == []


def _has(log: Path, count: int, process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is not None or len(events(log)) >= count


def test_many_times_over(tmp_path: Path) -> None:
    """Killed wherever it happens to be, again and again, one session stays sound."""
    command = "echo x >> log"
    answers = 0

    def script(_: object) -> Reply:
        nonlocal answers
        answers += 1
        if answers % 3 == 0:
            return says("Done.")
        return calls(bash(command, f"call_{answers}"))

    with served(script) as model, killing(tmp_path, model) as run:
        assert run.process.wait(20) == 0
        session = run.log.parent.name
        for round_ in range(12):
            process = subprocess.Popen(
                [*DSH, "run", "--session", session, "more"],
                env=environment(run.home, **model.variables),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            # Another point of its life each time, counted in events and not in time.
            wanted = len(events(run.log)) + 1 + 3 * round_
            until(partial(_has, run.log, wanted, process), "the next event")
            process.kill()
            process.wait(10)
        answers = 2  # the next answer ends its turn
        run.go_on()
        assert model.refusals == []
    lines = (run.work / "log").read_text().count("x\n")
    results = kinds(run.log, "tool/result")
    failed = [e["data"]["error"]["code"] for e in results if "error" in e["data"]]
    assert set(failed) <= {"TOOL_OUTCOME_UNKNOWN", "TOOL_NOT_STARTED"}
    unsure = failed.count("TOOL_OUTCOME_UNKNOWN")
    assert len(results) - len(failed) <= lines <= len(results) - len(failed) + unsure
