"""Models and servers that misbehave, through the whole program."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from support.program import run_dsh
from support.scripted_model import (
    USAGE,
    Event,
    Recorded,
    Reply,
    calls,
    chunk,
    event,
    says,
    tool_call,
)
from support.served import Scripting, Served, bash, results_of, served
from support.stored import endings, kinds, only_log, result_text


def run(root: Path, model: Served, *words: str) -> CompletedProcess[str]:
    """One run against the model; the session goes on if there is one."""
    home, work = root / "home", root / "work"
    work.mkdir(exist_ok=True)
    prompt = words or ("-w", str(work), "go")
    return run_dsh("run", *prompt, home=home, env=model.variables)


def go_on(root: Path, model: Served) -> CompletedProcess[str]:
    session = only_log(root / "home").parent.name
    return run(root, model, "--session", session, "go on")


def texts(*deltas: str) -> list[bytes]:
    return [event(chunk({"content": delta})) for delta in deltas]


def test_a_stream_that_dies_is_asked_again_and_nothing_runs_twice(tmp_path: Path) -> None:
    dying = Reply(*texts(*["tok "] * 20), complete=False)
    script = Scripting(calls(bash("echo x >> log")), dying, says("The ", "whole answer."))
    with served(script) as model:
        done = run(tmp_path, model)
        assert model.refusals == []
    assert (done.returncode, done.stdout) == (0, "The whole answer.\n"), done.stderr
    assert (tmp_path / "work" / "log").read_text() == "x\n"
    log = only_log(tmp_path / "home")
    assert len(kinds(log, "tool/call")) == 1
    assert len(kinds(log, "llm/retry-started")) == 1
    assert len(kinds(log, "assistant/message")) == 2  # the call, and the second stream
    assert any("tok" in str(e["data"]) for e in kinds(log, "assistant/chunk"))


def test_a_server_that_is_busy_is_asked_again_when_it_wants(tmp_path: Path) -> None:
    busy = Reply(b"{}", status=429, headers={"retry-after": "1"})
    with served(Scripting(busy, busy, says("At last."))) as model:
        done = run(tmp_path, model)
        assert len(model.chats) == 3
    assert done.stdout == "At last.\n"
    retries = kinds(only_log(tmp_path / "home"), "llm/retry")
    assert all(event["data"]["delayMs"] >= 1000 for event in retries)


def endless(make: str) -> Event:
    match make:
        case "an unknown tool":
            return tool_call("nope", {"a": 1})
        case "a missing argument":
            return tool_call("bash", {"description": "no command"})
        case "arguments that are no object":
            return tool_call("bash", "[1, 2]")
        case _:
            return bash("ls")


@pytest.mark.parametrize(
    "make",
    [
        "an unknown tool",
        "a missing argument",
        "arguments that are no object",
        "the same again",
    ],
)
def test_an_endless_repetition_ends_with_a_reason(tmp_path: Path, make: str) -> None:
    script = Scripting()
    with served() as model:

        def answer(request: Recorded) -> Reply:
            if script.replies:
                return script(request)
            return calls(endless(make) | {"id": f"call_{len(model.chats)}"})

        model.answer(answer)
        done = run(tmp_path, model)
        assert done.returncode == 1
        assert len(model.chats) <= 12
        assert "stopped" in done.stderr
        name = "nope" if make == "an unknown tool" else "bash"
        assert name in done.stderr
        assert any(
            "times in a row" in str(m["content"]) for m in model.chats[-1].messages
        )
        script.replies.append(says("Usable."))
        after = go_on(tmp_path, model)
        assert after.stdout == "Usable.\n", after.stderr
        assert model.refusals == []
    assert endings(only_log(tmp_path / "home")) == ["blocked", "completed"]


def test_reasons_differ(tmp_path: Path) -> None:
    results: list[str] = []
    for number, make in enumerate(("an unknown tool", "a missing argument")):
        root = tmp_path / str(number)
        root.mkdir()
        with served(Scripting(calls(endless(make)), says("Ok."))) as model:
            run(root, model)
            results += results_of(model.chats[1])
    assert "nope" in results[0]
    assert "command" in results[1]


def cut_call(number: int) -> Reply:
    """A call of the write tool that the output limit cuts off."""
    half = '{"file_path": "never", "content": "' + "x" * 200
    fragment = tool_call("write", half, f"call_{number}")
    return Reply(
        event(chunk({"tool_calls": [fragment]})),
        event(chunk({}, "length", usage=USAGE)),
        b"data: [DONE]\n\n",
    )


def test_arguments_cut_off_by_the_limit_are_never_run(tmp_path: Path) -> None:
    with served(Scripting(cut_call(1), says("Smaller pieces then."))) as model:
        done = run(tmp_path, model)
        assert done.returncode == 0, done.stderr
        assert model.refusals == []
        [told] = results_of(model.chats[1])
        sent = [m["tool_calls"] for m in model.chats[1].messages if m.get("tool_calls")]
        assert isinstance(json.loads(sent[0][0]["function"]["arguments"]), dict)
    assert "output limit" in told
    assert not (tmp_path / "work" / "never").exists()


def test_a_call_cut_off_again_and_again_ends_the_turn(tmp_path: Path) -> None:
    with served() as model:
        model.answer(lambda _: cut_call(len(model.chats)))
        done = run(tmp_path, model)
        assert done.returncode == 1
        assert "OUTPUT_LIMIT" in done.stderr
        assert len(model.chats) == 3
        model.answer(lambda _: says("Usable."))
        assert go_on(tmp_path, model).stdout == "Usable.\n"
        assert model.refusals == []
    assert not (tmp_path / "work" / "never").exists()


def test_reasoning_goes_back_with_its_calls_also_after_a_restart(tmp_path: Path) -> None:
    steps = [
        calls(bash(f"echo {n}", f"call_{n}"), reasoning=f"Thought {n} — 想法.")
        for n in range(1, 6)
    ]
    script = Scripting(*steps, says("Done."), says("More."), says("End."))
    with served(script, back="required") as model:
        variables = {**model.variables, "DSH_LLM_DIALECT": "deepseek"}
        home, work = tmp_path / "home", tmp_path / "work"
        work.mkdir()
        run_dsh("run", "-w", str(work), "go", home=home, env=variables)
        session = only_log(home).parent.name
        for _ in range(2):
            done = run_dsh("run", "--session", session, "on", home=home, env=variables)
            assert done.returncode == 0, done.stderr
        assert model.refusals == []
        assert len(model.chats) == 8


def test_a_first_turn_that_fails_keeps_its_session(tmp_path: Path) -> None:
    down = Reply(b'{"error":{"message":"the server is on fire"}}', status=400)
    with served(Scripting(down, says("Better."))) as model:
        failed = run(tmp_path, model)
        assert failed.returncode == 1
        assert "on fire" in failed.stderr
        done = go_on(tmp_path, model)
        assert done.stdout == "Better.\n"
        told = [m["content"] for m in model.chats[1].messages if m["role"] == "user"]
    assert [text for text in told if text.startswith("go")] == ["go", "go on"]
    assert endings(only_log(tmp_path / "home")) == ["error", "completed"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"<html>Captive portal</html>", kind="text/html"), "Captive"),
        (Reply(b'{"error":{"message":"no credit"}}', status=402), "credit"),
        (Reply(b'{"error":{"message":"bad key"}}', status=401), "bad key"),
        (Reply(b"", status=403), "403"),
    ],
)
def test_what_is_no_answer_is_explained(
    tmp_path: Path, reply: Reply, reason: str
) -> None:
    with served(lambda _: reply) as model:
        done = run(tmp_path, model)
    assert done.returncode == 1
    assert done.stdout == ""
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-test" not in done.stderr


def test_every_kind_of_line_break_stays_inside_its_text(tmp_path: Path) -> None:
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei\r\nj\rk"
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    (work / "file").write_text(odd, encoding="utf-8", newline="")
    script = Scripting(
        calls(bash("cat file", "c1"), tool_call("read", {"file_path": "file"}, "c2")),
        says(odd),
        says("Again."),
    )
    with served(script) as model:
        done = run_dsh(
            "run", "-w", str(work), "ask " + odd, home=home, env=model.variables
        )
        assert done.returncode == 0, done.stderr
        log = only_log(home)
        session = log.parent.name
        lines = log.read_bytes().split(b"\n")
        assert lines[-1] == b""
        numbers = [json.loads(line)["seq"] for line in lines[1:-1]]
        assert numbers == list(range(len(numbers)))
        run_dsh("run", "--session", session, "on", home=home, env=model.variables)
        messages = model.chats[-1].messages
        assert model.refusals == []
    assert [m for m in messages if m["content"] == "ask " + odd]
    assert [m for m in messages if m["role"] == "assistant" and odd in m["content"]]
    shell, read = kinds(log, "tool/result")
    assert result_text(shell).rstrip("\n") == odd
    assert "\u2028" in result_text(read)
    assert run_dsh("session", "verify", home=home).returncode == 0
