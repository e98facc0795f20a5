"""The program and its model servers: what goes over the wire, and where it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.program import client_of, environment, headless, run_dsh
from support.scripted_model import Event, Reply, calls, chunk, event, says, tool_call
from support.served import served
from support.stored import endings, kinds, only_log

DEAD = "http://127.0.0.1:1"
SOURCES = environment(Path())["PYTHONPATH"]
SHOW = (
    "import atexit, json, socket, sys\n"
    "seen = []\n"
    "def hook(name, arguments):\n"
    "    if name == 'socket.connect':\n"
    "        seen.append(repr(arguments[1]))\n"
    "    elif name == 'socket.getaddrinfo':\n"
    "        seen.append(repr(arguments[0]))\n"
    "    else:\n"
    "        return\n"
    "    with open({file!r}, 'a') as out:\n"
    "        out.write(seen[-1] + '\\n')\n"
    "sys.addaudithook(hook)\n"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def steps(first: int, count: int) -> list[Reply]:
    """Answers of a thinking model that calls a tool each time."""
    return [
        calls(
            tool_call("bash", {"command": f"echo {n}", "description": "Say"}, f"c{n}"),
            reasoning=f"thought {n} 想" if n % 2 else "",
        )
        for n in range(first, first + count)
    ]


def test_reasoning_goes_back_through_steps_restarts_and_stops(
    home: Path, work: Path
) -> None:
    script = [
        *steps(0, 5),
        says("done"),
        *steps(5, 1),
        Reply(event(chunk({"reasoning_content": "half"})), complete=False),
        *steps(6, 1),
        says("more"),
        *steps(7, 1),
        says("most"),
    ]
    with served(script, back="required") as model:
        env = {**model.variables, "DSH_LLM_DIALECT": "deepseek"}
        run_dsh("run", "-w", str(work), "one", home=home, env=env)
        log = only_log(home)
        for task in ("two", "three"):
            done = run_dsh("run", "--session", log.parent.name, task, home=home, env=env)
            assert done.returncode == 0, done.stderr
        assert model.refusals == []
        assert done.stdout.strip() == "most"
    assert endings(log) == ["completed"] * 3


def test_a_lost_stream_is_asked_again_and_finished_tools_are_not_run_again(
    home: Path, work: Path
) -> None:
    line = {"command": "echo line >> file", "description": "Add a line"}
    script = [
        calls(tool_call("bash", line)),
        Reply(*[event(chunk({"content": "lost "}))] * 20, complete=False),
        says("the second ", "stream"),
    ]
    with served(script) as model:
        done = run_dsh("run", "-w", str(work), "go", home=home, env=model.variables)
        assert done.stdout.strip() == "the second stream", done.stderr
        assert len(model.chats) == 3
    assert (work / "file").read_text() == "line\n"
    assert len(kinds(only_log(home), "llm/retry")) == 1


def test_arguments_cut_by_the_output_limit_are_never_run(home: Path, work: Path) -> None:
    def cut(number: int) -> Reply:
        text = '{"file_path": "big.txt", "content": "half'
        whole = calls(tool_call("write", text, f"c{number}"))
        return Reply(*whole.pieces[:-2], event(chunk({}, "length")))

    with served([cut(n) for n in range(20)]) as model:
        done = run_dsh("run", "-w", str(work), "go", home=home, env=model.variables)
        assert model.refusals == []
        assert len(model.chats) < 10
    assert done.returncode == 1
    assert "limit" in done.stderr
    assert not (work / "big.txt").exists()


@pytest.mark.parametrize(
    "proxies",
    [
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"HTTP_PROXY": DEAD, "HTTPS_PROXY": DEAD, "NO_PROXY": ""},
        {"HTTP_PROXY": "http://u:secret a@h:port", "NO_PROXY": "[::1"},
        {"ALL_PROXY": "://", "https_proxy": "http://[::1"},
    ],
)
def test_a_local_model_answers_whatever_the_proxy_variables_say(
    home: Path, work: Path, proxies: dict[str, str]
) -> None:
    with served([says("fine")]) as model:
        env = {**model.variables, **proxies}
        done = run_dsh("run", "-w", str(work), "hi", home=home, env=env)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_cannot_send_the_key_elsewhere(home: Path, work: Path) -> None:
    with served([says("x")]) as model, served() as thief:
        names = (
            *("DSH_LLM_BASE_URL", "DEEPSEEK_BASE_URL", "OPENAI_BASE_URL"),
            *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE"),
        )
        text = "".join(f"{name}={thief.model.url}\n" for name in names)
        (work / ".env").write_text(text)
        (work / "settings.yaml").write_text(
            f"models: {{providers: {{x: {{baseUrl: '{thief.model.url}'}}}}}}\n"
        )
        done = run_dsh(
            *("run", "-w", str(work), "hi"), home=home, cwd=work, env=model.variables
        )
        assert done.returncode == 0, done.stderr
        assert thief.model.connections == 0


def test_nothing_but_the_named_server_is_contacted(
    home: Path, work: Path, tmp_path: Path
) -> None:
    seen, hooks = tmp_path / "seen", tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(SHOW.format(file=str(seen)))
    with served([says("x")]) as model:
        port = model.model.port
        for prompt, env in (("hi", model.variables), ("run echo hi", {})):
            more = {**env, "PYTHONPATH": f"{hooks}:{SOURCES}"}
            done = run_dsh("run", "-w", str(work), prompt, home=home, env=more)
            assert done.returncode == 0, done.stderr
    named = {line for line in seen.read_text().splitlines() if "/" not in line}
    assert named
    assert named <= {f"('127.0.0.1', {port})", "'127.0.0.1'", "None"}


def test_a_server_added_through_the_page_answers_everywhere(
    home: Path, work: Path
) -> None:
    with served([says("OK"), says("hello")]) as model:
        provider: Event = {
            "id": "mine",
            "label": "Mine",
            "dialect": "generic",
            "baseUrl": f"127.0.0.1:{model.model.port}",
            "models": ["scripted"],
        }
        with headless(home) as program, client_of(program) as page:
            saved = page.call("model/saveProvider", **provider)
            assert saved["address"] == f"{model.model.url}/chat/completions"
            tested = page.call("model/test", providerId="mine")
            assert all(step["ok"] for step in tested["steps"]), tested
            ref = saved["credential"]["ref"]
            page.call("credentials/set", ref=ref, value="sk-page")
            shown = [
                page.call("model/list"),
                page.call("settings/describe"),
                page.call("credentials/describe", refs=[ref]),
            ]
            assert shown[0]["current"]["provider"] == "mine"
            assert "sk-page" not in json.dumps(shown)
            program.terminate()
        assert "sk-page" not in (home / "desktop" / "settings.yaml").read_text()
        done = run_dsh("run", "-w", str(work), "hi", home=home)
        assert done.stdout == "hello\n", done.stderr
        assert model.chats[-1].headers["authorization"] == "Bearer sk-page"


def test_the_doctor_names_bad_proxies_and_settings(home: Path, work: Path) -> None:
    settings = home / "desktop" / "settings.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("models:\n  providers: [\n")
    bad = {"ALL_PROXY": "socks5://u:hunter2@h:1"}
    done = run_dsh("doctor", home=home, env=bad)
    lines = done.stdout.splitlines()
    assert any(row.startswith("proxy") and "SOCKS" in row for row in lines), done.stdout
    assert any(row.startswith("settings") and "line 3" in row for row in lines)
    assert "hunter2" not in done.stdout + done.stderr
    assert settings.read_text() == "models:\n  providers: [\n"
