"""A person at a screen: windows, keys and pixels, with a window manager."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from support.display import display, windowed
from support.program import Client, run_dsh
from support.waiting import until

# An empty window has two or three; the start page has hundreds.
COLOURS_OF_A_PAGE = 60


class Desktop:
    """The display ``name`` and what a person can do on it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, *words: str) -> str:
        """A tool's output; empty where it found nothing."""
        done = subprocess.run(
            words,
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        return done.stdout.strip()

    def windows(self, title: str = ".") -> set[str]:
        """The visible windows whose title matches."""
        found = self.run("xdotool", "search", "--onlyvisible", "--name", title)
        return set(found.split())

    def window(self, title: str, others: Collection[str] = ()) -> str:
        """The one other window with this title, once it is there."""
        found = until(
            lambda: self.windows(title).difference(others), f"a window {title!r}"
        )
        [one] = found
        return one

    def gone(self, window: str) -> None:
        """Until a window is not shown any more."""
        until(lambda: window not in self.windows(), "the window's end")

    def focus(self, window: str) -> None:
        """Bring a window to the front, as by a click on its title."""
        self.run("xdotool", "windowactivate", "--sync", window)
        until(lambda: self.active == window, "the focus")

    @property
    def active(self) -> str:
        """The window that has the keyboard."""
        return self.run("xdotool", "getactivewindow")

    def press(self, *chords: str) -> None:
        """Keys for whatever has the focus."""
        self.run("xdotool", "key", "--clearmodifiers", *chords)

    def type(self, text: str) -> None:
        """Text for whatever has the focus."""
        self.run("xdotool", "type", "--clearmodifiers", "--delay", "8", text)

    def place(self, window: str) -> tuple[int, int, int, int]:
        """x, y, width and height of a window's content, on the screen."""
        told = self.run("xdotool", "getwindowgeometry", "--shell", window)
        facts = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
        return (
            int(facts["X"]),
            int(facts["Y"]),
            int(facts["WIDTH"]),
            int(facts["HEIGHT"]),
        )

    def picture(self) -> str:
        """A mark of what is on the screen, once nothing moves there."""

        def mark() -> str:
            return self.run("import", "-window", "root", "-format", "%#", "info:")

        def still() -> str:
            first = mark()
            return first if first == mark() else ""

        return until(still, "a screen on which nothing moves")

    def colours(self) -> int:
        """How many colours are on the screen."""
        told = self.run("import", "-window", "root", "-format", "%k", "info:")
        return int(told or 0)

    def shows_a_page(self) -> bool:
        """Whether there is more than an empty window, and it has settled."""
        first, second = self.colours(), self.colours()
        return first > COLOURS_OF_A_PAGE and abs(first - second) < 9


@contextmanager
def desktop() -> Iterator[Desktop]:
    """A fresh display with a window manager."""
    with display() as name:
        found = Desktop(name)
        with subprocess.Popen(
            ["openbox", "--sm-disable"],
            env={**os.environ, "DISPLAY": name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as manager:
            try:
                until(lambda: found.run("xdotool", "get_num_desktops"), "openbox")
                yield found
            finally:
                manager.terminate()
                manager.wait(10)


class Shown:
    """The program with its window, and a client beside the page."""

    def __init__(
        self, screen: Desktop, home: Path, process: subprocess.Popen[str], client: Client
    ) -> None:
        self.screen = screen
        self.home = home
        self.process = process
        self.client = client
        self.window = screen.window("DSH Desktop")

    def settled(self) -> None:
        """Until the window shows the page and has the keyboard."""
        until(self.screen.shows_a_page, "the page")
        self.screen.focus(self.window)

    def dialog(self) -> str:
        """The dialog over the window, once it has the keyboard."""
        found = self.screen.window(".", {self.window})
        self.screen.focus(found)
        return found

    def workspaces(self) -> list[str]:
        """The folders that are known."""
        return [w["path"] for w in self.client.call("workspace/list")["workspaces"]]


@contextmanager
def showing(screen: Desktop, home: Path, *words: str) -> Iterator[Shown]:
    """The program with its window, from its page to whatever ends it."""
    with windowed(home, *words, screen=screen.name) as process:
        ready = json.loads(run_dsh("--headless", home=home).stdout)
        client = Client(ready["origin"], ready["url"])
        try:
            shown = Shown(screen, home, process, client)
            shown.settled()
            yield shown
        finally:
            client.http.close()
