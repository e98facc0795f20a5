"""Waiting for facts, and the facts that tests of whole programs wait for."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import TypeVar

import psutil

T = TypeVar("T")
PATIENCE = 20.0  # seconds; a machine that builds on all cores is slow
_numbers = itertools.count(1)


def until(condition: Callable[[], T], what: str = "it", seconds: float = PATIENCE) -> T:
    """The first true value of ``condition``; fails the test when the time is over."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds:g} s"
        time.sleep(0.02)
    return found


def marked_sleep() -> str:
    """A command that sleeps for long and can be told from all others on the machine."""
    return f"sleep 3{os.getpid():07d}.{next(_numbers):03d}"


def running(command: str) -> list[psutil.Process]:
    """The processes whose command line is ``command``."""
    words = command.split()
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline() == words:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def gone(processes: list[psutil.Process], seconds: float = PATIENCE) -> bool:
    """Whether all of them have ended within the time."""
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]
