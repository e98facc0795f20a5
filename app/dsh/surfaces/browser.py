"""Opens the page in the system browser where there is no web view of our own."""

from __future__ import annotations

import html
import webbrowser
from contextlib import suppress

from dsh.data.paths import Home
from dsh.data.private_files import write_private

_PAGE = (
    '<!doctype html><meta charset="utf-8"><title>DSH Desktop</title>'
    '<meta http-equiv="refresh" content="0;url={url}"><a href="{url}">DSH Desktop</a>'
)


def open_in_browser(home: Home, url: str) -> bool:
    """Open a one-use URL; ``False`` when no browser could be started.

    It goes through a file that only this person can read: everybody on this machine can
    read a browser's command line.
    """
    path = home.state / "open.html"
    try:
        home.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_private(path, _PAGE.format(url=html.escape(url)).encode())
    except OSError:
        return False
    with suppress(webbrowser.Error):
        return webbrowser.open(path.as_uri())
    return False
