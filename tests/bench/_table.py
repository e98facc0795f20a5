"""Rows of figures, each beside an anchor measured in the same run.

Machines differ and are busy; what can be compared is the ratio to the anchor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class Anchor:
    """What a figure is held against; ``value`` has the figure's unit."""

    def __init__(self, name: str, value: float) -> None:
        self.name = name
        self.value = value


def row(what: str, value: float, unit: str, anchor: Anchor, budget: str = "") -> None:
    """Print one row."""
    ratio = f"{value / anchor.value:.2f} ×"
    base = f"{anchor.name} ({anchor.value:.4g} {unit})"
    wanted = f"  wanted: {budget}" if budget else ""
    print(f"{what:<46} {value:>8.4g} {unit:<5} {ratio:>9} {base}{wanted}", flush=True)


def usual(values: Sequence[float]) -> float:
    """The lower quartile: what a run takes when nobody interrupts it."""
    return sorted(values)[len(values) // 4]


def median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def timed(count: int, work: Callable[[], object]) -> list[float]:
    """Milliseconds that each of ``count`` calls took."""
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1e3)
    return taken
