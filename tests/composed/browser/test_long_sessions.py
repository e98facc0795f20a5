"""Long sessions: the page draws what is near the view, and its end stays in reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.scripted_model import Reply, calls, chunk, event, says
from support.served import Scripting, bash, served
from support.stored import kinds, logs

pytestmark = pytest.mark.browser
MOST_NODES = 5000


def nodes(opened: Desk) -> int:
    return int(opened.page.evaluate("document.querySelectorAll('*').length"))


def test_two_hundred_calls_and_five_thousand_deltas_leave_a_small_page(
    browser: Browser, tmp_path: Path
) -> None:
    deltas = [event(chunk({"content": f"word{n} "})) for n in range(5000)]
    answer = Reply(*deltas, *says("The end.").pieces)
    many = [
        calls(*(bash(f"echo {s}.{n}", f"call_{s}_{n}") for n in range(10)))
        for s in range(20)
    ]
    script = Scripting(*many, answer)
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        opened.ask("do very much")
        opened.ended()
        assert model.refusals == []
        assert len(kinds(logs(opened.home)[-1], "tool/result")) == 200
        last = opened.part("answer").last
        expect(last).to_contain_text("word4999 The end.")
        expect(opened.page.locator(".turn-foot")).to_be_in_viewport()
        assert nodes(opened) < MOST_NODES
        opened.reload()
        opened.row("do very much").click()
        expect(opened.page.locator(".turn-foot")).to_be_in_viewport()
        assert nodes(opened) < MOST_NODES


def test_an_answer_that_grows_does_not_move_what_is_being_read(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        gate = model.gate()
        lines = [event(chunk({"content": f"Paragraph {n}.\n\n"})) for n in range(120)]
        script.replies.append(
            Reply(*lines[:60], gate, *lines[60:], *says("The end.").pieces)
        )
        opened.ask("write much")
        paragraph = opened.transcript.get_by_text("Paragraph 5.", exact=True)
        expect(opened.transcript.get_by_text("Paragraph 59.", exact=True)).to_be_visible()
        opened.transcript.hover()
        opened.page.mouse.wheel(0, -100_000)
        expect(paragraph).to_be_in_viewport()
        latest = opened.page.get_by_role("button", name="Latest")
        expect(latest).to_be_visible()
        before = paragraph.bounding_box()
        gate.open()
        opened.ended()
        assert paragraph.bounding_box() == before
        latest.click()
        expect(opened.transcript.get_by_text("The end.")).to_be_in_viewport()
        expect(latest).to_have_count(0)


def test_older_messages_come_when_one_scrolls_up_to_them(
    browser: Browser, tmp_path: Path
) -> None:
    turns = 60
    script = Scripting(*(says(f"Answer {n}.") for n in range(turns)))
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        opened.ask("question 0")
        opened.ended()
        session = opened.call("session/list")["sessions"][0]["sessionId"]
        for number in range(1, turns):
            opened.call(
                "session/prompt",
                sessionId=session,
                text=f"question {number}",
                mode="queue",
            )
        opened.ended(turns)
        opened.reload()
        opened.row("question 0").click()
        expect(opened.transcript.get_by_text(f"Answer {turns - 1}.")).to_be_in_viewport()
        opened.transcript.hover()
        first = opened.transcript.get_by_text("question 0", exact=True)
        for _ in range(turns):
            if first.count():
                break
            opened.page.mouse.wheel(0, -3000)
            opened.page.evaluate("new Promise(requestAnimationFrame)")
        expect(first).to_have_count(1)
        expect(opened.transcript.get_by_text("Answer 0.")).to_have_count(1)
        seen = opened.page.locator(".user").all_inner_texts()
        assert len(seen) == len(set(seen))


def test_a_new_question_leads_to_its_answer_from_wherever_one_was_reading(
    browser: Browser, tmp_path: Path
) -> None:
    long = says("\n\n".join(f"Paragraph {n}." for n in range(80)))
    with (
        served(Scripting(long, says("Short."))) as model,
        desk(browser, tmp_path, env=model.variables) as opened,
    ):
        opened.ask("write much")
        opened.ended()
        opened.transcript.hover()
        opened.page.mouse.wheel(0, -100_000)
        expect(opened.transcript.get_by_text("Paragraph 3.")).to_be_in_viewport()
        opened.ask("and now?")
        opened.ended(2)
        expect(opened.transcript.get_by_text("Short.")).to_be_in_viewport()
