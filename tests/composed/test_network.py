"""No connection that nobody asked for; proxies of every kind, and none for loopback."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.nets import Record, canary
from support.page import hosted
from support.program import DSH, environment, headless, run_dsh
from support.scripted_model import says
from support.served import Served, served
from support.waiting import until

HI = "Hello from loopback."
MALFORMED = {
    "no brackets allowed": {"NO_PROXY": "[::1]"},
    "a blank in the password": {"HTTP_PROXY": "http://u:canary pass@h:80"},
    "a port out of range": {"HTTPS_PROXY": "http://u:canary@h:99999"},
    "no host": {"HTTP_PROXY": "http://"},
    "no scheme we know": {"ALL_PROXY": "socks5://u:canary@127.0.0.1:1"},
    "not an address at all": {"HTTP_PROXY": "://??", "https_proxy": "%%%"},
}


def chat(root: Path, model: Served, **variables: str) -> str:
    done = run_dsh("run", "hi", home=root / "home", env={**model.variables, **variables})
    assert "Traceback" not in done.stderr
    assert "canary" not in done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("empty", [True, False])
def test_loopback_never_goes_through_a_proxy(
    tmp_path: Path, host: str, empty: bool
) -> None:
    with served(lambda _: says(HI)) as model, canary() as proxy:
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy")
        variables = dict.fromkeys(names, proxy.url)
        if not empty:
            variables["NO_PROXY"] = "example.org,10.0.0.0/8"
        url = model.model.url.replace("127.0.0.1", host)
        variables["DSH_LLM_BASE_URL"] = url
        assert HI in chat(tmp_path, model, **variables)
        assert proxy.lines == []


@pytest.mark.parametrize("case", MALFORMED)
def test_a_variable_that_cannot_be_used_is_named_and_ends_nothing(
    tmp_path: Path, case: str
) -> None:
    variables = MALFORMED[case]
    with served(lambda _: says(HI)) as model:
        assert HI in chat(tmp_path, model, **variables)
    doctor = run_dsh("doctor", home=tmp_path / "home", env=variables)
    assert doctor.returncode == 0
    assert "canary" not in doctor.stdout + doctor.stderr
    if case != "no brackets allowed":  # which we understand
        assert next(iter(variables)).lower() in doctor.stdout.lower()
    with headless(tmp_path / "other", env=variables) as program:
        assert program.terminate() == 0
    logs = tmp_path / "other" / "desktop" / "logs"
    assert "canary" not in "".join(p.read_text() for p in logs.iterdir())


def test_the_window_serves_behind_a_proxy_that_is_down(tmp_path: Path) -> None:
    dead = "http://127.0.0.1:1"
    with served(lambda _: says(HI)) as model:
        variables = {"HTTP_PROXY": dead, "HTTPS_PROXY": dead, "ALL_PROXY": dead}
        with hosted(tmp_path, model, also=variables) as host:
            session = host.session()
            session.prompt("hi")
            host.ended(1)
            assert len(model.chats) == 1


@pytest.mark.parametrize(
    ("base", "asked"),
    [
        ("http://models.invalid/v1", "POST http://models.invalid/v1/chat/completions"),
        ("https://models.invalid/v1", "CONNECT models.invalid:443"),
    ],
)
def test_the_outside_is_reached_through_the_proxy(
    tmp_path: Path, base: str, asked: str
) -> None:
    with canary() as proxy:
        process = subprocess.Popen(
            [*DSH, "run", "hi"],
            env=environment(
                tmp_path / "home",
                DSH_LLM_BASE_URL=base,
                DSH_LLM_MODEL="m",
                DSH_LLM_DIALECT="generic",
                HTTP_PROXY=proxy.url,
                HTTPS_PROXY=proxy.url,
            ),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: proxy.lines, "the request")
        finally:
            process.kill()
            process.wait(10)
    assert proxy.lines[0].startswith(asked)


def test_nothing_is_asked_of_the_outside(tmp_path: Path) -> None:
    """Start, page, settings, models, a chat with a local model, quit."""
    record = Record(tmp_path / "record")
    variables = record.variables(environment(tmp_path / "home")["PYTHONPATH"])
    with (
        served(lambda _: says(HI)) as model,
        hosted(tmp_path, model, also=variables) as host,
    ):
        page = host.client.http.get(host.client.origin + "/").text
        for asset in re.findall(r'(?:src|href)="(/[^"]+)"', page):
            assert host.client.http.get(host.client.origin + asset).status_code == 200
        assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
        for method in ("settings/describe", "model/list", "boot/report", "host/describe"):
            host.client.call(method)
        session = host.session()
        session.prompt("hi")
        host.ended(1)
        assert host.program.terminate() == 0
    assert record.attempts, "nothing was recorded, not even the chat"
    assert record.abroad == []


@pytest.mark.parametrize("words", [["run", "run echo hi"], ["doctor"]])
def test_commands_ask_nothing_of_the_outside(tmp_path: Path, words: list[str]) -> None:
    record = Record(tmp_path / "record")
    variables = record.variables(environment(tmp_path / "home")["PYTHONPATH"])
    done = run_dsh(*words, home=tmp_path / "home", env=variables)
    assert done.returncode == 0, done.stderr
    assert record.abroad == []


@pytest.mark.skipif(
    not shutil.which("unshare")
    or subprocess.run(["unshare", "-n", "true"], check=False, stderr=-3).returncode != 0,
    reason="no new network namespaces here",
)
def test_a_machine_without_any_network_will_do(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "-n", *DSH, "run", "run echo alone"],
        env=environment(tmp_path / "home"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "alone" in done.stdout


def test_a_folder_cannot_send_the_key_somewhere_else(tmp_path: Path) -> None:
    with served(lambda _: says(HI)) as model, canary() as thief:
        work = tmp_path / "work"
        work.mkdir()
        names = (
            "DSH_LLM_BASE_URL",
            "DEEPSEEK_BASE_URL",
            "OPENAI_BASE_URL",
            "HTTPS_PROXY",
            "HTTP_PROXY",
            "ALL_PROXY",
        )
        text = "".join(f"{name}={thief.url}\n" for name in names)
        for name in (".env", ".env.local", ".envrc"):
            (work / name).write_text(text + "SSL_CERT_FILE=/nowhere\n")
        for name in (".dsh/settings.yaml", ".dsh/desktop/settings.yaml", "settings.yaml"):
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(f"llm:\n  base_url: {thief.url}\n")
        (work / "patch.yaml").write_text("- {id: sessions, disabled: true}\n")
        home = tmp_path / "home"
        done = run_dsh("run", "hi", home=home, cwd=work, env=model.variables)
        assert HI in done.stdout, done.stderr
        with hosted(tmp_path, model) as host:
            session = host.session()
            session.prompt("hi")
            until(lambda: len(model.chats) == 2, "the second chat")
        assert thief.lines == []
        keys = {chat.headers.get("authorization") for chat in model.chats}
        assert keys == {"Bearer sk-test"}


def test_the_policy_of_the_page_lets_nothing_in_from_outside(tmp_path: Path) -> None:
    with hosted(tmp_path) as host:
        answer = host.client.http.get(host.client.origin + "/")
    rules = dict(
        rule.strip().split(" ", 1)
        for rule in answer.headers["content-security-policy"].split(";")
    )
    assert rules["default-src"] == "'none'"
    allowed = {word for words in rules.values() for word in words.split()}
    assert allowed <= {"'none'", "'self'", "data:", "blob:"}
    assert answer.headers["referrer-policy"] == "no-referrer"
