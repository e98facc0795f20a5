"""The host without a window: until its page is loaded, its memory, and its steps."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench._model import Model, model
from bench._run import steps
from bench._table import Anchor, median, row, timed, usual
from support.page import Host
from support.program import Client, client_of, headless
from support.scripted_model import Reply
from support.waiting import until

STEPS = 200
RUNS = 3


class Started:
    """A running host and how long it took."""

    def __init__(self, host: Host, ready: float, loaded: float, weight: int) -> None:
        self.host = host
        self.ready = ready  # ms until it says where it is
        self.loaded = loaded  # ms until the page and all that it names are there
        self.weight = weight  # bytes on the wire

    def memory(self) -> float:
        """Megabytes of the host's own process."""
        return psutil.Process(self.host.program.pid).memory_info().rss / 1e6


@contextmanager
def started(root: Path, server: Model) -> Iterator[Started]:
    work = root / "work"
    work.mkdir(exist_ok=True)
    variables = {"DSH_LLM_BASE_URL": server.url, "DSH_LLM_MODEL": "scripted"}
    env = {**variables, "DSH_LLM_API_KEY": "none", "PYTHONDONTWRITEBYTECODE": ""}
    began = time.monotonic()
    with headless(root / "home", env=env) as program:
        ready = (time.monotonic() - began) * 1e3
        with client_of(program) as client:
            weight = load(client)
            loaded = (time.monotonic() - began) * 1e3
            yield Started(Host(root, program, client), ready, loaded, weight)


def load(client: Client) -> int:
    """Fetch the page and what it names, as a browser would; returns the bytes."""
    page = client.http.get(client.origin + "/")
    names = re.findall(r'(?:src|href)="(/?[^":]+\.(?:js|css|svg))"', page.text)
    answers = [page]
    answers += [client.http.get(f"{client.origin}/{n.lstrip('/')}") for n in names]
    return sum(answer.num_bytes_downloaded for answer in answers)


def main() -> None:
    bare = [sys.executable, "-c", "pass"]
    python = Anchor(
        "an empty Python program",
        usual(timed(5, lambda: subprocess.run(bare, check=True))),
    )
    replies: list[Reply] = steps(STEPS)
    with tempfile.TemporaryDirectory(prefix="dsh-bench-") as folder, model(()) as silent:
        root = Path(folder)
        with started(root, silent):
            pass  # the first start of a home makes its files
        runs = []
        for _ in range(RUNS):
            with started(root, silent) as here:
                runs.append((here.ready, here.loaded, here.memory(), here.weight))
    with tempfile.TemporaryDirectory(prefix="dsh-bench-") as folder:
        with model(replies) as server, started(Path(folder), server) as here:
            session = here.host.session()
            began = time.monotonic()
            session.prompt("go")
            until(lambda: len(server.answered) == len(replies), "the last reply", 120)
            wall = (time.monotonic() - began) * 1e3
            memory = here.memory()
        pairs = zip(server.answered, server.arrived[1:], strict=False)
        gaps = [(came - sent) * 1e3 for sent, came in pairs]
    row("start → ready", usual([run[0] for run in runs]), "ms", python)
    loaded = usual([run[1] for run in runs])
    row("start → page and its parts loaded", loaded, "ms", python, "≤ 1300 ms")
    weight = runs[0][3] / 1024
    row("page on the wire", weight, "KB", Anchor("the wish", 300), "≤ 300 KB")
    row("memory at rest", runs[0][2], "MB", Anchor("the wish", 100), "≤ 100 MB")
    row(f"memory after {STEPS} steps", memory, "MB", Anchor("the wish", 100), "≤ 100 MB")
    row("step, median", median(gaps), "ms", Anchor("the wish", 13), "≤ 13 ms")
    row(f"{STEPS} steps", wall, "ms", Anchor("the wish", 3000), "≤ 3000 ms")


if __name__ == "__main__":
    main()
