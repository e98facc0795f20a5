"""The built program does its work away from the source tree."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from dsh import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "dist" / ("dsh.exe" if sys.platform == "win32" else "dsh")
MEGABYTE = 1_000_000

pytestmark = [
    pytest.mark.shipped,
    pytest.mark.skipif(not BUILT.exists(), reason="python3 dev.py build makes it"),
]


class Place:
    """A bare machine for the program: its own home, temp and working folder."""

    def __init__(self, root: Path) -> None:
        self.home, self.work, self.temp = root / "home", root / "work", root / "temp"
        for folder in (self.home, self.work, self.temp):
            folder.mkdir()
        self.environment = {
            "HOME": str(root),
            "PATH": os.defpath,
            "DSH_HOME": str(self.home),
            "TMPDIR": str(self.temp),
            "LANG": "C.UTF-8",
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BUILT), *words],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def tool_output(self, command: str) -> str:
        """What a command printed that the offline guide was asked to run."""
        done = self.run("run", "--format", "jsonl", f"run {command}")
        assert done.returncode == 0, done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return "\n".join(json.dumps(e) for e in events if e["type"] == "tool/result")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_program_is_one_small_file() -> None:
    assert BUILT.stat().st_size <= 40 * MEGABYTE


def test_it_says_its_version(place: Place) -> None:
    assert place.run("--version").stdout == f"dsh {__version__}\n"


def test_it_finds_its_own_parts_sound(place: Place) -> None:
    done = place.run("--self-test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_runs_a_command_offline(place: Place) -> None:
    assert "it is 42" in place.tool_output("echo it is $((6 * 7))")


def test_a_command_sees_nothing_of_the_bundle(place: Place) -> None:
    shown = place.tool_output("env; echo end of the environment")
    assert "end of the environment" in shown
    for trace in ("_MEI", "_PYI", "LD_LIBRARY_PATH", "GI_TYPELIB_PATH"):
        assert trace not in shown


def test_it_leaves_nothing_behind(place: Place) -> None:
    assert place.run("--version").returncode == 0
    assert place.run("run", "run true").returncode == 0
    assert list(place.temp.glob("_MEI*")) == []


@pytest.fixture
def server(place: Place) -> Iterator[tuple[subprocess.Popen[str], dict[str, object]]]:
    words = [str(BUILT), "--headless"]
    with subprocess.Popen(
        words, cwd=place.work, env=place.environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
        process.kill()


def test_a_server_ends_when_it_is_asked_to(
    place: Place, server: tuple[subprocess.Popen[str], dict[str, object]]
) -> None:
    process, ready = server
    assert ready["event"] == "ready"
    program = psutil.Process(int(str(ready["pid"])))
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    assert list(place.temp.glob("_MEI*")) == []
    program.wait(1)


@pytest.mark.skipif(sys.platform != "linux", reason="the launcher is watched on Linux")
def test_killing_the_launcher_ends_the_program_and_the_next_start_tidies_up(
    place: Place, server: tuple[subprocess.Popen[str], dict[str, object]]
) -> None:
    launcher, ready = server
    program = psutil.Process(int(str(ready["pid"])))
    launcher.kill()
    launcher.wait()
    program.wait(10)
    assert len(list(place.temp.glob("_MEI*"))) == 1
    assert place.run("--version").returncode == 0
    assert list(place.temp.glob("_MEI*")) == []
