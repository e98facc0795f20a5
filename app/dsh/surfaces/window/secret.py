"""A native dialog that asks for a secret without echoing it."""

from __future__ import annotations

import subprocess
import threading
from typing import Any

from dsh.errors import SurfaceError
from dsh.surfaces.window.toolkit import Toolkit


def ask_secret(toolkit: Toolkit, window: Any, title: str, prompt: str) -> str | None:
    """Ask and wait; blocks, so call it in a worker thread. ``None``: cancelled.

    ``window`` is a pywebview window, which has no types.
    """
    match toolkit:
        case "gtk":
            return _gtk(window, title, prompt)
        case "cocoa":
            return _cocoa(title, prompt)
        case "qt" | "edgechromium":
            message = "this toolkit has no dialog for secrets"
            remedy = "set the key as an environment variable instead"
            raise SurfaceError(message, code="NO_NATIVE", remedy=remedy)


def _gtk(window: Any, title: str, prompt: str) -> str | None:  # Any: as above
    # Imported here: present in the GTK build only, and loaded with the window.
    from gi.repository import GLib

    answer: list[str | None] = [None]
    done = threading.Event()

    def show() -> bool:
        try:
            answer[0] = _run_gtk(window, title, prompt)
        finally:
            done.set()
        return False  # do not call again

    GLib.idle_add(show)
    done.wait()
    return answer[0]


def _run_gtk(window: Any, title: str, prompt: str) -> str | None:  # Any: as above
    # Imported here: as above.
    from gi.repository import Gtk

    dialog = Gtk.Dialog(title=title, transient_for=window.native, modal=True)
    try:
        dialog.add_button("_Cancel", Gtk.ResponseType.CANCEL)
        dialog.add_button("_OK", Gtk.ResponseType.OK)
        dialog.set_default_response(Gtk.ResponseType.OK)
        entry = Gtk.Entry(visibility=False, activates_default=True, width_chars=44)
        entry.set_input_purpose(Gtk.InputPurpose.PASSWORD)
        box = dialog.get_content_area()
        box.set_property("margin", 14)
        box.set_spacing(8)
        box.add(Gtk.Label(label=prompt, xalign=0, wrap=True))
        box.add(entry)
        dialog.show_all()
        answered = dialog.run() == Gtk.ResponseType.OK
        text = entry.get_text()
        entry.set_text("")
        return str(text) if answered else None
    finally:
        dialog.destroy()


def _cocoa(title: str, prompt: str) -> str | None:
    """The system's own dialog, through its scripting; not yet run on macOS."""
    script = (
        "on run argv\n"
        "display dialog (item 2 of argv) with title (item 1 of argv) "
        'default answer "" with hidden answer\n'
        "return text returned of result\n"
        "end run"
    )
    done = subprocess.run(
        ["/usr/bin/osascript", "-e", script, title, prompt],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.removesuffix("\n") if done.returncode == 0 else None
