"""`dsh run`: what it prints, how it ends, and how it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from support.program import DSH, environment, run_dsh
from support.scripted_model import Reply, calls, says, tool_call
from support.served import Scripting, results_of, served
from support.stored import endings, events, kinds, logs, only_log, result_text
from support.waiting import gone, marked_sleep, running, until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_text_is_the_last_answer_and_nothing_else(home: Path, work: Path) -> None:
    with served([says("Two ", "parts.\n")]) as model:
        done = run_dsh("run", "-w", str(work), "hi", home=home, env=model.variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Two parts.\n", "")


def test_jsonl_is_the_log_line_by_line(home: Path, work: Path) -> None:
    done = run_dsh("run", "-w", str(work), "--format", "jsonl", "run echo hi", home=home)
    assert done.returncode == 0, done.stderr
    log = only_log(home).read_text("utf-8").splitlines()
    assert json.loads(log[0])["format"] == 1
    printed = done.stdout.splitlines()
    assert printed == log[-len(printed) :]
    # What the session was created with may stand before; the task's own events do not.
    before = [json.loads(line)["type"] for line in log[1 : -len(printed)]]
    assert "turn/start" not in before
    assert "agent/inbox/spliced" not in before
    assert json.loads(printed[-1])["type"] == "turn/end"


def test_a_failed_turn_is_exit_1_and_says_why(home: Path, work: Path) -> None:
    broken = Reply(b'{"error":{"message":"no such key"}}', status=401)
    with served([broken]) as model:
        done = run_dsh("run", "-w", str(work), "hi", home=home, env=model.variables)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no such key" in done.stderr
    assert endings(only_log(home)) == ["error"]


@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", ""],
        ["run", "  \n "],
        ["run", "-w", "nowhere", "hi"],
        ["run", "--model", "no-slash", "hi"],
        ["run", "--permission", "everything", "hi"],
        ["run", "--format", "xml", "hi"],
        ["run", "--unknown", "hi"],
        ["run", "one", "two"],
        ["session", "show"],
        ["session", "burn"],
        ["config"],
        ["--unknown"],
    ],
)
def test_what_cannot_be_meant_is_exit_2(home: Path, words: list[str]) -> None:
    done = run_dsh(*words, home=home)
    assert done.returncode == 2, done.stderr
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert not (home / "desktop" / "sessions").exists()


def test_a_missing_folder_is_named(home: Path, work: Path) -> None:
    missing = work / "not there"
    done = run_dsh("run", "-w", str(missing), "hi", home=home)
    assert done.returncode == 2
    assert str(missing) in done.stderr
    assert not missing.exists()


def test_a_folder_whose_name_a_log_cannot_hold_is_refused(
    home: Path, tmp_path: Path
) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    done = run_dsh("run", "-w", str(odd), "hello", home=home)
    assert done.returncode == 1
    assert "not valid UTF-8" in done.stderr and "Rename" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_dash_reads_the_task_from_standard_input(home: Path, work: Path) -> None:
    done = run_dsh(
        "run", "-w", str(work), "-", home=home, stdin="run echo first\necho second\n"
    )
    assert done.returncode == 0, done.stderr
    assert "first\nsecond" in done.stdout


def test_an_interrupt_in_the_middle_of_a_command_leaves_nothing(
    home: Path, work: Path
) -> None:
    sleep = marked_sleep()
    process = subprocess.Popen(
        [*DSH, "run", "-w", str(work), f"run {sleep} & {sleep}; touch late"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: len(running(sleep)) == 2, "the command")
        sleeping = running(sleep)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert gone(sleeping, 1)
    assert not (work / "late").exists()
    [result] = kinds(only_log(home), "tool/result")
    assert result["data"]["error"]["code"] == "ABORTED"
    assert endings(only_log(home)) == ["aborted"]
    assert run_dsh("session", "verify", home=home).returncode == 0


def test_a_session_goes_on_with_everything_it_knows(home: Path, work: Path) -> None:
    script = Scripting(says("One."), says("Two."))
    with served(script) as model:
        run_dsh("run", "-w", str(work), "first", home=home, env=model.variables)
        log = only_log(home)
        done = run_dsh(
            *("run", "--session", log.parent.name, "second"),
            home=home,
            env=model.variables,
        )
        assert done.returncode == 0, done.stderr
        told = [(m["role"], m["content"]) for m in model.chats[1].messages]
        first = model.chats[0].messages
        assert model.chats[1].messages[: len(first)] == first
    assert ("assistant", "One.") in told
    assert logs(home) == [log]
    assert [event["seq"] for event in events(log)] == list(range(len(events(log))))
    assert endings(log) == ["completed", "completed"]


def test_a_session_works_on_in_its_own_folder(home: Path, work: Path) -> None:
    run_dsh("run", "-w", str(work), "run pwd", home=home)
    session = only_log(home).parent.name
    done = run_dsh("run", "--session", session, "run pwd", home=home, cwd=home)
    assert str(work) in done.stdout


def test_an_unknown_session_is_exit_1_and_named(home: Path) -> None:
    done = run_dsh("run", "--session", "session-nope", "hi", home=home)
    assert done.returncode == 1
    assert "session-nope" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_model_asked_for_is_the_model_asked(home: Path, work: Path) -> None:
    with served([says("Hello.")]) as model:
        done = run_dsh(
            *("run", "-w", str(work), "--model", "environment/other", "hi"),
            home=home,
            env=model.variables,
        )
        assert done.returncode == 0, done.stderr
        assert model.chats[0].body["model"] == "other"


def test_a_model_of_nobody_fails_with_a_reason(home: Path, work: Path) -> None:
    done = run_dsh("run", "-w", str(work), "--model", "nobody/x", "hi", home=home)
    assert done.returncode == 1
    assert "nobody" in done.stderr
    assert endings(only_log(home)) == ["error"]


@pytest.mark.parametrize(
    "command",
    [
        "printf '%s|' \"a  b\" 'c\\n' $((1+1)); echo \"#é 中文 🚀\"",
        "  cat <<'END'\n  kept: $HOME `x`\nEND",
        "echo one;\n\necho two   ",
        "echo 'run echo nested'",
        "echo \\\n  joined",
    ],
)
def test_a_command_is_passed_on_as_it_stands(
    home: Path, work: Path, command: str
) -> None:
    done = run_dsh("run", "-w", str(work), "run " + command.strip(), home=home)
    assert done.returncode == 0, done.stderr
    direct = subprocess.run(
        ["bash", "-c", command.strip()],
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    )
    [call] = kinds(only_log(home), "tool/call")
    assert json.loads(call["data"]["arguments"])["command"] == command.strip()
    [result] = kinds(only_log(home), "tool/result")
    assert result_text(result).rstrip("\n") == direct.stdout.rstrip("\n")


def test_nobody_there_to_ask_means_no(home: Path, tmp_path: Path, work: Path) -> None:
    outside = tmp_path / "outside"
    asking = {
        "command": f"touch {outside}",
        "description": "writes outside",
        "sandbox_permissions": "danger-full-access",
        "justification": "please",
    }
    script = Scripting(calls(tool_call("bash", asking)), says("I could not."))
    with served(script) as model:
        done = run_dsh("run", "-w", str(work), "hi", home=home, env=model.variables)
        [told] = results_of(model.chats[1])
    assert done.returncode == 0, done.stderr
    assert "nobody can be asked" in told
    assert not outside.exists()
    decided = kinds(only_log(home), "approval/decided")
    assert [event["data"]["outcome"] for event in decided] == ["unavailable"]


def test_a_run_that_nobody_reads_stops(home: Path, work: Path) -> None:
    process = subprocess.Popen(
        [*DSH, "run", "-w", str(work), "--format", "jsonl", "run touch late"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"Traceback" not in said
    assert not (work / "late").exists()
    assert run_dsh("session", "verify", home=home).returncode == 0


@pytest.mark.parametrize("words", [["run", "run echo hi"], ["config", "dump"]])
def test_a_full_disk_behind_the_output_is_said(home: Path, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*DSH, *words],
            env=environment(home),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_task_that_is_no_utf8_is_refused_and_not_guessed_at(home: Path) -> None:
    for words, stdin in (([b"run echo \xff\xfe"], b""), ([b"-"], b"run echo \xff\xfe")):
        done = subprocess.run(
            [*[word.encode() for word in (*DSH, "run")], *words],
            env=environment(home),
            cwd=home.parent,
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert b"UTF-8" in done.stderr
        assert b"Traceback" not in done.stderr


def test_an_interrupt_is_no_traceback_however_early(home: Path, work: Path) -> None:
    """Interrupted as soon as the program imports one of these modules."""
    for landmark in ("dsh.surfaces.cli", "asyncio.tasks", "dsh_plugins.retry.plugin"):
        sitecustomize = work / "sitecustomize.py"
        sitecustomize.write_text(
            "import os, signal, sys\n"
            "def note(event, arguments):\n"
            f"    if event == 'import' and arguments[0] == {landmark!r}:\n"
            "        signal.raise_signal(signal.SIGINT)\n"
            "sys.addaudithook(note)\n"
        )
        variables = environment(home)
        variables["PYTHONPATH"] = f"{work}:{variables['PYTHONPATH']}"
        done = subprocess.run(
            [*DSH, "run", "run echo hi"],
            env=variables,
            cwd=home.parent,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 130, (landmark, done.stderr)
        assert "Traceback" not in done.stderr
