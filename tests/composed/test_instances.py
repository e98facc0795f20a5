"""One program per user and home, however impatiently it is started."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.page import hosted
from support.program import DSH, client_of, environment, headless, run_dsh
from support.scripted_model import says
from support.served import served
from support.stored import endings, events, logs
from support.waiting import gone, until

Started = subprocess.Popen[str]


@contextmanager
def starts(home: Path, count: int, **extra: str) -> Iterator[list[Started]]:
    """So many starts at once; none is left at the end."""
    processes = [
        subprocess.Popen(
            [*DSH, "--headless"],
            env=environment(home, **extra),
            cwd=home.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate(timeout=10)


def test_of_eight_starts_at_once_one_serves(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with starts(home, 8) as processes:
        until(lambda: sum(p.poll() is None for p in processes) == 1, "the hand-over", 40)
        [serving] = [p for p in processes if p.poll() is None]
        lines = []
        for process in processes:
            assert process.stdout is not None
            lines.append(json.loads(process.stdout.readline()))
            if process is not serving:
                assert process.returncode == 0, process.stderr and process.stderr.read()
        assert {line["pid"] for line in lines} == {serving.pid}
        assert len({line["origin"] for line in lines}) == 1
        assert len({line["url"] for line in lines}) == 8  # each opens the page once
        serving.terminate()
        assert serving.wait(10) == 0


def test_a_program_that_was_ended_leaves_no_socket(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with headless(home) as program:
        [socket] = until(lambda: list(home.rglob("*.sock")), "the socket")
        assert socket.parent.stat().st_mode & 0o077 == 0
        assert program.terminate() == 0
    assert not socket.exists()


def test_other_homes_run_side_by_side(tmp_path: Path) -> None:
    with (
        headless(tmp_path / "one") as one,
        headless(tmp_path / "two") as two,
        client_of(one) as first,
        client_of(two) as second,
    ):
        assert one.origin != two.origin
        assert first.call("host/describe")["home"] == str(tmp_path / "one")
        assert second.call("host/describe")["home"] == str(tmp_path / "two")
        name = first.cookie.split("=", 1)[0]
        assert name != second.cookie.split("=", 1)[0]  # they share a browser


def test_after_a_kill_the_next_start_serves(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for _ in range(2):
        with headless(home) as program:
            family = program.family()
            program.kill()
        assert gone(family, 10)
    with headless(home) as program:
        assert program.terminate() == 0


def test_killed_during_its_start_it_is_no_obstacle(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with starts(home, 1) as [process]:
        until((home / "desktop" / "lock").exists, "the claim")
        process.kill()
        process.wait(10)
    with headless(home) as program:
        assert program.terminate() == 0


def test_a_run_beside_the_window_is_seen_there_and_harms_nothing(tmp_path: Path) -> None:
    with (
        served(lambda _: says("Hi.")) as model,
        hosted(tmp_path, model) as host,
        host.client.socket() as socket,
    ):
        session = host.session()
        session.prompt("in the window")
        host.ended(1)
        session.idle()
        beside = run_dsh(
            *("run", "-w", str(host.work), "beside it"),
            home=host.home,
            env=model.variables,
        )
        assert beside.returncode == 0, beside.stderr

        def titles() -> list[str]:
            rows = host.client.call("session/list")["sessions"]
            return sorted(str(row["title"]) for row in rows)

        until(lambda: titles() == ["beside it", "in the window"], "the other session")
        # The window has its session open: nobody else may write to it.
        refused = run_dsh(
            *("run", "--session", session.id, "me too"),
            home=host.home,
            env=model.variables,
        )
        assert refused.returncode == 1
        assert "open" in refused.stderr
        assert socket.close_code is None
    for log in logs(host.home):
        assert endings(log) == ["completed"]
        numbers = [event["seq"] for event in events(log)]
        assert numbers == list(range(len(numbers)))
    assert run_dsh("session", "verify", home=host.home).returncode == 0


def test_the_window_goes_on_with_what_a_run_began(tmp_path: Path) -> None:
    with served(lambda _: says("Hi.")) as model:
        home, work = tmp_path / "home", tmp_path / "work"
        work.mkdir()
        run_dsh("run", "-w", str(work), "begun", home=home, env=model.variables)
        with hosted(tmp_path, model) as host:
            [row] = host.client.call("session/list")["sessions"]
            assert row["title"] == "begun"
            host.client.call(
                "session/prompt", sessionId=row["sessionId"], text="on", mode="queue"
            )
            host.ended(2)
        assert endings(host.log) == ["completed", "completed"]
        assert model.refusals == []


def test_runs_at_once_on_one_home_do_not_meet(tmp_path: Path) -> None:
    home = tmp_path / "home"
    processes = [
        subprocess.Popen(
            [*DSH, "run", f"run echo {number}"],
            env=environment(home),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for number, process in enumerate(processes):
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert str(number) in said
    assert len(logs(home)) == 4
    assert run_dsh("session", "verify", home=home).returncode == 0
