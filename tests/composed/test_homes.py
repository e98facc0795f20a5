"""Homes as people really have them: it works there, or says in one breath why not."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.program import DSH, environment, headless, run_dsh
from support.scripted_model import calls, says, tool_call
from support.served import Scripting, results_of, served
from support.stored import only_log

ODD = [
    "with spaces",
    "用户",
    'O\'Brien "quoted"',
    "rocket 🚀",
    "$HOME `id` ;&|*",
    "-rf",
    "x" * 60 + "/" + "y" * 60 + "/" + "z" * 100,
]


def run_bare(
    variables: Mapping[str, str], *words: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run with exactly these variables."""
    return subprocess.run(
        [*DSH, *words],
        env=variables,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("name", ODD)
def test_any_name_will_do_for_home_and_workspace(tmp_path: Path, name: str) -> None:
    user = tmp_path / name
    home, work = user / ".dsh", user / "work"
    work.mkdir(parents=True)
    script = Scripting(
        calls(tool_call("bash", {"command": "pwd > here", "description": "where"})),
        calls(tool_call("read", {"file_path": "here"})),
        calls(
            tool_call(
                "edit",
                {"file_path": "here", "old_string": str(work), "new_string": "edited"},
            )
        ),
        says("Done."),
    )
    with served(script) as model:
        done = run_dsh("run", "-w", str(work), "go", home=home, env=model.variables)
        assert done.returncode == 0, done.stderr
        assert str(work) in results_of(model.chats[2])[1]
    assert (work / "here").read_text() == "edited\n"
    listed = json.loads(run_dsh("session", "list", "--format", "json", home=home).stdout)
    assert [row["workspace"] for row in listed] == [str(work)]
    assert run_dsh("session", "verify", home=home).returncode == 0


@pytest.mark.parametrize("name", [ODD[1], ODD[2], ODD[-1]])
def test_the_host_serves_from_any_home(tmp_path: Path, name: str) -> None:
    home = tmp_path / name / ".dsh"
    home.parent.mkdir(parents=True)
    with headless(home) as program:
        assert program.terminate() == 0


def test_a_relative_home_is_taken_from_where_we_stand(tmp_path: Path) -> None:
    variables = environment(tmp_path / "unused") | {"DSH_HOME": "rel"}
    done = run_bare(variables, "run", "run echo hi", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hi" in done.stdout
    assert only_log(tmp_path / "rel")


def test_the_option_wins_over_the_variable(tmp_path: Path) -> None:
    done = run_dsh(
        *("run", "--home", str(tmp_path / "chosen"), "run echo hi"),
        home=tmp_path / "unused",
    )
    assert done.returncode == 0, done.stderr
    assert only_log(tmp_path / "chosen")
    assert not (tmp_path / "unused").exists()


@pytest.mark.parametrize("words", [["run", "hi"], ["--headless"], ["config", "dump"]])
def test_a_file_as_home_is_named_with_a_remedy(tmp_path: Path, words: list[str]) -> None:
    home = tmp_path / "file"
    home.write_text("mine")
    done = run_dsh(*words, home=home)
    assert done.returncode == 1
    assert str(home) in done.stderr
    assert "DSH_HOME" in done.stderr
    assert "Traceback" not in done.stderr
    assert home.read_text() == "mine"


@pytest.mark.parametrize("words", [["run", "hi"], ["--headless"], ["doctor"]])
def test_a_home_below_what_cannot_be_written_is_named(
    tmp_path: Path, words: list[str]
) -> None:
    # /proc refuses new folders even to the superuser.
    done = run_dsh(*words, home=tmp_path / "x", DSH_HOME="/proc/dsh")
    assert done.returncode == 1
    assert "/proc/dsh" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for the superuser")
def test_a_read_only_home_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    done = run_dsh("run", "hi", home=home)
    assert done.returncode == 1
    assert str(home) in done.stderr
    assert "Traceback" not in done.stderr


def test_without_any_variable_for_a_home_it_is_the_users_own(tmp_path: Path) -> None:
    variables = environment(tmp_path / "unused")
    del variables["HOME"]
    variables["DSH_HOME"] = str(tmp_path / "home")
    done = run_bare(variables, "run", "run echo hi", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hi" in done.stdout
    del variables["DSH_HOME"]
    done = run_bare(
        variables, "run", "--home", str(tmp_path / "home"), "run echo hi", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_a_blank_variable_is_no_home(tmp_path: Path) -> None:
    variables = environment(tmp_path / "unused") | {
        "DSH_HOME": "  ",
        "HOME": str(tmp_path),
    }
    done = run_bare(variables, "run", "run echo hi", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert only_log(tmp_path / ".dsh")


def test_what_another_program_keeps_there_stays_as_it_is(tmp_path: Path) -> None:
    home = tmp_path / "home"
    theirs = {
        "package.json": b'{"name":"dsh"}',
        "cordis.yml": b"- id: x\n",
        "settings.yaml": b"a: 1\n",
        ".credentials.yaml": b"key: secret\n",
        "sessions/a/events.zst": bytes(range(256)),
        "storages/x.db": b"\x00\x01",
        "attachments/y": b"y",
    }
    for name, data in theirs.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert run_dsh("run", "run echo hi", home=home).returncode == 0
    with headless(home) as program:
        program.terminate()
    assert {name: (home / name).read_bytes() for name in theirs} == theirs
    assert run_dsh("session", "verify", home=home).returncode == 0
