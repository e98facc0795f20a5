"""Everything by keyboard: palette, shortcut sheet, and the chords."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from support.browser import Desk
from support.stored import logs

pytestmark = pytest.mark.browser


def test_the_palette_runs_what_is_typed_and_returns_the_focus(guided: Desk) -> None:
    guided.press("Control+k")
    expect(guided.part("palette")).to_be_focused()
    guided.page.keyboard.type("dark")
    guided.press("Enter")
    expect(guided.part("palette")).to_have_count(0)
    expect(guided.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(guided.composer).to_be_focused()
    guided.press("Control+k", "Escape")
    expect(guided.part("palette")).to_have_count(0)
    expect(guided.composer).to_be_focused()


def test_the_palette_finds_sessions(guided: Desk) -> None:
    guided.ask("run echo needle")
    guided.ended()
    guided.press("Control+n")
    guided.ask("run echo other")
    guided.ended()
    guided.press("Control+k")
    guided.page.keyboard.type("@needle")
    guided.press("Enter")
    expect(guided.page.locator(".crumb-title")).to_have_text("run echo needle")


def test_chords_work_from_inside_the_message_field(guided: Desk) -> None:
    guided.ask("run echo one")
    guided.ended()
    guided.press("Control+n")
    expect(guided.page.get_by_role("heading", level=2).first).to_have_text(
        "What should we work on?"
    )
    expect(guided.composer).to_be_focused()
    guided.press("Control+1")
    expect(guided.transcript).to_be_visible()
    guided.press("Control+,")
    expect(guided.part("settings-general")).to_be_visible()
    guided.press("Escape")
    expect(guided.transcript).to_be_visible()
    guided.press("Control+b")
    expect(guided.part("session-row")).to_have_count(0)
    guided.press("Control+b")
    expect(guided.part("session-row")).to_have_count(1)


def test_the_sheet_lists_the_keys_and_bare_letters_only_write(guided: Desk) -> None:
    guided.press("Control+/")
    sheet = guided.page.get_by_role("dialog")
    for words in ("New session", "Settings", "Allow once", "Deny"):
        expect(sheet.get_by_text(words).first).to_be_visible()
    # While it is open nothing behind it reacts.
    guided.press("Control+n")
    expect(sheet).to_be_visible()
    guided.press("Escape")
    expect(sheet).to_have_count(0)
    guided.composer.focus()
    guided.page.keyboard.type("a/d,k1n")
    expect(guided.composer).to_have_value("a/d,k1n")
    assert logs(guided.home) == []


def test_every_part_can_be_reached_with_the_tab_key(guided: Desk) -> None:
    guided.composer.focus()
    reached = set()
    for _ in range(60):
        guided.press("Tab")
        name = guided.page.evaluate(
            "document.activeElement.getAttribute('aria-label')"
            " ?? document.activeElement.textContent.trim()"
        )
        reached.add(str(name).split("\n")[0])
    words = " | ".join(reached)
    for part in ("Settings", "New session", "Search or run a command", "Model:"):
        assert part in words
