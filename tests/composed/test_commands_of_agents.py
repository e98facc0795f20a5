"""Commands that do not end as their caller expects, through the whole program."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.program import run_dsh
from support.scripted_model import calls, says
from support.served import Scripting, bash, results_of, served
from support.stored import kinds, only_log
from support.waiting import marked_sleep, running


def told(root: Path, command: str, limit: int = 30_000) -> str:
    """What the model is told about a command."""
    script = Scripting(calls(bash(command, timeoutMs=limit)), says("I see."))
    with served(script) as model:
        done = run_dsh("run", "-w", str(root), "go", home=root / "h", env=model.variables)
        assert done.returncode == 0, done.stderr
        [text] = results_of(model.chats[1])
    return text


@pytest.mark.parametrize("redirection", ["", ">/dev/null", "2>/dev/null"])
def test_a_child_in_the_background_does_not_hold_the_call(
    tmp_path: Path, redirection: str
) -> None:
    sleep = marked_sleep()
    text = told(tmp_path, f"{sleep} {redirection} & echo done", 15_000)
    assert "done" in text
    assert "timed out" not in text
    assert "exit code" not in text
    assert running(sleep) == []


def test_the_end_of_its_time_ends_the_whole_tree(tmp_path: Path) -> None:
    sleep = marked_sleep()
    text = told(tmp_path, f'bash -c "{sleep} & {sleep}"', 1_000)
    assert "timed out after 1000ms" in text
    assert running(sleep) == []
    [result] = kinds(only_log(tmp_path / "h"), "tool/result")
    assert result["data"]["meta"]["timedOut"] is True


def test_a_child_that_turns_away_ends_with_its_call(tmp_path: Path) -> None:
    sleep = marked_sleep()
    text = told(
        tmp_path,
        f"setsid nohup {sleep} >/dev/null 2>&1 & (trap '' TERM HUP INT; {sleep}) "
        ">/dev/null 2>&1 & echo done",
    )
    assert "done" in text
    assert running(sleep) == []


def test_a_command_that_waits_for_input_gets_none(tmp_path: Path) -> None:
    text = told(tmp_path, "read line; echo got:$line; python3 -c 'input()'; cat")
    assert "got:" in text
    assert "EOFError" in text


def test_a_flood_is_cut_and_kept_small(tmp_path: Path) -> None:
    text = told(tmp_path, "yes 0123456789 | head -c 30000000; printf 'é%.0s' {1..9}")
    assert "left out" in text
    assert "\ufffd" not in text
    [result] = kinds(only_log(tmp_path / "h"), "tool/result")
    assert len(str(result)) < 1_000_000


def test_binary_output_does_not_poison_the_session(tmp_path: Path) -> None:
    script = Scripting(
        calls(bash("head -c 300000 /dev/urandom; printf '\\0\\0'")),
        says("I see."),
        says("Still here."),
    )
    home = tmp_path / "h"
    with served(script) as model:
        run_dsh("run", "-w", str(tmp_path), "go", home=home, env=model.variables)
        session = only_log(home).parent.name
        done = run_dsh("run", "--session", session, "?", home=home, env=model.variables)
        assert done.stdout == "Still here.\n", done.stderr
        assert "\0" not in results_of(model.chats[-1])[0]
    assert run_dsh("session", "verify", home=home).returncode == 0


def test_no_secret_of_ours_reaches_a_command(tmp_path: Path) -> None:
    script = Scripting(calls(bash("env; cat /proc/$PPID/environ")), says("I see."))
    secrets = {
        "DEEPSEEK_API_KEY": "canary-1",
        "GITHUB_TOKEN": "canary-2",
        "MY_PASSWORD": "canary-3",
    }
    with served(script) as model:
        run_dsh(
            *("run", "-w", str(tmp_path), "go"),
            home=tmp_path / "h",
            env={**model.variables, **secrets, "KEPT": "kept-4"},
        )
        [text] = results_of(model.chats[1])
    assert "canary" not in text
    assert "sk-test" not in text
    assert "kept-4" in text
    assert "PATH=" in text
