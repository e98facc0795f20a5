"""Steps of an agent that calls the shell in its sandbox, with both barriers."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench._run import Place, place, steps
from bench._table import Anchor, median, row, timed, usual

STEPS = 200


def main() -> None:
    bash = ["/bin/bash", "-c", "echo hi"]

    def alone() -> None:
        subprocess.run(bash, stdout=subprocess.DEVNULL, check=True)

    anchor = Anchor("bash alone", usual(timed(50, alone)))
    with place() as folder:
        here = Place(Path(folder))
        here.run(steps(1))  # proves the sandbox once for this home
        one = here.run(steps(1), "--permission", "workspace-write")
        taken = here.run(steps(STEPS), "--permission", "workspace-write")
        free = here.run(steps(STEPS // 4), "--permission", "danger-full-access")
    row("step in the sandbox, median", median(taken.gaps), "ms", anchor, "≤ 13 ms")
    row("step in the sandbox, lower quartile", usual(taken.gaps), "ms", anchor)
    row("step without a sandbox, median", median(free.gaps), "ms", anchor)
    row("CPU of a step", (taken.cpu - one.cpu) / (STEPS - 1), "ms", anchor)
    early, late = median(taken.gaps[:40]), median(taken.gaps[-40:])
    row("last 40 steps", late, "ms", Anchor("first 40 steps", early), "no growth")
    wall = Anchor("the wish", 3000)
    row(f"{STEPS} steps from start to end", taken.wall, "ms", wall, "≤ 3000 ms")
    row("memory after them", taken.memory, "MB", Anchor("the wish", 80), "≤ 80 MB")


if __name__ == "__main__":
    main()
