"""A screen of its own for a test, and the program with its window on it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.program import DSH, environment
from support.waiting import until


@contextmanager
def display() -> Iterator[str]:
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


@contextmanager
def windowed(home: Path, *words: str, screen: str) -> Iterator[subprocess.Popen[str]]:
    """The program with its window, once it answers later starts; killed at the end."""
    process = subprocess.Popen(
        [*DSH, *words],
        env=environment(home, DISPLAY=screen),
        cwd=home.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = home / "desktop" / "state" / "instance.json"
        until(lambda: address.exists() or process.poll() is not None, "the window")
        yield process
    finally:
        process.kill()
        process.communicate(timeout=10)
