"""A long answer in small pieces: how far behind its last byte the program ends."""

from __future__ import annotations

import json
from pathlib import Path

from bench._run import Place, place
from bench._table import Anchor, row, timed, usual
from support.scripted_model import chunk, says

DELTAS = 5000
PAUSE = 0.00015  # seconds between batches of events
RUNS = 5


def main() -> None:
    words = [f"w{number:04} " for number in range(DELTAS)]
    texts = [json.dumps(chunk({"content": word})) for word in words]

    def parse() -> None:
        for text in texts:
            json.loads(text)

    anchor = Anchor("parsing their JSON", usual(timed(RUNS, parse)))
    with place() as folder:
        here = Place(Path(folder))
        here.run([says("done")])
        short = usual([here.run([says("done")]).after for _ in range(RUNS)])
        paced = [here.run([says(*words)], pause=PAUSE).after for _ in range(RUNS)]
        burst = usual([here.run([says(*words)]).after for _ in range(RUNS)])
    row(f"{DELTAS} deltas: last byte → end", usual(paced), "ms", anchor, "≤ 50 ms")
    row("all of them at once: last byte → end", burst, "ms", anchor)
    row("the same", burst, "ms", Anchor("a short answer", short))


if __name__ == "__main__":
    main()
