"""Plugins and files that misbehave: the page opens, says which, and offers a way out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.page import Host, hosted
from support.plugins import BODY, GOOD, HEAD, add_plugin, row, settled
from support.program import items_until, run_dsh
from support.scripted_model import says
from support.served import served

FAULTS = {
    "raises at import": "raise RuntimeError('broken at import')",
    "leaves at import": "import sys\nsys.exit(3)",
    "lacks a dependency": "import a_package_that_nobody_has",
    "is no Python": "def (",
    "is no plugin": "main = 7",
    "raises at start": HEAD
    + BODY.format(before="raise ValueError('broken at start')", after="pass"),
    "never starts": HEAD + BODY.format(before="await anyio.sleep_forever()", after=""),
    "never finishes its import": "import threading\nthreading.Event().wait()",
    "needs what nobody offers": HEAD
    + """
class Missing: ...

@plugin
async def main(missing: Missing) -> AsyncIterator[None]:
    yield
""",
}


@contextmanager
def with_fault(root: Path, fault: str) -> Iterator[Host]:
    home = root / "home"
    add_plugin(home, "my-plugin", FAULTS[fault])
    with hosted(root) as host:
        yield host


@pytest.mark.parametrize("fault", FAULTS)
def test_the_page_opens_and_names_what_failed(tmp_path: Path, fault: str) -> None:
    with with_fault(tmp_path, fault) as host:
        assert host.client.http.get(host.client.origin + "/").status_code == 200
        session = host.session()
        session.prompt("run echo still working")
        host.ended(1)
        found = settled(host)
        assert found["error"] or found["missing"]
        if found["error"]:
            assert found["error"]["message"]
        assert found["folder"] == str(host.home / "plugins" / "my-plugin")
        assert found["origin"]["id"] == "profile"
        others = host.client.call("boot/report")["rows"]
        assert [r["id"] for r in others if r["phase"] == "failed" and r["required"]] == []
        assert host.program.terminate() == 0


def test_a_retry_reads_the_code_anew(tmp_path: Path) -> None:
    with with_fault(tmp_path, "raises at import") as host:
        assert "broken at import" in settled(host)["error"]["message"]
        with host.client.socket() as socket:
            items_until(socket, "host/snapshot")
            add_plugin(host.home, "my-plugin", FAULTS["raises at start"])
            host.client.call("boot/retry", id="mine")
            assert "broken at start" in settled(host)["error"]["message"]
            add_plugin(host.home, "my-plugin", GOOD)
            host.client.call("boot/retry", id="mine")
            assert row(host)["phase"] == "active"
            assert row(host)["error"] is None
            told = items_until(socket, "host/boot")[-1]["data"]
        assert told["rows"]


def test_disabling_adds_one_line_and_changes_no_other_byte(tmp_path: Path) -> None:
    with with_fault(tmp_path, "raises at start") as host:
        settled(host)
        files = {
            path: path.read_bytes()
            for path in (host.home / "profiles").rglob("*")
            if path.is_file()
        }
        report = host.client.call("boot/disable", id="mine")
        [found] = [r for r in report["rows"] if r["id"] == "mine"]
        assert found["disabled"] is True
        assert found["error"] is None
        patch = host.home / "profiles" / "desktop" / "patch.yaml"
        for path, before in files.items():
            after = path.read_bytes()
            if path == patch:
                assert after.startswith(before)
                [line] = after.removeprefix(before).decode().splitlines()
                assert "mine" in line
            else:
                assert after == before
        again = host.client.call("boot/retry", id="mine")
        assert again["rows"]
    with hosted(tmp_path) as host:
        assert row(host)["disabled"] is True
        assert host.client.call("boot/report")["warnings"] == []


@pytest.mark.parametrize("id_", ["host", "sessions", "no-such-row"])
def test_what_the_program_needs_cannot_be_switched_off(tmp_path: Path, id_: str) -> None:
    with hosted(tmp_path) as host:
        patch = host.home / "profiles" / "desktop" / "patch.yaml"
        before = patch.read_bytes()
        answer = host.client.post("boot/disable", {"id": id_})
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]["message"]
        assert patch.read_bytes() == before
        assert host.client.post("boot/retry", {"id": "nope"}).status_code < 500


def test_safe_mode_boots_without_it_and_chats(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", FAULTS["never finishes its import"])
    (home / "patch.yaml").write_text("- {id: session-methods, disabled: true}\n")
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    with (
        served(lambda _: says("Safe.")) as model,
        hosted(tmp_path, model, "--safe-mode") as host,
    ):
        report = host.client.call("boot/report")
        assert report["safeMode"] is True
        assert "mine" not in [r["id"] for r in report["rows"]]
        session = host.session()
        session.prompt("hello")
        host.ended(1)
        assert len(model.chats) == 1
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("patch.yaml", "- {id: [unclosed\n"),
        ("patch.yaml", "just a text\n"),
        ("patch.yaml", "- {id: nowhere, disabled: true}\n"),
        ("patch.yaml", "- insert: [{id: titles, plugin: 'a:b'}]\n"),
        ("patch.yaml", "- 7\n"),
        ("patch.yaml", "- {id: titles, unheard-of: 1}\n"),
        ("patch.yaml", "\x00\x01"),
        ("patch.yaml", "- !!python/object/apply:os.system ['touch pwned']\n"),
        ("profiles/desktop/profile.yaml", "bundles: 7\n"),
        ("profiles/desktop/profile.yaml", "bundles: [base, desktop, no-such-bundle]\n"),
    ],
)
def test_a_broken_file_is_a_warning_and_not_the_end(
    tmp_path: Path, name: str, text: str
) -> None:
    file = tmp_path / "home" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with hosted(tmp_path) as host:
        warnings = host.client.call("boot/report")["warnings"]
        assert warnings
        assert warnings[0]["message"]
        session = host.session()
        session.prompt("run echo hi")
        host.ended(1)
    assert file.read_text() == text
    assert not (tmp_path / "pwned").exists()


def test_a_plugin_that_breaks_our_own_rows_leaves_the_window(tmp_path: Path) -> None:
    """A patch can take away what sessions need; the page still says so."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "patch.yaml").write_text("- {id: sessions, disabled: true}\n")
    with hosted(tmp_path) as host:
        found = settled(host, "session-methods")
        assert found["missing"]
        assert host.client.http.get(host.client.origin + "/").status_code == 200


def test_what_a_plugin_prints_does_not_end_up_in_the_first_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", "print('hello from a plugin')\n" + GOOD)
    with hosted(tmp_path) as host:
        assert settled(host)["phase"] == "active"


def test_a_run_does_not_wait_for_a_plugin_of_the_window(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", FAULTS["never finishes its import"])
    done = run_dsh("run", "run echo hi", home=home)
    assert done.returncode == 0, done.stderr
    assert "hi" in done.stdout


@pytest.mark.parametrize("fault", ["raises at import", "raises at start"])
def test_a_run_says_which_plugin_of_its_own_failed(tmp_path: Path, fault: str) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", FAULTS[fault])
    (home / "profiles" / "desktop" / "patch.yaml").rename(home / "patch.yaml")
    done = run_dsh("run", "--format", "jsonl", "run echo hi", home=home)
    assert done.returncode == 0, done.stderr
    assert "mine" in done.stderr
    assert "broken" in done.stderr
    assert all(json.loads(line) for line in done.stdout.splitlines())


def test_safe_mode_holds_for_the_presets_of_the_home_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", f"open({str(tmp_path / 'ran')!r}, 'w')\n" + GOOD)
    (home / "profiles" / "desktop" / "patch.yaml").unlink()
    preset = home / "presets" / "mine"
    preset.mkdir(parents=True)
    (preset / "agent.yaml").write_text("- {id: mine, plugin: my-plugin}\n")
    for words, runs in ((("--safe-mode",), False), ((), True)):
        with hosted(tmp_path, None, *words) as host:
            made = host.client.call("workspace/create", path=str(host.work))
            host.client.call(
                "session/create", workspaceId=made["workspaceId"], preset="mine"
            )
        assert (tmp_path / "ran").exists() is runs


def test_what_a_plugin_prints_is_not_taken_for_the_answer(tmp_path: Path) -> None:
    home = tmp_path / "home"
    add_plugin(home, "my-plugin", "print('hello from a plugin')\n" + GOOD)
    (home / "profiles" / "desktop" / "patch.yaml").rename(home / "patch.yaml")
    done = run_dsh("run", "run echo hi", home=home)
    assert done.returncode == 0, done.stderr
    assert "hello from a plugin" not in done.stdout
    assert "hi" in done.stdout
