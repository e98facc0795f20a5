"""Disks that take no more, and files that something else has written over."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from support.page import Session, hosted
from support.program import DSH, environment, run_dsh
from support.scripted_model import calls, says
from support.served import Scripting, bash, served
from support.stored import endings, logs, only_log
from support.waiting import until

# What a small file system does to a log: no file may grow beyond so many kilobytes.
LIMITED = "ulimit -f {}; exec " + shlex.join(DSH) + ' "$@"'


def limited(kilobytes: int, *words: str) -> list[str]:
    return ["bash", "-c", LIMITED.format(kilobytes), "dsh", *words]


@pytest.mark.parametrize("kilobytes", [1, 4, 8])
def test_a_run_says_that_its_log_cannot_be_written(
    tmp_path: Path, kilobytes: int
) -> None:
    home = tmp_path / "home"
    done = subprocess.run(
        limited(kilobytes, "run", "run seq 20000; seq 20000"),
        env=environment(home),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert (
        not list((home / "profiles").rglob("patch.yaml"))
        or run_dsh("config", "dump", "--profile", "cli", home=home).stderr == ""
    )
    verified = run_dsh("session", "verify", home=home)
    for line in verified.stdout.splitlines():  # what is whole is sound, a tail is torn
        assert line.endswith("sound") or "TORN" in line or "header" in line
    after = run_dsh("run", "run echo there is room again", home=home)
    assert after.returncode == 0, after.stderr


def test_the_window_says_so_and_goes_on_with_others(tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    flood = calls(bash("seq 3000"))
    with (
        served(lambda _: flood) as model,
        hosted(tmp_path, model, argv=tuple(limited(64))) as host,
    ):
        session = host.session()
        session.prompt("go")
        until(lambda: session.summary["readOnly"], "the end of the log")
        until(lambda: session.status != "running", "the end of the turn")
        refused = host.client.post(
            "session/prompt", {"sessionId": session.id, "text": "x", "mode": "queue"}
        )
        assert refused.status_code >= 400
        assert "File too large" in str(refused.json()) or session.summary["readOnly"]
        model.answer(lambda _: says("Small."))
        made = host.client.call("workspace/create", path=str(home.parent))
        other = Session(
            host.client,
            host.client.call("session/create", workspaceId=made["workspaceId"])[
                "sessionId"
            ],
        )
        other.prompt("hi")
        until(lambda: len(logs(home)) == 2, "the other log")
        other.idle()
        assert host.program.terminate() == 0
    assert run_dsh("session", "list", home=home).returncode == 0
    session_log = next(log for log in logs(home) if log.parent.name == session.id)
    with served(Scripting(says("Room again."))) as model:
        words = ("run", "--session", session_log.parent.name, "go on")
        done = run_dsh(*words, home=home, env=model.variables)
        assert done.returncode == 0, done.stderr
        assert model.refusals == []
    assert endings(session_log)[-1] == "completed"


GARBAGE = b"\x00\xff not what it should be {[("
OURS = (
    "index.db",
    "settings.yaml",
    "credentials.yaml",
    "state/unseen.json",
    "state/workspaces.json",
    "state/ui.json",
    "state/window.json",
    "state/instance.json",
    "lock",
)


@pytest.mark.parametrize("harm", [GARBAGE, b""], ids=["garbage", "nothing"])
def test_no_file_of_ours_can_lock_anybody_out(tmp_path: Path, harm: bytes) -> None:
    home = tmp_path / "home"
    assert run_dsh("run", "run echo hi", home=home).returncode == 0
    session = only_log(home).parent.name

    def break_everything() -> None:
        for name in OURS:
            file = home / "desktop" / name
            file.parent.mkdir(exist_ok=True)
            for beside in file.parent.glob(f"{file.name}-*"):  # of a database
                beside.unlink()
            file.write_bytes(harm)

    break_everything()
    done = run_dsh("run", "--session", session, "run echo again", home=home)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    break_everything()
    with hosted(tmp_path) as host:
        listed = host.client.call("session/list")["sessions"]
        assert [row["sessionId"] for row in listed] == [session]
        made = host.session()
        made.prompt("run echo in the window")
        until(lambda: len(logs(home)) == 2, "the new log")
        made.idle()
        assert host.program.terminate() == 0
    said = "".join(p.read_text() for p in (home / "desktop" / "logs").iterdir())
    assert "Traceback" not in said, said
