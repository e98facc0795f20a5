"""The first start: a folder, the tour with its one question, and real files."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import desk
from support.stored import kinds, only_log
from support.waiting import until

pytestmark = pytest.mark.browser


def test_a_newcomer_chooses_a_folder_and_walks_the_tour_to_its_end(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, add=False) as new:
        expect(
            new.page.get_by_role("heading", name="What should we work on?")
        ).to_be_visible()
        expect(new.composer).to_be_focused()
        new.part("workspace-chip").click()
        new.choose_folder(new.work)
        expect(new.part("workspace-chip")).to_contain_text("work")
        expect(new.composer).to_be_focused()

        new.ask("tour")
        expect(new.approval).to_be_visible()
        expect(new.part("approval-command")).to_have_text("uname -s && whoami")
        expect(new.composer).to_be_visible()
        new.part("approval-allow").click()
        new.ended()
        expect(new.approval).to_have_count(0)
        expect(new.part("answer").last).to_contain_text("That was the tour.")
        assert (new.work / "dsh-tour/hello.sh").read_text() == (
            'name="${1:-world}"\necho "Hello, $name!"\n'
        )
        for kind in ("diff", "terminal", "search"):
            expect(new.part(f"card-{kind}").first).to_be_attached()
        [decided] = kinds(only_log(new.home), "approval/decided")
        assert decided["data"]["outcome"] == "allowed-once"


def test_cancelling_the_folder_dialog_adds_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, add=False) as new:
        for leave in ("button", "key"):
            new.press("Control+o")
            dialog = new.page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            if leave == "key":
                new.press("Escape")
            else:
                dialog.get_by_role("button", name="Cancel").click()
            expect(dialog).to_have_count(0)
        assert new.call("workspace/list") == {"workspaces": []}
        expect(new.part("workspace-chip")).to_have_text("Choose a folder")


def test_one_folder_by_three_names_is_one_workspace(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, add=False) as new:
        (tmp_path / "link").symlink_to(new.work)
        for name in (str(new.work), f"{new.work}/", str(tmp_path / "link")):
            new.press("Control+o")
            new.choose_folder(name)
        listed = new.call("workspace/list")["workspaces"]
        assert [entry["path"] for entry in listed] == [str(new.work)]
        expect(new.page.locator(".group-title")).to_have_count(1)


def test_a_message_without_a_folder_asks_for_one_and_is_then_sent(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, add=False) as new:
        new.ask("run echo made > made.txt")
        new.choose_folder(new.work)
        new.ended()
        until((new.work / "made.txt").exists)


def test_a_message_stays_written_when_no_folder_was_chosen(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path, add=False) as new:
        new.ask("do something")
        expect(new.page.get_by_role("dialog")).to_be_visible()
        new.press("Escape")
        expect(new.composer).to_have_value("do something")
