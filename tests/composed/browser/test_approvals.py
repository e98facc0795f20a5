"""The approval card: nothing is allowed by accident, and what it shows is what runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.browser import Desk, desk, watched
from support.scripted_model import Reply, calls, says, tool_call
from support.served import Scripting, results_of, served
from support.stored import Event, kinds, logs
from support.waiting import until

pytestmark = pytest.mark.browser
OUTSIDE = "danger-full-access"


def asking(command: str, call_id: str = "call_1") -> Reply:
    """An answer of the model that needs the person's consent."""
    return calls(
        tool_call(
            "bash",
            {
                "command": command,
                "description": "Say something outside",
                "sandbox_permissions": OUTSIDE,
                "justification": "It is needed for the test.",
            },
            call_id,
        )
    )


@contextmanager
def asked(browser: Browser, folder: Path, *commands: str) -> Iterator[Desk]:
    """A session whose agent wants to run these commands outside, one in each step."""
    replies = [asking(command, f"call_{n}") for n, command in enumerate(commands)]
    with (
        served(Scripting(*replies, says("All done."))) as model,
        desk(browser, folder, env=model.variables) as opened,
    ):
        opened.ask("do it")
        expect(opened.approval).to_be_visible()
        yield opened


def armed(opened: Desk) -> None:
    """Until the card reacts."""
    expect(opened.part("approval-allow")).to_be_enabled()


def decisions(opened: Desk) -> list[str]:
    log = logs(opened.home)[-1]
    return [e["data"]["outcome"] for e in kinds(log, "approval/decided")]


def hold(page: Page, key: str) -> None:
    """A key that is held: one press and its repeats."""
    for _ in range(20):
        page.keyboard.down(key)


def rest(page: Page) -> None:
    """Half a second without a key, on the page's clock."""
    since = page.evaluate("Date.now()")
    page.wait_for_function("since => Date.now() - since > 600", arg=since)


def test_a_key_that_is_held_while_the_card_opens_approves_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    keys = ("Enter", " ", "a")
    replies = [reply for _ in keys for reply in (asking("touch made"), says("I see."))]
    with (
        served(Scripting(*replies)) as model,
        desk(browser, tmp_path, env=model.variables) as opened,
    ):
        for turn, key in enumerate(keys):
            opened.composer.fill("do it")
            opened.composer.press("Enter")
            hold(opened.page, key)
            expect(opened.approval).to_be_visible()
            hold(opened.page, key)
            armed(opened)
            hold(opened.page, key)
            opened.page.keyboard.up(key)
            assert decisions(opened) == ["rejected"] * turn
            opened.part("approval-deny").click()
            opened.ended(turn + 1)
            opened.composer.fill("")
        assert decisions(opened) == ["rejected"] * 3
        assert not (opened.work / "made").exists()


CLICK_AT_ONCE = """
new MutationObserver(() => {
  const allow = document.querySelector("[data-testid=approval-allow]");
  if (!allow || window.firstClick) return;
  window.firstClick = {disabled: allow.disabled};
  allow.click();
}).observe(document, {childList: true, subtree: true});
"""


def test_a_click_where_the_card_appears_does_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        served(Scripting(asking("touch made"), says("All done."))) as model,
        desk(browser, tmp_path, env=model.variables) as opened,
    ):
        opened.page.evaluate(CLICK_AT_ONCE)
        opened.ask("do it")
        armed(opened)
        assert opened.page.evaluate("window.firstClick") == {"disabled": True}
        assert decisions(opened) == []
        opened.part("approval-deny").click()
        opened.ended()
        assert decisions(opened) == ["rejected"]


def test_a_letter_allows_only_while_the_card_itself_has_the_focus(
    browser: Browser, tmp_path: Path
) -> None:
    with asked(browser, tmp_path, "touch made") as opened:
        armed(opened)
        opened.composer.focus()
        opened.press("a", "d")
        expect(opened.composer).to_have_value("ad")
        assert decisions(opened) == []
        opened.composer.fill("")
        # A letter right after typing is typing, whatever has the focus.
        opened.approval.focus()
        opened.press("Shift", "x")
        opened.press("a")
        assert decisions(opened) == []
        rest(opened.page)
        opened.press("a")
        opened.ended()
        assert decisions(opened) == ["allowed-once"]
        assert (opened.work / "made").exists()


def test_what_is_denied_is_not_run_and_the_agent_hears_of_it(
    browser: Browser, tmp_path: Path
) -> None:
    replies = Scripting(asking("touch made"), says("I see."))
    with (
        served(replies) as model,
        desk(browser, tmp_path, env=model.variables) as opened,
    ):
        opened.ask("do it")
        armed(opened)
        opened.part("approval-deny").click()
        opened.ended()
        assert decisions(opened) == ["rejected"]
        assert not (opened.work / "made").exists()
        [result] = results_of(model.chats[-1])
        assert "refused" in result
        expect(opened.part("answer").last).to_have_text("I see.")
        expect(opened.composer).to_be_focused()


def test_an_answer_in_words_is_a_denial_with_a_reason(
    browser: Browser, tmp_path: Path
) -> None:
    replies = Scripting(asking("touch made"), says("I see."))
    with (
        served(replies) as model,
        desk(browser, tmp_path, env=model.variables) as opened,
    ):
        opened.ask("do it")
        armed(opened)
        opened.ask("use the other folder")
        opened.ended()
        assert decisions(opened) == ["rejected"]
        assert "use the other folder" in results_of(model.chats[-1])[0]


def test_escape_leaves_the_question_waiting_and_returns_to_the_composer(
    browser: Browser, tmp_path: Path
) -> None:
    with asked(browser, tmp_path, "true") as opened:
        armed(opened)
        opened.approval.focus()
        opened.press("Escape")
        expect(opened.composer).to_be_focused()
        expect(opened.approval).to_be_visible()
        assert decisions(opened) == []


def test_a_reload_keeps_the_question(browser: Browser, tmp_path: Path) -> None:
    with asked(browser, tmp_path, "touch made") as opened:
        opened.reload()
        opened.row("do it").click()
        armed(opened)
        opened.part("approval-allow").click()
        opened.ended()
        assert (opened.work / "made").exists()


def test_one_answer_settles_the_question_on_every_page(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        asked(browser, tmp_path, "touch made") as opened,
        watched(
            opened.page.context, opened.program, url=f"{opened.program.origin}/"
        ) as second,
    ):
        other = Desk(opened.program, second, opened.home, opened.work)
        other.row("do it").click()
        armed(other)
        assert other.part("approval-command").inner_text() == "touch made"
        armed(opened)
        opened.part("approval-allow").click()
        expect(other.approval).to_have_count(0)
        expect(opened.approval).to_have_count(0)
        other.ended()
        assert decisions(opened) == ["allowed-once"]


def test_the_end_of_the_program_is_no_consent(browser: Browser, tmp_path: Path) -> None:
    with asked(browser, tmp_path, "touch made") as opened:
        opened.page.close()
        assert opened.program.terminate() == 0
        assert not (opened.work / "made").exists()
        assert decisions(opened) and "allowed-once" not in decisions(opened)


LINES = "\n".join(f"echo line {n}" for n in range(500))
SEEN_AS = {
    "echo safe" + " " * 3000 + "; rm -rf x": "echo safe[3000 \u00d7 U+0020]; rm -rf x",
    "echo \u202egnihton": r"echo \u202egnihton",
    "ec\u200bho x": r"ec\u200bho x",
    "rm -rf x\recho safe": r"rm -rf x\recho safe",
    "echo \x1b[8mhidden\x1b[0m": r"echo \x1b[8mhidden\x1b[0m",
    "rm\u00a0x": r"rm\xa0x",
    "p\u0430yload": "p\u0430yload",
    LINES: LINES,
}


def test_the_card_hides_nothing_of_a_command(browser: Browser, tmp_path: Path) -> None:
    with asked(browser, tmp_path, *SEEN_AS) as opened:
        code = opened.part("approval-command")
        flags = opened.approval.locator(".exact-flags")
        for command, seen in SEEN_AS.items():
            expect(code).to_have_js_property("textContent", seen)
            armed(opened)
            if command == LINES:
                expect(flags).to_contain_text("500 lines")
                code.get_by_text("echo line 499").scroll_into_view_if_needed()
                expect(opened.part("approval-allow")).to_be_in_viewport(ratio=1)
            else:
                expect(flags).to_have_class("small exact-flags warn")
            opened.part("approval-deny").click()
        opened.ended()
        assert decisions(opened) == ["rejected"] * len(SEEN_AS)


def test_a_risky_command_needs_a_second_yes_and_no_letter_allows_it(
    browser: Browser, tmp_path: Path
) -> None:
    with asked(browser, tmp_path, "rm -rf gone") as opened:
        (opened.work / "gone").mkdir()
        armed(opened)
        opened.approval.focus()
        rest(opened.page)
        opened.press("a")
        assert decisions(opened) == []
        opened.part("approval-allow").click()
        expect(opened.part("approval-allow")).to_be_disabled()
        assert decisions(opened) == []
        armed(opened)
        opened.part("approval-allow").click()
        opened.ended()
        assert decisions(opened) == ["allowed-once"]
        assert not (opened.work / "gone").exists()


def test_a_risky_command_puts_the_focus_on_no(browser: Browser, tmp_path: Path) -> None:
    script = Scripting()
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        gate = model.gate()
        script.replies += [Reply(gate, *asking("rm -rf gone").pieces)]
        opened.ask("do it")
        opened.transcript.focus()
        gate.open()
        expect(opened.part("approval-deny")).to_be_focused()


def test_what_was_shown_is_what_ran(browser: Browser, tmp_path: Path) -> None:
    with asked(browser, tmp_path, "printf 'a\\u200bb' > made") as opened:
        armed(opened)
        opened.part("approval-allow").click()
        opened.ended()
        until((opened.work / "made").exists)
        [call] = [e for e in opened.events() if e["type"] == "tool/call"]
        assert "printf 'a\\\\u200bb' > made" in str(call["data"]["arguments"])


def asked_once(log: list[Event]) -> int:
    return sum(event["type"] == "approval/asked" for event in log)


def test_two_questions_in_a_row_get_an_answer_each(
    browser: Browser, tmp_path: Path
) -> None:
    with asked(browser, tmp_path, "touch one", "touch two") as opened:
        armed(opened)
        opened.part("approval-allow").click()
        expect(opened.part("approval-command")).to_have_text("touch two")
        armed(opened)
        opened.part("approval-deny").click()
        opened.ended()
        assert decisions(opened) == ["allowed-once", "rejected"]
        assert asked_once(opened.events()) == 2
        assert [p.name for p in opened.work.iterdir()] == ["one"]
