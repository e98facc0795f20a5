"""Writing, queueing and stopping while the agent works."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.scripted_model import Reply, calls, says
from support.served import Scripting, bash, last_user, served
from support.stored import endings, kinds, logs
from support.waiting import gone, marked_sleep, running, until

pytestmark = pytest.mark.browser


def prompts(opened: Desk) -> list[str]:
    """What the person's messages in the log say, in order."""
    return [
        event["data"]["content"][0]["text"]
        for event in kinds(logs(opened.home)[-1], "user/message")
        if event["data"]["source"]["kind"] == "user"
    ]


def queue(opened: Desk) -> list[str]:
    return [text.strip() for text in opened.part("queue-row").all_inner_texts()]


def begin(opened: Desk) -> str:
    """A command that runs until it is stopped."""
    command = marked_sleep()
    opened.ask(f"run {command}")
    until(lambda: running(command), "the command")
    expect(opened.part("stop")).to_be_visible()
    return command


@pytest.mark.parametrize("way", ["button", "keys"])
def test_stop_ends_the_command_that_runs(guided: Desk, way: str) -> None:
    command = begin(guided)
    processes = running(command)
    if way == "button":
        guided.part("stop").click()
    else:
        guided.press("Escape")
        expect(guided.page.get_by_text("Press Esc again to stop")).to_be_visible()
        assert running(command)
        guided.press("Escape")
    guided.ended()
    assert gone(processes)
    assert endings(logs(guided.home)[-1]) == ["aborted"]
    expect(guided.page.get_by_text("Stopped by you")).to_be_visible()
    expect(guided.part("stop")).to_have_count(0)
    expect(guided.composer).to_be_enabled()


def test_the_queue_can_be_read_changed_and_emptied(guided: Desk) -> None:
    begin(guided)
    for text in ("run echo one", "run echo two", "run echo three"):
        guided.ask(text)
    rows = guided.part("queue-row")
    expect(rows).to_have_count(3)
    assert [text.split("\n")[0] for text in queue(guided)] == [
        "run echo one",
        "run echo two",
        "run echo three",
    ]
    rows.nth(0).hover()
    rows.nth(0).get_by_role("button", name="Remove").click()
    expect(rows).to_have_count(2)
    rows.nth(0).hover()
    rows.nth(0).get_by_role("button", name="Edit").click()
    field = guided.part("queue").get_by_role("textbox", name="Edit")
    expect(field).to_be_focused()
    field.fill("run echo changed")
    field.press("Enter")
    expect(rows.nth(0)).to_contain_text("run echo changed")

    guided.reload()
    guided.page.get_by_test_id("session-row").first.click()
    expect(rows).to_have_count(2)

    # Stopping keeps what waits, and sends nothing.
    guided.part("stop").click()
    guided.ended(1)
    expect(guided.page.get_by_text("2 queued and held")).to_be_visible()
    assert len(prompts(guided)) == 1
    guided.page.get_by_role("button", name="Send them").click()
    guided.ended(3)
    assert prompts(guided)[1:] == ["run echo changed", "run echo three"]
    expect(rows).to_have_count(0)


def test_messages_that_wait_are_sent_one_by_one_when_the_turn_ends(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        gate = model.gate()
        script.replies += [
            Reply(gate, *says("First.").pieces),
            says("Second."),
            says("Third."),
        ]
        opened.ask("one")
        until(gate.reached.is_set)
        opened.ask("two")
        opened.ask("three")
        expect(opened.part("queue-row")).to_have_count(2)
        gate.open()
        opened.ended(3)
        assert prompts(opened) == ["one", "two", "three"]
        expect(opened.part("answer")).to_have_text(["First.", "Second.", "Third."])


def test_a_steering_message_joins_the_turn_at_its_next_step(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        gate = model.gate()
        script.replies += [
            Reply(gate, *calls(bash("echo hi")).pieces),
            says("I see both."),
        ]
        opened.ask("one")
        until(gate.reached.is_set)
        opened.composer.fill("and this")
        opened.composer.press("Control+Enter")
        expect(opened.part("queue-row")).to_contain_text("Joins at the next step")
        gate.open()
        opened.ended(1)
        assert last_user(model.chats[1]) == "and this"
        expect(opened.page.get_by_text("joined the running turn")).to_be_visible()


def test_a_draft_outlives_reload_and_restart_and_stays_with_its_session(
    browser: Browser, tmp_path: Path
) -> None:
    with desk(browser, tmp_path) as opened:
        opened.ask("run echo first")
        opened.ended()
        opened.composer.fill("about the first")
        opened.part("new-session").click()
        expect(opened.composer).to_have_value("")
        opened.composer.fill("something new")
        opened.row("run echo first").click()
        expect(opened.composer).to_have_value("about the first")
        opened.reload()
        opened.row("run echo first").click()
        expect(opened.composer).to_have_value("about the first")
        opened.part("new-session").click()
        expect(opened.composer).to_have_value("something new")
    with desk(browser, tmp_path) as again:
        again.row("run echo first").click()
        expect(again.composer).to_have_value("about the first")


COMPOSE = """field => {
  const fire = (Kind, type, facts) =>
    field.dispatchEvent(new Kind(type, {bubbles: true, cancelable: true, ...facts}));
  const enter = {key: "Enter", code: "Enter"};
  fire(CompositionEvent, "compositionstart", {data: ""});
  fire(CompositionEvent, "compositionupdate", {data: "你好"});
  fire(KeyboardEvent, "keydown", {...enter, isComposing: true, keyCode: 229});
  fire(CompositionEvent, "compositionend", {data: "你好"});
  fire(KeyboardEvent, "keyup", enter);
}"""


def test_enter_that_confirms_a_candidate_does_not_send(guided: Desk) -> None:
    guided.composer.fill("你好")
    guided.composer.evaluate(COMPOSE)
    expect(guided.composer).to_have_value("你好")
    assert logs(guided.home) == []
    guided.composer.press("Enter")
    guided.ended()
    assert prompts(guided) == ["你好"]


def test_enter_that_confirms_a_candidate_does_not_close_a_dialog_or_save(
    guided: Desk,
) -> None:
    guided.ask("run echo hi")
    guided.ended()
    guided.row("run echo hi").dblclick()
    field = guided.page.get_by_role("dialog").get_by_role("textbox")
    field.fill("名字")
    field.evaluate(COMPOSE)
    expect(field).to_have_value("名字")
    field.press("Enter")
    expect(guided.page.get_by_role("dialog")).to_have_count(0)
    expect(guided.row("名字")).to_be_visible()


def test_shift_enter_is_a_new_line_and_a_held_enter_sends_once(guided: Desk) -> None:
    guided.composer.fill("run printf 'a")
    guided.composer.press("Shift+Enter")
    guided.page.keyboard.type("b'")
    expect(guided.composer).to_have_value("run printf 'a\nb'")
    for _ in range(10):
        guided.page.keyboard.down("Enter")
    guided.page.keyboard.up("Enter")
    guided.ended()
    assert prompts(guided) == ["run printf 'a\nb'"]
