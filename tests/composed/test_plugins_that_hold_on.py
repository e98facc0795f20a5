"""The end of the program comes in time, whatever a plugin does."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.page import hosted
from support.plugins import BODY, HEAD, add_plugin, settled
from support.program import run_dsh
from support.waiting import gone, until

HOLDING = {
    "sleeps when it should stop": "await anyio.sleep_forever()",
    "takes no end for an answer": """
    while True:
        try:
            await anyio.sleep(3600)
        except BaseException:
            pass
""",
    "raises when it should stop": "raise RuntimeError('broken at stop')",
    "blocks the loop when it should stop": "import time; time.sleep(3600)",
    "leaves a thread behind": "import threading; "
    "threading.Thread(target=threading.Event().wait).start()",
}


@pytest.mark.parametrize("fault", HOLDING)
def test_nothing_holds_up_the_end_of_the_program(tmp_path: Path, fault: str) -> None:
    code = HEAD + BODY.format(before="pass", after=HOLDING[fault])
    add_plugin(tmp_path / "home", "my-plugin", code)
    with hosted(tmp_path) as host:
        assert settled(host)["phase"] == "active"
        family = host.program.family()
        host.program.process.terminate()
        code_of_exit = host.program.process.wait(10)
        assert code_of_exit == (1 if "blocks" in fault else 0)
        assert gone(family, 2)
    done = run_dsh("session", "verify", home=tmp_path / "home")
    assert done.returncode == 0


def test_a_plugin_that_blocks_the_loop_cannot_keep_the_program(tmp_path: Path) -> None:
    mark = tmp_path / "blocked"
    told = f"open({str(mark)!r}, 'w').close()"
    blocking = f"import time; await anyio.sleep(1); {told}; time.sleep(3600)"
    add_plugin(tmp_path / "home", "mine", HEAD + BODY.format(before=blocking, after=""))
    with hosted(tmp_path) as host:
        until(mark.exists, "the block")
        host.program.process.terminate()
        assert host.program.process.wait(10) == 1


@pytest.mark.parametrize("words", [["doctor"], ["run", "run echo hi"]])
def test_commands_end_too(tmp_path: Path, words: list[str]) -> None:
    code = HEAD + BODY.format(before="pass", after=HOLDING["takes no end for an answer"])
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", code)
    (home / "profiles" / "desktop" / "patch.yaml").rename(home / "patch.yaml")
    done = run_dsh(*words, home=home)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
