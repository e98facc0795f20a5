"""Runs the program's event loop, and does not wait for what refuses to end."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

LEFTOVER_SECONDS: Final = 0.5
LEAVE_SECONDS: Final = 4.5  # after a signal to stop; it is promised within 5


def run_loop(main: Coroutine[Any, Any, T]) -> T:  # Any: what a coroutine sends in between
    """As ``asyncio.run``, for a program that leaves afterwards by itself.

    A plugin's task that ignores its cancellation, or a thread that never returns, was
    named by the kernel already. ``asyncio.run`` would wait for it for ever.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        if runner.run(_ended()):
            runner.get_loop().close()


def leave_soon() -> None:
    """Leave after a bounded time at all events: call it when the end begins.

    A plugin that blocks the loop, or a dialog that blocks the window, is left behind;
    what was acknowledged is written, and the supervisor ends every child of a program
    that is gone.
    """
    timer = threading.Timer(LEAVE_SECONDS, os._exit, (1,))
    timer.daemon = True
    timer.start()


def stop_on_signals(stop: Callable[[], None]) -> None:
    """Call ``stop`` in this loop on SIGINT or SIGTERM. From the main thread."""
    loop = asyncio.get_running_loop()

    def handle(*_: object) -> None:
        leave_soon()
        loop.call_soon_threadsafe(stop)

    # Not the loop's own handlers: those wait for a loop that may be blocked.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


async def _ended() -> bool:
    """Whether every task that was left over has ended, after being told to."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        _, left = await asyncio.wait(left, timeout=LEFTOVER_SECONDS)
    return not left
