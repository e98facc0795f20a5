"""From the start of `dsh run` to its first request, and from the last byte to its end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from bench._run import Place, place
from bench._table import Anchor, row, timed, usual
from support.program import ROOT, environment
from support.scripted_model import says

RUNS = 7
ROW = re.compile(r"^import time: +(\d+) \| +\d+ \| +(\S+)$", re.MULTILINE)


def imports(home: Path) -> tuple[int, float]:
    """Modules on the path of `dsh run`, and the milliseconds that importing them took."""
    words = [sys.executable, "-X", "importtime", "-c", "import dsh.surfaces.cli.run"]
    env = environment(home)
    done = subprocess.run(
        words, capture_output=True, text=True, env=env, cwd=ROOT, check=True
    )
    rows = ROW.findall(done.stderr)
    return len(rows), sum(int(own) for own, _ in rows) / 1e3


def main() -> None:
    bare = [sys.executable, "-c", "pass"]
    python = usual(timed(RUNS, lambda: subprocess.run(bare, check=True)))
    anchor = Anchor("an empty Python program", python)
    with place() as folder:
        here = Place(Path(folder))
        here.run([says("done")])  # the first start of a home makes its files
        runs = [here.run([says("done")]) for _ in range(RUNS)]
        count, spent = min(imports(here.home) for _ in range(3))
    first = usual([taken.first for taken in runs])
    row("start → first request", first, "ms", anchor, "≤ 450 ms")
    row("last byte → end", usual([taken.after for taken in runs]), "ms", anchor)
    row(f"imports of the command ({count} modules)", spent, "ms", anchor)
    memory = usual([taken.memory for taken in runs])
    row("memory of one answer", memory, "MB", Anchor("the wish", 80), "≤ 80 MB")


if __name__ == "__main__":
    main()
