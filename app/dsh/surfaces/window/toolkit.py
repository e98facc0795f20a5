"""Which web view this machine has, found out before anything can abort the process."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Literal

Toolkit = Literal["gtk", "qt", "cocoa", "edgechromium"]


def has_screen() -> bool:
    """Whether a window can be shown. Both Linux toolkits end the process without one,
    and neither lets it be caught.
    """
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def find_toolkit() -> Toolkit | None:
    """The toolkit to name to pywebview, which would silently fall back otherwise.

    ``None`` when no web view is installed; the page then opens in the system browser.
    """
    if sys.platform == "darwin":
        return "cocoa"
    if sys.platform == "win32":
        return "edgechromium"
    if _has_gtk():
        return "gtk"
    if importlib.util.find_spec("qtpy") and importlib.util.find_spec("PySide6"):
        return "qt"
    return None


def _has_gtk() -> bool:
    try:
        # Imported here: only the window needs it, and it takes its time.
        import gi

        gi.require_version("Gtk", "3.0")
        gi.require_version("WebKit2", "4.1")
    except (ImportError, ValueError):
        return False
    return True
