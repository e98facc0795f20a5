"""The window: its page, its own dialogs, its place, its later starts, its end."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest

from support.program import DSH, environment, run_dsh
from support.screen import Desktop, Shown, desktop, showing
from support.scripted_model import says
from support.served import served
from support.waiting import gone, until

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="drives an X display"),
]
SECRET = "sk-typed-into-a-dialog-0123456789"


@pytest.fixture
def screen() -> Iterator[Desktop]:
    with desktop() as found:
        yield found


@pytest.fixture
def shown(screen: Desktop, tmp_path: Path) -> Iterator[Shown]:
    with showing(screen, tmp_path / "home") as found:
        yield found


def folder_dialog(shown: Shown) -> str:
    """Ask the page for a folder; a key that comes before it listens is lost."""
    for _ in range(3):
        shown.screen.press("ctrl+o")
        with suppress(AssertionError):
            until(lambda: len(shown.screen.windows()) > 1, "a dialog", seconds=4)
            break
    return shown.dialog()


def choose(shown: Shown, dialog: str, folder: Path) -> None:
    """Answer the system's folder dialog by a path."""
    screen = shown.screen
    before = screen.picture()
    screen.press("slash")  # opens the field for a path, which takes a moment
    until(lambda: screen.picture() != before, "the field for a path")
    screen.press("ctrl+a")
    screen.type(str(folder))
    screen.press("Return")
    screen.gone(dialog)


def test_the_systems_own_dialog_adds_a_folder_and_its_cancel_adds_nothing(
    shown: Shown, tmp_path: Path
) -> None:
    assert shown.client.call("host/describe")["native"] is True
    folder = tmp_path / "my project"
    folder.mkdir()
    dialog = folder_dialog(shown)
    shown.screen.press("Escape")
    shown.screen.gone(dialog)
    assert shown.workspaces() == []
    shown.screen.focus(shown.window)
    choose(shown, folder_dialog(shown), folder)
    until(lambda: shown.workspaces() == [str(folder)], "the folder")
    # The page goes on: what is typed now is a message to the agent in that folder.
    shown.screen.focus(shown.window)
    shown.screen.picture()
    shown.screen.type("run echo made > made.txt")
    shown.screen.press("Return")
    until((folder / "made.txt").exists, "the command")


def test_a_key_typed_into_the_systems_dialog_never_reaches_the_page(
    shown: Shown,
) -> None:
    with served([says("Signed.")]) as model:
        saved = shown.client.call(
            "model/saveProvider",
            id="mine",
            label="Mine",
            dialect="openai-chat",
            baseUrl=model.model.url,
            models=["scripted"],
        )
        ref = saved["credential"]["ref"]
        refused = shown.client.post("credentials/set", {"ref": ref, "value": SECRET})
        assert refused.status_code >= 400  # with a window only the dialog asks
        answers: list[dict[str, Any]] = []
        asking = threading.Thread(
            target=lambda: answers.append(
                shown.client.call("credentials/prompt", ref=ref, label="Mine")
            )
        )
        asking.start()
        dialog = shown.dialog()
        shown.screen.type(SECRET)
        shown.screen.press("Return")
        shown.screen.gone(dialog)
        asking.join(20)
        assert answers == [{"configured": True}]
        result = shown.client.call("model/test", providerId="mine")
        assert all(step["ok"] for step in result["steps"]), result
        assert model.chats[-1].headers["authorization"] == f"Bearer {SECRET}"
        for method in ("model/list", "settings/describe", "ui/state"):
            assert SECRET not in json.dumps(shown.client.call(method))


def test_cancelling_the_dialog_for_a_key_stores_none(shown: Shown) -> None:
    answers: list[dict[str, Any]] = []
    saved = shown.client.call(
        "model/saveProvider",
        id="mine",
        label="Mine",
        dialect="openai-chat",
        baseUrl="http://127.0.0.1:9/v1",
        models=["m"],
    )
    ref = saved["credential"]["ref"]
    asking = threading.Thread(
        target=lambda: answers.append(
            shown.client.call("credentials/prompt", ref=ref, label="Mine")
        )
    )
    asking.start()
    dialog = shown.dialog()
    # A second question has to wait for the first.
    busy = shown.client.post("host/pickDirectory", {})
    assert busy.status_code == 409
    shown.screen.press("Escape")
    shown.screen.gone(dialog)
    asking.join(20)
    assert answers == [{"configured": False}]


OTHER = """
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
Gtk.Window(title="Other").show()
Gtk.main()
"""


def test_a_second_start_brings_the_window_to_the_front_with_its_folder(
    shown: Shown, tmp_path: Path
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    screen = shown.screen
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], env=environment(shown.home, DISPLAY=screen.name)
    ) as other:
        over = screen.window("Other", {shown.window})
        screen.focus(over)
        again = run_dsh(str(folder), home=shown.home, DISPLAY=screen.name)
        assert (again.returncode, again.stdout) == (0, "")
        until(lambda: screen.active == shown.window, "the window in front")
        other.terminate()
    until(lambda: shown.workspaces() == [str(folder)], "the folder")
    assert len(screen.windows("DSH Desktop")) == 1


def test_of_many_impatient_starts_one_window_stays(
    screen: Desktop, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    starts = [
        subprocess.Popen(
            DSH,
            env=environment(home, DISPLAY=screen.name),
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(8)
    ]
    try:
        until(lambda: sum(s.poll() is None for s in starts) == 1, "one that stays")
        assert sorted(s.poll() or 0 for s in starts if s.poll() is not None) == [0] * 7
        screen.window("DSH Desktop")
        until(screen.shows_a_page, "the page")
    finally:
        for start in starts:
            start.terminate()
        for start in starts:
            start.wait(10)


def test_closing_the_window_ends_everything_and_its_place_is_kept(
    screen: Desktop, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with showing(screen, home) as first:
        root = psutil.Process(first.process.pid)
        family = [root, *root.children(recursive=True)]
        assert len(family) > 1
        screen.run("xdotool", "windowsize", "--sync", first.window, "900", "640")
        screen.run("xdotool", "windowmove", "--sync", first.window, "140", "90")
        screen.picture()
        place = screen.place(first.window)
        assert place[2:] == (900, 640)
        screen.focus(first.window)
        screen.press("alt+F4")
        assert first.process.wait(10) == 0
        assert gone(family, 8)
    with showing(screen, home) as second:
        found = screen.place(second.window)
        assert found[2:] == place[2:]
        assert abs(found[0] - place[0]) < 60 and abs(found[1] - place[1]) < 60


PROBE = """<!doctype html><title>probe</title><script>
const told = () => {
  const api = window.pywebview?.api ?? {};
  const names = [];
  for (const name in api) names.push(name);
  fetch("/told?" + new URLSearchParams({names: JSON.stringify(names)}));
};
addEventListener("pywebviewready", told);
setTimeout(told, 3000);
</script>"""
OPEN = """
import sys, threading
from pathlib import Path
from dsh.data.paths import Home
from dsh.surfaces.window.screen import Screen
screen = Screen(Home(Path(sys.argv[1])), "gtk")
screen.open(sys.argv[2])
threading.Thread(target=lambda: (sys.stdin.read(), screen.close())).start()
screen.run(lambda: None)
"""


def test_a_page_in_the_window_gets_no_function_of_the_program(
    screen: Desktop, tmp_path: Path
) -> None:
    told: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/told":
                told.extend(parse_qs(url.query)["names"])
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(PROBE.encode() if url.path == "/" else b"")

        def log_message(self, *_: Any) -> None:  # Any: as its parent has it
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        words = ["-c", OPEN, str(tmp_path), f"http://127.0.0.1:{server.server_port}/"]
        with subprocess.Popen(
            [sys.executable, *words],
            env=environment(tmp_path / "home", DISPLAY=screen.name),
            stdin=subprocess.PIPE,
        ) as window:
            until(lambda: told, "the page's report")
            assert window.stdin is not None
            window.stdin.close()
            assert window.wait(10) == 0
    finally:
        server.shutdown()
        server.server_close()
        serving.join(10)
    assert json.loads(told[0]) == []


def test_without_a_display_it_prints_a_link_and_serves(tmp_path: Path) -> None:
    variables = environment(tmp_path / "home", BROWSER="true")
    with subprocess.Popen(
        DSH,
        env=variables,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        lines = [program.stdout.readline()]
        while "http://" not in lines[-1] and lines[-1]:
            lines.append(program.stdout.readline())
        url = lines[-1].strip()
        again = run_dsh("--headless", home=tmp_path / "home")
        assert json.loads(again.stdout)["pid"] == program.pid
        assert url.startswith("http://127.0.0.1:") and "/boot?t=" in url
        program.terminate()
        assert program.wait(8) == 0
