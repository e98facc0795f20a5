"""The connection between page and host breaks, and nothing is lost or said twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import Desk, desk
from support.cutting import Cut, cutting
from support.program import headless
from support.scripted_model import Piece, Reply, calls, chunk, event, says
from support.served import Scripting, Served, bash, served
from support.waiting import until

pytestmark = pytest.mark.browser
EXPECTED = ("WebSocket connection", "net::ERR_", "Failed to fetch")


@contextmanager
def over_proxy(
    browser: Browser, folder: Path, script: Scripting
) -> Iterator[tuple[Desk, Cut, Served]]:
    """A page whose every connection goes through a proxy that can be cut."""
    with cutting() as cut, served(script) as model:
        proxy = {"server": cut.server, "bypass": "<-loopback>"}
        with desk(
            browser,
            folder,
            env=model.variables,
            proxy=proxy,  # type: ignore[arg-type]  # a ProxySettings by its keys
            allowed=EXPECTED,
        ) as opened:
            assert cut.carried > 0
            yield opened, cut, model


def state(opened: Desk, name: str) -> None:
    expect(opened.part("link")).to_have_attribute("data-state", name)


def spoken(text: str) -> bytes:
    return event(chunk({"content": text}))


def test_an_answer_that_was_cut_many_times_reads_as_in_the_log(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with over_proxy(browser, tmp_path, script) as (opened, cut, model):
        words = [f"word{n} " for n in range(400)]
        gates = [model.gate() for _ in range(20)]
        pieces: list[Piece] = []
        for number, gate in enumerate(gates):
            pieces += [spoken(word) for word in words[number * 20 : number * 20 + 20]]
            pieces.append(gate)
        whole = says("".join(words[:1]))
        script.replies += [
            calls(bash("echo from-the-tool")),
            Reply(*pieces, *whole.pieces[-2:]),
            says("Bye."),
        ]
        opened.ask("tell me a long story")
        for gate in gates:
            until(gate.reached.is_set)
            cut.cut()
            gate.open()
        opened.ended()
        state(opened, "connected")
        expect(opened.part("answer")).to_have_text("".join(words).strip())
        expect(opened.part("card-terminal")).to_have_count(1)
        expect(opened.part("card-terminal")).to_contain_text("from-the-tool")
        expect(opened.transcript.get_by_text("tell me a long story")).to_have_count(1)
        expect(opened.page.locator(".turn-foot")).to_have_count(1)
        opened.composer.fill("draft")
        cut.cut()
        opened.part("send").click()
        opened.ended(2)
        expect(opened.part("answer").last).to_have_text("Bye.")


def test_a_lost_connection_is_shown_and_the_draft_is_kept(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting(says("Hello."), says("Again."))
    with over_proxy(browser, tmp_path, script) as (opened, cut, _):
        opened.ask("hi")
        opened.ended()
        opened.composer.fill("half a thought")
        cut.closed = True
        cut.cut()
        state(opened, "reconnecting")
        expect(
            opened.page.get_by_text("The connection to the host is lost")
        ).to_be_visible()
        expect(opened.composer).to_have_value("half a thought")
        cut.closed = False
        opened.page.get_by_role("button", name="Try now").click()
        state(opened, "connected")
        expect(
            opened.page.get_by_text("The connection to the host is lost")
        ).to_have_count(0)
        expect(opened.composer).to_have_value("half a thought")
        expect(opened.part("answer")).to_have_text(["Hello."])
        opened.composer.press("Enter")
        opened.ended(2)
        expect(opened.part("answer")).to_have_text(["Hello.", "Again."])


def test_a_connection_that_only_sends_is_not_called_connected(
    browser: Browser, tmp_path: Path
) -> None:
    with over_proxy(browser, tmp_path, Scripting()) as (opened, cut, _):
        state(opened, "connected")
        cut.deaf = True
        state(opened, "reconnecting")
        cut.deaf = False
        cut.cut()
        state(opened, "connected")


def test_what_happened_while_the_page_was_away_is_there_when_it_returns(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with over_proxy(browser, tmp_path, script) as (opened, cut, model):
        gate = model.gate()
        script.replies += [
            Reply(spoken("Before. "), gate, *says("After.").pieces),
        ]
        opened.ask("go on")
        expect(opened.part("answer")).to_have_text("Before.")
        cut.closed = True
        cut.cut()
        state(opened, "reconnecting")
        gate.open()
        until(lambda: opened.events()[-1]["type"] == "turn/end")
        expect(opened.part("answer")).to_have_text("Before.")
        cut.closed = False
        opened.ended()
        expect(opened.part("answer")).to_have_text("Before. After.")
        expect(opened.part("stop")).to_have_count(0)


def test_a_host_that_was_started_anew_says_so_on_the_old_page(
    browser: Browser, tmp_path: Path
) -> None:
    allowed = (*EXPECTED, "Unexpected response code", "Failed to load resource")
    with desk(browser, tmp_path, allowed=allowed) as opened:
        port = opened.program.origin.rsplit(":", 1)[1]
        assert opened.program.terminate() == 0
        state(opened, "reconnecting")
        with headless(opened.home, "--port", port):
            opened.page.evaluate("dispatchEvent(new Event('online'))")
            state(opened, "refused")
            again = opened.page.get_by_role("button", name="Reload")
            expect(again).to_be_visible()
