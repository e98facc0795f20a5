"""Where time enters the program."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Wall-clock time in whole milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def monotonic() -> float:
    """Seconds on a clock that never goes back; only differences mean something."""
    return time.monotonic()
