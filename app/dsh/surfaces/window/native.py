"""Native dialogs of the open window."""

from __future__ import annotations

import os
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio

from dsh.errors import SurfaceError
from dsh.kernel import Scope
from dsh.seams.native_shell import DialogBusy, NativeShell
from dsh.seams.subprocess import Subprocess
from dsh.surfaces.window.screen import Screen
from dsh.surfaces.window.secret import ask_secret

T = TypeVar("T")

OPENING_SECONDS = 10.0


class WindowShell(NativeShell):
    """Dialogs through pywebview, which marshals to the thread of the toolkit itself.

    Every call waits in a worker thread; the host goes on answering meanwhile.
    """

    def __init__(self, screen: Screen, scope: Scope) -> None:
        self._screen = screen
        self._scope = scope
        self._lock = anyio.Lock()

    async def choose_folder(self, title: str, start: Path | None = None) -> Path | None:
        del title  # pywebview's dialogs bring their own
        return await self._choose("FOLDER", start)

    async def choose_file(self, title: str, start: Path | None = None) -> Path | None:
        del title
        return await self._choose("OPEN", start)

    async def save_file(self, title: str, name: str) -> Path | None:
        del title
        return await self._choose("SAVE", None, name)

    async def ask_secret(self, title: str, prompt: str) -> str | None:
        return await self._alone(
            lambda: ask_secret(self._screen.toolkit, self._screen.window, title, prompt)
        )

    async def open_path(self, path: Path) -> bool:
        return await anyio.to_thread.run_sync(_open, str(path), self._environment())

    async def open_url(self, url: str) -> bool:
        if urlsplit(url).scheme not in ("http", "https"):
            message = "only web addresses are opened"
            raise SurfaceError(message, code="URL_REFUSED")
        return await anyio.to_thread.run_sync(_open, url, self._environment())

    def focus(self) -> None:
        self._screen.focus()

    def _environment(self) -> dict[str, str]:
        """The environment of children: without secrets and the bundle's variables.

        Asked for when it is needed; the window does not wait for who offers it.
        """
        processes = self._scope.find(Subprocess)
        return processes.environment() if processes is not None else dict(os.environ)

    async def _choose(self, kind: str, start: Path | None, name: str = "") -> Path | None:
        # Imported here: the window is open, so it is loaded already.
        import webview

        dialog = getattr(webview.FileDialog, kind)
        directory = str(start) if start is not None else ""

        def show() -> Any:  # Any: pywebview gives a tuple of paths, a path, or None
            return self._screen.window.create_file_dialog(
                dialog, directory=directory, save_filename=name
            )

        chosen = await self._alone(show)
        if not chosen:
            return None
        return Path(chosen if isinstance(chosen, str) else chosen[0])

    async def _alone(self, dialog: Callable[[], T]) -> T:
        try:
            self._lock.acquire_nowait()
        except anyio.WouldBlock:
            raise DialogBusy("another dialog is open") from None
        self._screen.dialog_open = True
        try:
            # Not abandoned on cancellation: the dialog is still on the screen then.
            return await anyio.to_thread.run_sync(dialog)
        finally:
            self._screen.dialog_open = False
            self._lock.release()


def _open(target: str, environment: dict[str, str]) -> bool:
    """Hand a path or web address to the desktop's own opener."""
    if sys.platform == "win32":
        os.startfile(target)  # noqa: S606  # a path or web address, checked above
        return True
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        opening = subprocess.Popen(
            [opener, target],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return target.startswith("http") and webbrowser.open(target)
    try:
        return opening.wait(OPENING_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return True  # it became the program that shows it, and lives as long as that
