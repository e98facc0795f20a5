"""The main thread's side of the window.

A web view owns the main thread for as long as its window lives; the program's loop runs
in another thread and reaches the window only through this class.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from dsh.data.paths import Home
from dsh.surfaces.window.geometry import MIN_SIZE, Geometry, load, save
from dsh.surfaces.window.toolkit import Toolkit

TITLE = "DSH Desktop"


class Screen:
    """Opens the window when there is something to show, and tells when it was closed."""

    def __init__(self, home: Home, toolkit: Toolkit) -> None:
        self.toolkit = toolkit
        self.dialog_open = False
        self._home = home
        self._geometry = Geometry()
        self._ready = threading.Event()
        self._url: str | None = None
        self._html: str | None = None
        self._window: Any = None  # Any: pywebview has no types
        self._changing = threading.Lock()
        self._closed = False

    # -- main thread -----------------------------------------------------------

    def run(self, closed: Callable[[], None]) -> None:
        """Show the window until it is closed, then call ``closed``.

        Returns at once when :meth:`close` comes before there was anything to show.
        """
        try:
            self._show()
        finally:
            self._closed = True
            closed()

    def _show(self) -> None:
        # Imported here, while the other thread boots: it costs a quarter of a second.
        import webview

        self._ready.wait()
        webview.settings["ALLOW_DOWNLOADS"] = False
        webview.settings["ALLOW_FILE_URLS"] = False
        webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = True
        with self._changing:
            if not self._closed:
                self._window = self._created(webview.create_window)
        if self._window is not None:
            webview.start(gui=self.toolkit, private_mode=True)

    def _created(self, create: Callable[..., Any]) -> Any:  # Any: as for the window
        geometry = self._geometry = load(self._home)
        window = create(
            TITLE,
            url=self._url,
            html=self._html,
            width=geometry.width,
            height=geometry.height,
            x=geometry.x,
            y=geometry.y,
            min_size=MIN_SIZE,
            text_select=True,
            zoomable=True,
            background_color="#f1efeb",
        )
        window.events.closing += self._may_close
        window.events.resized += self._resized
        window.events.moved += self._moved
        return window

    def _may_close(self) -> bool:
        """Refuse to close while a native dialog is open.

        Destroying a GTK window under its own dialog hangs the process. Runs on the
        toolkit's thread, so asking the window for anything would wait for itself.
        """
        if self.dialog_open:
            return False
        save(self._home, self._geometry)
        self._closed = True
        return True

    def _resized(self, width: float, height: float) -> None:
        self._changed(width=int(width), height=int(height))

    def _moved(self, x: float, y: float) -> None:
        self._changed(x=int(x), y=int(y))

    def _changed(self, **values: int) -> None:
        try:
            changed = {**self._geometry.model_dump(), **values}
            self._geometry = Geometry.model_validate(changed)
        except ValidationError:  # minimised to nothing, or nonsense of a toolkit
            return

    # -- any thread ------------------------------------------------------------

    def open(self, url: str) -> None:
        """Show the page behind ``url``."""
        self._url = url
        self._ready.set()

    def open_text(self, page: str) -> None:
        """Show a page that needs no host: why there is none."""
        self._html = page
        self._ready.set()

    def close(self) -> None:
        """Close the window, or do not open it any more."""
        with self._changing:
            closed, self._closed = self._closed, True
        self._ready.set()
        if not closed and self._window is not None:
            self._window.destroy()

    @property
    def window(self) -> Any:  # Any: pywebview has no types
        """The pywebview window; ``None`` before it is open."""
        return self._window

    def focus(self) -> None:
        """Bring the window to the front; may block until it is open."""
        if self._window is None:
            return
        if self.toolkit == "gtk":
            # Imported here: present in the GTK build only.
            from gi.repository import GLib

            GLib.idle_add(self._present)
        else:
            self._window.show()
            self._window.restore()

    def _present(self) -> bool:
        """On the toolkit's thread, where nothing can close the window meanwhile: GTK ends
        the process when a window is presented that is gone.
        """
        native = getattr(self._window, "native", None)
        if native is not None and not self._closed:
            native.deiconify()
            native.present()
        return False  # do not call again
