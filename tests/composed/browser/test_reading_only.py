"""A session that another program is writing can be read, and follows it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from support.browser import desk
from support.program import DSH, environment
from support.scripted_model import Reply, chunk, event, says
from support.served import Scripting, served
from support.waiting import until

pytestmark = pytest.mark.browser


def test_a_session_held_by_a_run_is_shown_and_cannot_be_written(
    browser: Browser, tmp_path: Path
) -> None:
    script = Scripting()
    with served(script) as model, desk(browser, tmp_path, env=model.variables) as opened:
        gate = model.gate()
        begin = event(chunk({"content": "First half, "}))
        script.replies += [Reply(begin, gate, *says("second half.").pieces)]
        words = ["run", "-w", str(opened.work), "from the command line"]
        with subprocess.Popen(
            [*DSH, *words],
            env=environment(opened.home, **model.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as run:
            try:
                until(gate.reached.is_set)
                until(lambda: opened.call("session/list")["sessions"], "its entry")
                opened.reload()
                opened.row("from the command line").click()
                note = opened.page.get_by_role("note")
                expect(note).to_contain_text("can only be read")
                expect(opened.composer).to_have_count(0)
                expect(opened.transcript).to_contain_text("from the command line")
                gate.open()
                assert run.wait(30) == 0
            finally:
                run.kill()
        expect(opened.transcript).to_contain_text("First half, second half.")
        expect(opened.composer).to_be_visible()  # by itself: nobody holds it any more
        script.replies += [says("Going on.")]
        opened.ask("go on")
        opened.ended(2)
        expect(opened.part("answer").last).to_have_text("Going on.")
