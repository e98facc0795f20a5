"""Without a web view of its own the program opens the page in the system's browser."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from dsh.data.paths import Home
from dsh.surfaces import browser as system_browser
from support.program import headless

pytestmark = pytest.mark.browser


def test_a_private_file_leads_a_browser_to_the_page_once(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def note(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", note)
    home = Home(tmp_path / "home")
    with headless(home.root) as program:
        assert system_browser.open_in_browser(home, program.url)
        file = home.state / "open.html"
        assert opened == [file.as_uri()]
        assert file.stat().st_mode & 0o077 == 0
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(opened[0])
            expect(page.get_by_test_id("composer")).to_be_visible()
            assert page.url == program.origin + "/"
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(opened[0])
            expect(page.locator("body")).to_contain_text(re.compile("used"))


def test_a_home_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not system_browser.open_in_browser(Home(tmp_path / "file"), "http://x")
