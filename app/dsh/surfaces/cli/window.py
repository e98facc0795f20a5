"""`dsh`: the window, or the host alone; one program per user and home."""

from __future__ import annotations

import asyncio
import html
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import anyio

from dsh.composition.patches import Layer, switching_off
from dsh.composition.profiles import Composition
from dsh.data.paths import Home
from dsh.errors import DSHError, describe
from dsh.surfaces.browser import open_in_browser
from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.cli.output import own_output
from dsh.surfaces.cli.selection import composition_of, home_of
from dsh.surfaces.logs import keep_log
from dsh.surfaces.loop import LEAVE_SECONDS, leave_soon, run_loop, stop_on_signals
from dsh.surfaces.serving import Serving
from dsh.surfaces.window.instance import (
    AlreadyRunning,
    Arguments,
    Reply,
    answer_later_starts,
    claim_or_hand_over,
)
from dsh.surfaces.window.screen import Screen
from dsh.surfaces.window.toolkit import find_toolkit, has_screen

NO_WINDOW = switching_off("launcher: no window", "window")


def execute(options: Options) -> int:
    """Serve until the window is closed, or a signal comes; 0 then."""
    home = home_of(options)
    folder = _folder(options)
    arguments = Arguments(
        folder=str(folder) if folder else None, headless=options.headless
    )
    # Before anything slow: impatient people click again.
    first = claim_or_hand_over(home, arguments)
    if isinstance(first, Reply):
        if options.headless and first.url is None:
            message = "DSH Desktop already runs, but could not start its host"
            raise AlreadyRunning(message, remedy="its window says why; close it first")
        if options.headless or not first.window:
            _show(home, options, first, sys.stdout)
        return 0
    with first:
        keep_log(home)
        toolkit = find_toolkit() if has_screen() and not options.headless else None
        if toolkit is None:
            return _without_window(home, options)
        return _with_window(home, options, Screen(home, toolkit))


def _show(home: Home, options: Options, reply: Reply, output: TextIO) -> None:
    """Say where the page is: to a program, in a browser, or to a person at a terminal."""
    url = reply.url or ""
    if options.headless:
        output.write(_ready_line(home, reply))
    elif not (has_screen() and open_in_browser(home, url)):
        output.write(f"Open within a minute:\n{url}\n")
    output.flush()


def _composition(home: Home, options: Options, *layers: Layer) -> Composition:
    if options.port:
        change = {"id": "host", "config": {"port": options.port}}
        layers = (*layers, Layer("launcher: --port", [change], strict=False))
    return composition_of(options, home, "desktop", *layers)


def _folder(options: Options) -> Path | None:
    return options.folder.expanduser().resolve() if options.folder else None


def _without_window(home: Home, options: Options) -> int:
    serving = Serving(_composition(home, options, NO_WINDOW), _folder(options))

    async def serve(output: TextIO) -> None:
        stop_on_signals(serving.stop)
        await serving.run(lambda reply: _show(home, options, reply, output))

    with own_output() as output:
        run_loop(serve(output))
    return 0


def _ready_line(home: Home, reply: Reply) -> str:
    # Imported here: only this one line is JSON of our own making.
    import json

    line = {
        "event": "ready",
        "url": reply.url,
        "origin": reply.origin,
        "pid": reply.pid,
        "home": str(home.root),
    }
    return json.dumps(line) + "\n"


def _with_window(home: Home, options: Options, screen: Screen) -> int:
    background = _Background(home, options, screen)
    # Most toolkits' loops let no Python handler run, but the wake-up descriptor is
    # written by the signal itself; GTK's takes the descriptor and runs the handler.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: background.signals.send(b"s"))
    signal.set_wakeup_fd(background.signals.fileno(), warn_on_full_buffer=False)
    background.start()
    try:
        screen.run(background.stop)
    finally:
        code = background.join()
    return code


class _Background:
    """The program's loop in the thread beside the window's."""

    def __init__(self, home: Home, options: Options, screen: Screen) -> None:
        self._home = home
        self._options = options
        self._screen = screen
        self._thread = threading.Thread(target=self._run, name="dsh loop")
        self._signal = threading.Thread(target=self._leave_on_signal, name="dsh signals")
        self._incoming, self.signals = socket.socketpair()
        self.signals.setblocking(False)  # noqa: FBT003  # its only form
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: Callable[[], None] = lambda: None
        self._closed = threading.Event()
        self._code = 0

    def start(self) -> None:
        """Start the threads."""
        self._thread.start()
        self._signal.start()

    def stop(self) -> None:
        """The window was closed: stop the rest. Called on the main thread."""
        self._closed.set()
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._end)

    def join(self) -> int:
        """Wait for the end. A part that hangs is left behind after a bounded time."""
        self._thread.join(LEAVE_SECONDS)
        signal.set_wakeup_fd(-1)
        self.signals.close()  # which ends the other thread
        self._signal.join(LEAVE_SECONDS)
        self._incoming.close()
        return self._code

    def _leave_on_signal(self) -> None:
        """Close the window on the first signal, which stops the rest. In a thread of its
        own: both others may be busy with something that never ends.
        """
        if self._incoming.recv(1):
            leave_soon()
            self._screen.close()

    def _run(self) -> None:
        try:
            run_loop(self._serve())
        except Exception as error:  # whatever it is, a person must see it
            self._code = 1
            logging.getLogger(__name__).error("no host", exc_info=error)
            self._screen.open_text(_trouble(error, self._home))
            run_loop(self._stay())

    async def _serve(self) -> None:
        composition = _composition(self._home, self._options)
        services = ((type(self._screen), self._screen),)
        serving = Serving(composition, _folder(self._options), services)
        self._until_closed(serving.stop)
        await serving.run(lambda _: None)

    async def _stay(self) -> None:
        """Show what is wrong to later starts, too, until the window is closed."""
        closed = anyio.Event()
        self._until_closed(closed.set)
        async with anyio.create_task_group() as group:
            group.start_soon(answer_later_starts, self._home, self._show_again)
            await closed.wait()
            group.cancel_scope.cancel()

    async def _show_again(self, arguments: Arguments) -> Reply:
        if not arguments.headless:
            await anyio.to_thread.run_sync(self._screen.focus)
        return Reply(window=True, pid=os.getpid())

    def _until_closed(self, end: Callable[[], None]) -> None:
        """Have the present loop ``end`` when the window is closed, if it is not yet."""
        self._end, self._loop = end, asyncio.get_running_loop()
        if self._closed.is_set():
            end()


_TROUBLE = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>DSH Desktop</title><style>
body{{font:15px/1.6 system-ui,sans-serif;margin:12vh auto;max-width:42em;padding:0 2em}}
pre{{white-space:pre-wrap;background:#f4f2ee;padding:1em;border-radius:9px}}
</style><h2>DSH Desktop could not start its host</h2>
<pre>{message}</pre><p>Your sessions and settings are untouched. {remedy}</p>
<p>The log is in {logs}. <code>dsh --safe-mode</code> starts only what ships with the
program; <code>dsh doctor</code> says more.</p>
<p lang="zh">DSH Desktop 未能启动。会话和设置没有改变。<code>dsh --safe-mode</code>
只启动程序自带的部分；<code>dsh doctor</code> 给出详细信息。</p></html>"""


def _trouble(error: Exception, home: Home) -> str:
    remedy = error.remedy if isinstance(error, DSHError) else None
    return _TROUBLE.format(
        message=html.escape(describe(error)),
        remedy=html.escape(remedy or ""),
        logs=html.escape(str(home.logs)),
    )
