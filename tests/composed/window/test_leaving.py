"""The window's end, and its second start, also when things do not go well."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from support.display import display, windowed
from support.program import Client, run_dsh
from support.waiting import gone, until

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="drives an X display"),
    pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb"),
]


@pytest.fixture
def screen() -> Iterator[str]:
    with display() as name:
        yield name


def test_a_signal_closes_the_window_and_ends_everything(
    screen: str, tmp_path: Path
) -> None:
    with windowed(tmp_path / "home", screen=screen) as program:
        family = [
            psutil.Process(program.pid),
            *psutil.Process(program.pid).children(True),
        ]
        again = run_dsh(str(tmp_path), home=tmp_path / "home", DISPLAY=screen)
        assert again.returncode == 0, again.stderr
        assert again.stdout == ""
        program.send_signal(signal.SIGTERM)
        assert program.wait(5) == 0
        assert gone(family, 5)


@pytest.mark.parametrize("words", [("--profile", "nosuch"), ("--patch", "/nowhere")])
def test_a_window_tells_why_there_is_no_host_and_hears_who_comes_next(
    screen: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    home = tmp_path / "home"
    with windowed(home, *words, screen=screen) as program:
        again = run_dsh(home=home, DISPLAY=screen)
        assert again.returncode == 0, again.stderr
        served = run_dsh("--headless", home=home)
        assert served.returncode == 1 and "could not start" in served.stderr
        assert program.poll() is None
        program.send_signal(signal.SIGTERM)
        assert program.wait(5) == 1
    assert words[1] in (home / "desktop" / "logs" / "dsh.log").read_text()


def test_a_signal_is_heard_while_a_dialog_is_open(screen: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with windowed(home, screen=screen) as program:
        ready = json.loads(run_dsh("--headless", home=home).stdout)
        client = Client(ready["origin"], ready["url"])
        client.http.timeout = httpx.Timeout(1)
        until(lambda: dialog_is_open(client), "the dialog")
        client.http.close()
        program.send_signal(signal.SIGTERM)
        program.wait(5)


def dialog_is_open(client: Client) -> bool:
    """Ask for one: the first question opens it, and then waits for its answer."""
    try:
        answer = client.post("host/pickDirectory", {})
    except httpx.TimeoutException:
        return False
    return bool(answer.json()["error"]["code"] == "DIALOG_BUSY")
