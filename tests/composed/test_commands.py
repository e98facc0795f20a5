"""The commands that look: sessions, composition, doctor, version."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
import yaml

from dsh import __version__
from support.program import DSH, client_of, environment, headless, run_dsh
from support.stored import logs, only_log
from support.waiting import until


class _Loader(yaml.SafeLoader):
    """Reads what `config dump` prints; its tags stay text."""


for _tag in ("!env", "!home"):
    _Loader.add_constructor(_tag, lambda loader, node: f"{node.tag} {node.value}")


def rows_of(dump: str) -> dict[str, dict[str, object]]:
    """The plugin rows of a dump by id; what a group switches off counts for its rows."""
    found: dict[str, dict[str, object]] = {}

    def collect(rows: list[dict[str, object]], *, off: bool) -> None:
        for row in rows:
            disabled = off or row.get("disabled") is True
            group = row.get("group")
            if isinstance(group, list):
                collect(group, off=disabled)
            else:
                found[str(row["id"])] = {**row, "disabled": disabled}

    collect(yaml.load(dump, _Loader), off=False)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def test_sessions_are_listed_newest_first(home: Path, tmp_path: Path) -> None:
    assert (
        json.loads(run_dsh("session", "list", "--format", "json", home=home).stdout) == []
    )
    for number in (1, 2):
        run_dsh("run", f"run echo {number}", home=home)
    listed = json.loads(run_dsh("session", "list", "--format", "json", home=home).stdout)
    assert [row["title"] for row in listed] == ["run echo 2", "run echo 1"]
    assert [row["id"] for row in listed] == [log.parent.name for log in logs(home)[::-1]]
    assert {row["workspace"] for row in listed} == {str(tmp_path)}
    assert listed[0]["updated"] > listed[1]["updated"] > 1_600_000_000_000
    lines = run_dsh("session", "list", home=home).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [row["id"] for row in listed]


def test_a_session_is_shown_for_people_and_for_programs(home: Path) -> None:
    run_dsh("run", "run echo $((6*7))", home=home)
    session = only_log(home).parent.name
    shown = run_dsh("session", "show", session, home=home).stdout
    assert "> run echo $((6*7))" in shown
    assert "42" in shown
    assert "turn 1: completed" in shown
    facts = json.loads(
        run_dsh("session", "show", session, "--format", "json", home=home).stdout
    )
    assert facts["id"] == session
    missing = run_dsh("session", "show", "session-nope", home=home)
    assert missing.returncode == 1
    assert "session-nope" in missing.stderr


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc", "a/b", "", "."])
def test_no_id_leads_out_of_the_sessions(home: Path, name: str) -> None:
    run_dsh("run", "run echo hi", home=home)
    for action in ("show", "verify"):
        done = run_dsh("session", action, name, home=home)
        assert done.returncode == 1, (action, done.stdout)
        assert "root:" not in done.stdout


def test_verify_says_a_line_a_session(home: Path) -> None:
    for number in (1, 2):
        run_dsh("run", f"run echo {number}", home=home)
    good, bad = logs(home)
    data = bytearray(bad.read_bytes())
    data[len(data) // 2] ^= 1
    bad.write_bytes(data)
    done = run_dsh("session", "verify", home=home)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 2
    assert f"{good.parent.name}: sound" in done.stdout
    assert run_dsh("session", "verify", good.parent.name, home=home).returncode == 0
    assert run_dsh("session", "verify", bad.parent.name, home=home).returncode == 1


def test_verify_speaks_json_too(home: Path) -> None:
    run_dsh("run", "run echo hi", home=home)
    done = run_dsh("session", "verify", "--format", "json", home=home)
    assert done.returncode == 0
    assert json.loads(done.stdout) == [
        {"id": only_log(home).parent.name, "sound": True, "problems": []}
    ]


def test_the_dump_is_what_boots(home: Path, tmp_path: Path) -> None:
    patch = tmp_path / "more.yaml"
    patch.write_text(
        "- {id: titles, disabled: true}\n"
        "- {id: nothing-like-it, disabled: true}\n"
        "- insert: [{id: mine, plugin: 'nowhere:nothing'}]\n"
        "  into: policies\n  after: retry\n"
    )
    (home / "profiles" / "desktop").mkdir(parents=True)
    (home / "patch.yaml").write_text("- {id: repeat-reminder, config: {stop_at: 4}}\n")
    words = ("--patch", str(patch))
    dumped = run_dsh("config", "dump", *words, home=home)
    assert dumped.returncode == 0
    assert "nothing-like-it" in dumped.stderr
    rows = rows_of(dumped.stdout)
    with headless(home, *words) as program, client_of(program) as client:
        report = client.call("boot/report")
    booted = {row["id"]: row for row in report["rows"]}
    assert list(booted) == list(rows)
    assert {i: r["plugin"] for i, r in booted.items()} == {
        i: r["plugin"] for i, r in rows.items()
    }
    # The launcher itself switches the window off when it serves without one.
    switched_off = {id_ for id_, row in booted.items() if row["disabled"]}
    assert switched_off - {"window"} == {i for i, r in rows.items() if r["disabled"]}
    assert booted["titles"]["origin"]["disabled"] == str(patch)
    assert rows["repeat-reminder"]["config"] == {"stop_at": 4}
    assert booted["mine"]["phase"] == "failed"
    assert any("nothing-like-it" in warning["message"] for warning in report["warnings"])


def test_the_default_dump_knows_no_patches(home: Path) -> None:
    home.mkdir()
    plain = run_dsh("config", "dump", "--default", home=home).stdout
    (home / "patch.yaml").write_text("- {id: titles, disabled: true}\n")
    assert run_dsh("config", "dump", "--default", home=home).stdout == plain
    assert rows_of(run_dsh("config", "dump", home=home).stdout)["titles"]["disabled"]


def test_the_dump_shows_no_secret(home: Path) -> None:
    home.mkdir()
    (home / "patch.yaml").write_text(
        "- insert: [{id: mine, plugin: 'x:y', config: {key: !env SECRET_KEY}}]\n"
    )
    dumped = run_dsh("config", "dump", home=home, SECRET_KEY="sk-canary").stdout
    assert "canary" not in dumped
    assert rows_of(dumped)["mine"]["config"] == {"key": "!env SECRET_KEY"}


def test_the_profile_of_runs_has_no_host(home: Path) -> None:
    dumped = run_dsh("config", "dump", "--profile", "cli", home=home).stdout
    assert "host" not in rows_of(dumped)
    unknown = run_dsh("config", "dump", "--profile", "nope", home=home)
    assert unknown.returncode == 1
    assert "desktop" in unknown.stderr


def test_the_doctor_says_what_works(home: Path) -> None:
    done = run_dsh("doctor", home=home)
    assert done.returncode == 0, done.stdout
    for word in (__version__, str(home), "sandbox", "bubblewrap", "offline", "active"):
        assert word in done.stdout, word


def test_the_doctor_names_the_row_that_fails(home: Path) -> None:
    home.mkdir()
    (home / "patch.yaml").write_text(
        "- insert: [{id: mine, plugin: 'nowhere:nothing'}]\n"
    )
    done = run_dsh("doctor", home=home)
    assert done.returncode == 0  # not required
    assert "row mine" in done.stdout
    assert "nowhere" in done.stdout


def test_the_doctor_may_look_while_the_program_runs(home: Path) -> None:
    with headless(home) as program:
        assert run_dsh("doctor", home=home).returncode == 0
        assert program.terminate() == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["run", "--help"],
        ["--no-such-option"],
        ["--headless", "--port", "x"],
        ["a-folder", "another"],
        ["--dsh-supervisor-like"],
    ],
)
def test_what_only_answers_opens_nothing(home: Path, words: list[str]) -> None:
    # A display that does not exist: whoever tries to open a window fails visibly.
    done = run_dsh(*words, home=home, DISPLAY=":987")
    answers = {"--version", "--help"} & set(words)
    assert done.returncode == (0 if answers else 2), done.stderr
    if "--version" in words:
        assert done.stdout == f"dsh {__version__}\n"
    assert not home.exists()  # nothing was claimed, booted or written


def test_a_start_without_a_screen_prints_the_url_and_serves(home: Path) -> None:
    with subprocess.Popen(
        DSH, env=environment(home), stdout=subprocess.PIPE, text=True, cwd=home.parent
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            assert process.stdout.readline().startswith("http://127.0.0.1:")
            process.terminate()
            assert process.wait(10) == 0
        finally:
            process.kill()


def test_a_port_can_be_asked_for_and_a_taken_one_is_said(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run_dsh("--headless", "--port", port, home=home)
    assert done.returncode == 1
    assert port in done.stderr
    assert "Traceback" not in done.stderr
    with headless(home, "--port", port) as program:
        assert program.origin.endswith(f":{port}")
        assert program.terminate() == 0


def test_the_boot_settles(home: Path) -> None:
    with headless(home) as program, client_of(program) as client:

        def moving() -> list[str]:
            rows = client.call("boot/report")["rows"]
            return [r["id"] for r in rows if r["phase"] in ("loading", "starting")]

        until(lambda: not moving(), "the end of the boot")
        failed = [
            row["id"]
            for row in client.call("boot/report")["rows"]
            if row["phase"] == "failed"
        ]
        assert failed == []
