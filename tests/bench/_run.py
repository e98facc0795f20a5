"""`dsh run` against prepared replies, and what it took."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench._model import model
from support.program import DSH, environment
from support.scripted_model import Reply, calls, says, tool_call


class Taken:
    """Times in milliseconds, memory in megabytes."""

    def __init__(self, began: float, ended: float, memory: float) -> None:
        self.wall = (ended - began) * 1e3
        self.first = 0.0  # start to first request
        self.after = 0.0  # last byte of the last reply to the end of the process
        self.gaps: list[float] = []  # last byte of a reply to the next request
        self.memory = memory  # most that the largest process had
        self.cpu = 0.0  # of all its processes together


class Place:
    """A home and a workspace that several runs share."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.workspace = root / "workspace"
        self.workspace.mkdir()

    def run(self, replies: Sequence[Reply], *words: str, pause: float = 0) -> Taken:
        """One run; it must complete."""
        with model(replies, pause) as server:
            variables = {"DSH_LLM_BASE_URL": server.url, "DSH_LLM_MODEL": "scripted"}
            env = environment(self.home, **variables, DSH_LLM_API_KEY="none")
            env["SHLVL"] = "1"
            env.pop("PYTHONDONTWRITEBYTECODE")
            began = time.monotonic()
            process = subprocess.Popen(
                [*DSH, "run", "-w", str(self.workspace), *words, "go"],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(process.pid, 0)
            ended = time.monotonic()
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or len(server.answered) != len(replies):
            raise SystemExit(f"dsh run: exit {process.returncode}")
        taken = Taken(began, ended, usage.ru_maxrss / 1024)
        taken.cpu = (usage.ru_utime + usage.ru_stime) * 1e3
        taken.first = (server.arrived[0] - began) * 1e3
        taken.after = (ended - server.answered[-1]) * 1e3
        pairs = zip(server.answered, server.arrived[1:], strict=False)
        taken.gaps = [(came - sent) * 1e3 for sent, came in pairs]
        return taken


def place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="dsh-bench-")


def steps(count: int) -> list[Reply]:
    """So many calls of the shell, then a text."""
    return [
        *(
            calls(
                tool_call("bash", {"command": f"echo {n}", "description": "Say"}, f"c{n}")
            )
            for n in range(count)
        ),
        says("All ", "done."),
    ]
