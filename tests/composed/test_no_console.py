"""Started from an icon there may be no streams at all; the program works all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.page import Session
from support.plugins import GOOD, add_plugin
from support.program import Client, environment, run_dsh
from support.waiting import until

# As a windowed build begins: no stream objects.
_NONE = (
    "import sys; sys.stdin = sys.stdout = sys.stderr = None; "
    "sys.argv = ['dsh', '--headless']; from dsh.__main__ import main; main()"
)
# As some launchers leave it: no descriptors either.
_CLOSED = f"exec {sys.executable} -m dsh --headless <&- >&- 2>&-"


@pytest.mark.parametrize(
    "argv",
    [[sys.executable, "-c", _NONE], ["bash", "-c", _CLOSED]],
    ids=["none", "closed"],
)
def test_it_serves_without_any_stream(tmp_path: Path, argv: list[str]) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    add_plugin(home, "my-plugin", "print('to nobody', flush=True)\n" + GOOD)
    process = subprocess.Popen(argv, env=environment(home), cwd=tmp_path)
    try:
        until((home / "desktop" / "lock").exists, "the claim")
        second = run_dsh("--headless", home=home)
        assert second.returncode == 0, second.stderr
        ready = json.loads(second.stdout)
        assert ready["pid"] == process.pid
        client = Client(ready["origin"], ready["url"])
        made = client.call("workspace/create", path=str(work))
        session = Session(
            client,
            client.call("session/create", workspaceId=made["workspaceId"])["sessionId"],
        )
        session.prompt("run echo $((6*7)) > answer; cat answer")
        until((work / "answer").exists, "the command")
        session.idle()
        assert (work / "answer").read_text() == "42\n"
        assert settled_row(client)["phase"] == "active"
        client.http.close()
        process.terminate()
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait(10)
    assert (home / "desktop" / "logs" / "dsh.log").exists()


def settled_row(client: Client) -> dict[str, object]:
    """The plugin's row, once it is active."""

    def rows() -> list[dict[str, object]]:
        found = client.call("boot/report")["rows"]
        return [r for r in found if r["id"] == "mine" and r["phase"] == "active"]

    return until(rows, "the plugin")[0]
