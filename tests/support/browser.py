"""A person at the page: real Chromium on the real program."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    ProxySettings,
    expect,
    sync_playwright,
)

from dsh.surfaces.host.pages import STATIC
from support.program import Program, headless
from support.stored import Event, endings, events, logs
from support.waiting import PATIENCE, until

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE = (1280, 800)
_CALL = """async ([method, body]) => {
  const token = document.querySelector('meta[name="dsh-page-token"]').content;
  const headers = {"content-type": "application/json", "x-dsh-page": token};
  const sent = {method: "POST", headers, body: JSON.stringify(body)};
  const answer = await fetch("/api/" + method, sent);
  if (!answer.ok) throw new Error(method + ": " + await answer.text());
  return JSON.stringify(await answer.json());
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. While the block is open no other event loop can run in this thread."""
    built = (STATIC / "index.html").is_file()
    assert built, "the page is not built: run `python3 dev.py setup` first"
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What a page must never do: fail in its script, open a dialog, leave its host."""

    def __init__(self, origin: str, allowed: Sequence[str] = ()) -> None:
        self.faults: list[str] = []
        self._origin = origin
        self._allowed = (*allowed, "data:", "blob:")

    def over(self, page: Page) -> None:
        """Begin to watch."""
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", lambda told: self._told(told.type, told.text))
        page.on("dialog", lambda dialog: self._dialog(dialog.message, dialog.dismiss))
        page.on("request", lambda request: self._asked(request.url))
        page.on("popup", lambda popup: self.faults.append(f"popup: {popup.url}"))

    def _told(self, kind: str, text: str) -> None:
        if kind == "error" and not any(words in text for words in self._allowed):
            self.faults.append(f"console: {text}")

    def _dialog(self, message: str, dismiss: Callable[[], None]) -> None:
        self.faults.append(f"dialog: {message}")
        dismiss()

    def _asked(self, url: str) -> None:
        if not url.startswith((self._origin, *self._allowed)):
            self.faults.append(f"request: {url}")


class Desk:
    """One page of the program, and what a person does with it."""

    def __init__(self, program: Program, page: Page, home: Path, work: Path) -> None:
        self.program = program
        self.page = page
        self.home = home
        self.work = work

    # -- parts of the page -------------------------------------------------------

    def part(self, name: str) -> Locator:
        """What carries this test id."""
        return self.page.get_by_test_id(name)

    @property
    def composer(self) -> Locator:
        """The message field."""
        return self.part("composer")

    @property
    def transcript(self) -> Locator:
        """The conversation."""
        return self.part("transcript")

    @property
    def approval(self) -> Locator:
        """The card that asks."""
        return self.part("approval")

    def row(self, title: str) -> Locator:
        """A session in the sidebar."""
        return self.part("session-row").filter(has_text=title)

    # -- what a person does --------------------------------------------------------

    def ask(self, text: str) -> None:
        """Type a message and press Enter."""
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.composer).to_have_value("")

    def press(self, *chords: str) -> None:
        """Keys, wherever the focus is."""
        for chord in chords:
            self.page.keyboard.press(chord)

    def choose_folder(self, path: Path | str) -> None:
        """Answer the page's own folder dialog with an empty folder."""
        field = self.part("folder-path")
        expect(field).not_to_have_value("")  # the first listing has come
        field.fill(str(path))
        field.press("Enter")
        expect(self.page.get_by_text("No folders in here")).to_be_visible()
        self.part("use-folder").click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)

    def settings(self, name: str) -> None:
        """Open a page of the settings."""
        self.press("Control+,")
        self.part(f"settings-{name}").click()

    def reload(self) -> None:
        """Load the page anew."""
        self.page.reload()
        self.connected()

    # -- what to wait for -------------------------------------------------------------

    def connected(self) -> None:
        """Until the page has its host."""
        link = self.part("link")
        expect(link).to_have_attribute("data-state", "connected")

    def ended(self, turns: int = 1) -> None:
        """Until so many turns of the newest session are over, in log and page."""

        def over() -> bool:
            found = logs(self.home)
            return bool(found) and len(endings(found[-1])) >= turns

        until(over, f"turn {turns}")
        expect(self.transcript).to_have_attribute("data-status", "idle")

    # -- what the host says ---------------------------------------------------------

    def call(self, method: str, **body: object) -> Any:  # Any: the method's own JSON
        """A method of the host, called by the page."""
        return json.loads(self.page.evaluate(_CALL, [method, body]))

    def events(self) -> list[Event]:
        """The newest session's log."""
        return events(logs(self.home)[-1])


@contextmanager
def shown(
    browser: Browser,
    program: Program,
    *,
    url: str | None = None,
    size: tuple[int, int] = SIZE,
    locale: str = "en-US",
    proxy: ProxySettings | None = None,
    allowed: Sequence[str] = (),
) -> Iterator[Page]:
    """A page of the program in a browser profile of its own, watched to its end.

    ``allowed`` are words that excuse an error on the console.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, locale=locale, proxy=proxy
    )
    try:
        with watched(context, program, url=url, allowed=allowed) as page:
            yield page
    finally:
        context.close()


@contextmanager
def watched(
    context: BrowserContext,
    program: Program,
    *,
    url: str | None = None,
    allowed: Sequence[str] = (),
) -> Iterator[Page]:
    """One more page of a browser profile, watched to its end."""
    watch = Watch(program.origin, allowed)
    page = context.new_page()
    watch.over(page)
    page.goto(url or program.url)
    yield page
    assert not watch.faults, watch.faults


@contextmanager
def desk(
    browser: Browser,
    folder: Path,
    *,
    env: Mapping[str, str] | None = None,
    add: bool = True,
    size: tuple[int, int] = SIZE,
    locale: str = "en-US",
    proxy: ProxySettings | None = None,
    allowed: Sequence[str] = (),
) -> Iterator[Desk]:
    """The program and its page; with ``add`` its one folder is known already."""
    home, work = folder / "home", folder / "work"
    work.mkdir(exist_ok=True)
    with ExitStack() as stack:
        program = stack.enter_context(headless(home, env=env))
        page = stack.enter_context(
            shown(
                browser, program, size=size, locale=locale, proxy=proxy, allowed=allowed
            )
        )
        opened = Desk(program, page, home, work)
        opened.connected()
        if add:
            workspace = opened.call("workspace/create", path=str(work))
            opened.call(
                "ui/saveState", patch={"workspace": str(workspace["workspaceId"])}
            )
            opened.reload()
        yield opened
