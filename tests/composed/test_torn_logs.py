"""Logs cut short by a power cut, or damaged: said once, never glued to, never hidden."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.page import hosted
from support.program import items_until, run_dsh
from support.scripted_model import calls, says
from support.served import Scripting, bash, served
from support.stored import endings, events, only_log
from support.waiting import until


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one session of one turn with a command."""
    root = tmp_path_factory.mktemp("recorded")
    (root / "work").mkdir()
    script = Scripting(calls(bash("echo hi")), says("It says hi."))
    with served(script) as model:
        words = ("run", "-w", str(root / "work"), "go")
        assert run_dsh(*words, home=root / "home", env=model.variables).returncode == 0
    return root


def copied(recorded: Path, root: Path) -> Path:
    shutil.copytree(recorded / "home", root / "home")
    return only_log(root / "home")


# From the last byte to some lines before the end, in strides that share no divisor.
@pytest.mark.parametrize("cut", [1, 2, 9, 38, 101, 227, 461, 800])
def test_after_a_cut_the_next_run_goes_on_from_what_is_whole(
    recorded: Path, tmp_path: Path, cut: int
) -> None:
    log = copied(recorded, tmp_path)
    whole = log.read_bytes()[:-cut]
    kept = whole[: whole.rindex(b"\n") + 1]
    log.write_bytes(whole)
    with served(Scripting(says("Still here."))) as model:
        words = ("run", "--session", log.parent.name, "more")
        done = run_dsh(*words, home=tmp_path / "home", env=model.variables)
        assert done.returncode == 0, done.stderr
        assert model.refusals == []
    assert log.read_bytes().startswith(kept)
    found = events(log)
    assert [event["seq"] for event in found] == list(range(len(found)))
    assert endings(log)[-1] == "completed"
    assert run_dsh("session", "verify", home=tmp_path / "home").returncode == 0


def test_the_page_is_told_once_what_was_cut(recorded: Path, tmp_path: Path) -> None:
    log = copied(recorded, tmp_path)
    log.write_bytes(log.read_bytes()[:-5])
    id_ = log.parent.name
    with served(lambda _: says("On.")) as model, hosted(tmp_path, model) as host:
        host.client.call("session/prompt", sessionId=id_, text="more", mode="queue")
        until(lambda: endings(log)[-1] == "completed", "the answer")
        with host.client.socket(sessions={id_: -1}) as socket:
            [*_, snapshot] = items_until(socket, "session/snapshot")
        assert snapshot["data"]["notice"]
        assert snapshot["data"]["readOnly"] is None


def damaged(data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines[8] = lines[8].replace(b'"time":', b'"time":1')
    return b"\n".join(lines)


def missing(data: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[8]
    return b"\n".join(lines)


def doubled(data: bytes) -> bytes:
    lines = data.split(b"\n")
    lines.insert(8, lines[8])
    return b"\n".join(lines)


@pytest.mark.parametrize("harm", [damaged, missing, doubled])
def test_damage_in_the_middle_is_shown_and_never_written_over(
    recorded: Path, tmp_path: Path, harm: object
) -> None:
    assert callable(harm)
    log = copied(recorded, tmp_path)
    log.write_bytes(harm(log.read_bytes()))
    before, id_ = log.read_bytes(), log.parent.name
    assert run_dsh("session", "verify", home=tmp_path / "home").returncode == 1
    done = run_dsh("run", "--session", id_, "more", home=tmp_path / "home")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "9" in done.stderr or "line" in done.stderr
    with hosted(tmp_path) as host:
        listed = host.client.call("session/list")["sessions"]
        assert [row["sessionId"] for row in listed] == [id_]
        with host.client.socket(sessions={id_: -1}) as socket:
            [*_, snapshot] = items_until(socket, "session/snapshot")
        assert snapshot["data"]["events"]
        assert snapshot["data"]["readOnly"]
        refused = host.client.post(
            "session/prompt", {"sessionId": id_, "text": "x", "mode": "queue"}
        )
        assert refused.status_code >= 400
        assert refused.json()["error"]["message"]
        # A new session beside it works as ever.
        session = host.session()
        session.prompt("run echo hi")
        until(lambda: session.summary["title"], "the other session")
        session.idle()
    assert log.read_bytes() == before
