"""The built program's window, on a screen of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "dist/dsh"
SCREENS = ROOT / "build/screens"
# An empty window has two or three; the start page has hundreds.
COLOURS_OF_A_PAGE = 60

pytestmark = [
    pytest.mark.shipped,
    pytest.mark.window,
    pytest.mark.skipif(not BUILT.exists(), reason="python3 dev.py build makes it"),
    pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb"),
]


@pytest.fixture
def screen() -> Iterator[str]:
    """The name of a fresh X display."""
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x860x24"]
    with (
        subprocess.Popen(
            [*words, "-nolisten", "tcp"], pass_fds=[writing], stderr=subprocess.DEVNULL
        ) as server,
        os.fdopen(reading) as told,
    ):
        os.close(writing)
        yield f":{told.readline().strip()}"
        server.terminate()


def colours(screen: str) -> int:
    words = ["import", "-display", screen, "-window", "root", "-format", "%k", "info:"]
    return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def settled(screen: str) -> bool:
    """A page is shown, and for a moment nothing but the caret changes."""
    first, second, third = (colours(screen) for _ in range(3))
    return first > COLOURS_OF_A_PAGE and max(abs(first - second), abs(first - third)) < 9


@pytest.mark.skipif(sys.platform != "linux", reason="drives an X display")
def test_it_opens_its_window_with_the_page_in_it_and_quits_when_asked(
    screen: str, tmp_path: Path
) -> None:
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "DSH_HOME": str(tmp_path / "home"),
        "DISPLAY": screen,
        "LANG": "C.UTF-8",
    }
    with subprocess.Popen([str(BUILT)], env=environment, cwd=tmp_path) as program:
        until(lambda: settled(screen))
        SCREENS.mkdir(parents=True, exist_ok=True)
        picture = SCREENS / "shipped-window.png"
        subprocess.run(
            ["import", "-display", screen, "-window", "root", str(picture)], check=True
        )
        program.send_signal(signal.SIGTERM)
        assert program.wait(10) == 0
