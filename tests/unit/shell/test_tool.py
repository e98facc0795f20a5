"""The bash tool through the whole pipeline: what the model reads, what a person sees."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from dsh.kernel import Next
from dsh.runtime.agent import ToolOutput
from dsh.runtime.tools import Card, TerminalCard, Tools
from dsh.seams.approval import ASK, Answer, ApprovalRequest
from dsh_plugins.spill_local import spill_policy
from support.agents import log_of
from support.processes import MARK, marked, new_mark, until
from support.scripted import calls, texts
from unit.shell.steps import WORLD, bash, ran, results, shell_agent, text_of

pytestmark = pytest.mark.anyio


async def test_output_comes_before_errors_and_the_exit_code(tmp_path: Path) -> None:
    text, event = await ran(tmp_path, "echo out; echo err >&2; exit 3")
    assert text == "out\n[stderr]\nerr\n[exit code: 3]"
    assert "error" not in event.data  # a failing command is no failure of the tool
    assert event.data["meta"]["exitCode"] == 3


async def test_silence_is_said(tmp_path: Path) -> None:
    assert (await ran(tmp_path, "true"))[0] == "(no output)"


async def test_a_signal_is_named_by_what_it_did(tmp_path: Path) -> None:
    text, _ = await ran(tmp_path, "kill -9 $$")
    assert text == "(no output)\n[exit code: 137]"  # as a shell reports it


async def test_a_background_process_ends_with_its_command(tmp_path: Path) -> None:
    mark = new_mark()
    begun = time.monotonic()
    text, event = await ran(tmp_path, f"export {MARK}={mark}; sleep 60 & echo done")
    assert text == "done"
    assert event.data["meta"]["timedOut"] is False
    assert time.monotonic() - begun < 20
    assert marked(mark) == []


async def test_a_timeout_ends_the_whole_tree(tmp_path: Path) -> None:
    mark = new_mark()
    command = f"export {MARK}={mark}; sleep 300 & sleep 300"
    text, event = await ran(tmp_path, command, timeoutMs=500)
    assert "[timed out after 500ms]" in text
    assert event.data["meta"]["timedOut"] is True
    assert marked(mark) == []


async def test_a_timeout_is_said_even_if_the_command_ends_well(tmp_path: Path) -> None:
    command = "trap 'exit 0' TERM; while :; do sleep 0.01; done"
    text, _ = await ran(tmp_path, command, timeoutMs=300)
    assert text.endswith("\n[timed out after 300ms]")
    assert "exit code" not in text


@pytest.mark.parametrize(
    "command",
    ["python3 -c 'input()'", "read x; echo got", "git --no-pager commit", "cat", "less"],
)
async def test_nothing_waits_for_a_person(tmp_path: Path, command: str) -> None:
    text, _ = await ran(tmp_path, command, timeoutMs=15_000)
    assert "timed out" not in text


async def test_pagers_colours_and_prompts_are_off(tmp_path: Path) -> None:
    text, _ = await ran(tmp_path, "echo $NO_COLOR $TERM $PAGER $GIT_PAGER $DSH_SHELL")
    assert text == "1 dumb cat cat 1"


async def test_the_session_is_known_and_secrets_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "hunter2")
    monkeypatch.setenv("DSH_ANYTHING", "hunter2")
    async with shell_agent(tmp_path, calls(bash("env"))) as (host, agent):
        await host.say(agent, "go")
        text = text_of((await results(agent))[0])
        assert f"DSH_SESSION_ID={agent.session.id}" in text
    assert "hunter2" not in text
    assert "DSH_ANYTHING" not in text


async def test_a_relative_folder_starts_at_the_sessions_own(tmp_path: Path) -> None:
    (tmp_path / "work/sub").mkdir(parents=True)
    text, event = await ran(tmp_path, "pwd", workdir="sub")
    assert text == f"{tmp_path}/work/sub"
    assert event.data["meta"]["cwd"] == text


async def test_a_missing_folder_is_an_error_and_nothing_runs(tmp_path: Path) -> None:
    text, event = await ran(tmp_path, "touch ran", workdir="gone")
    assert event.data["error"]["code"] == "BAD_WORKDIR"
    assert "does not exist" in text
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "  ", "description": "x"},
        {"command": "touch ran"},
        {"command": "touch ran", "description": "x", "timeoutMs": 0},
        {"command": "touch ran", "description": "x", "justification": "because"},
        {
            "command": "touch ran",
            "description": "x",
            "sandbox_permissions": "danger-full-access",
        },
    ],
)
async def test_wrong_arguments_run_nothing(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    async with shell_agent(tmp_path, calls(("bash", arguments))) as (host, agent):
        await host.say(agent, "go")
        (event,) = await results(agent)
    assert event.data["error"]["code"] == "INVALID_ARGS"
    assert not list(tmp_path.rglob("ran"))


async def test_binary_output_stays_within_bounds_and_is_valid_text(
    tmp_path: Path,
) -> None:
    async with shell_agent(
        tmp_path,
        calls(bash("head -c 300000 /dev/urandom")),
        plugins=(*WORLD, spill_policy),
    ) as (host, agent):
        await host.say(agent, "go")
        text = text_of((await results(agent))[0])
        assert len(text.encode()) <= 50_000
        assert "\0" not in text
        json.dumps(texts(host.model.requests[-1].messages)).encode()
        await host.say(agent, "and now?")


async def test_a_long_result_is_a_preview_and_a_file_that_commands_can_read(
    tmp_path: Path,
) -> None:
    first = calls(bash("seq 1 100000"))
    async with shell_agent(tmp_path, first, plugins=(*WORLD, spill_policy)) as (
        host,
        agent,
    ):
        await host.say(agent, "go")
        text = text_of((await results(agent))[0])
        assert text.startswith("1\n2\n")
        assert "full output: " in text
        path = text.partition("full output: ")[2].partition("]")[0]
        host.model.script.append(calls(bash(f"tail -n 1 '{path}'")))
        await host.say(agent, "read it")
        assert text_of((await results(agent))[1]) == "100000"


async def test_stop_ends_the_command_and_what_was_to_follow(tmp_path: Path) -> None:
    mark = new_mark()
    long = f"export {MARK}={mark}; trap '' TERM; sleep 30; touch late1"
    script = calls(bash(long), bash("touch late2"))
    async with shell_agent(tmp_path, script) as (host, agent):
        agent.followup("go")
        await until(lambda: marked(mark))
        begun = time.monotonic()
        agent.cancel()
        await asyncio.wait_for(agent.idle(), 10)
        assert time.monotonic() - begun < 3
        assert marked(mark) == []
        assert len(await results(agent)) == 2
        await host.say(agent, "still there?")
    assert not list(tmp_path.rglob("late*"))


async def test_a_person_sees_output_while_the_command_runs(tmp_path: Path) -> None:
    seen: list[str] = []
    command = "echo one; until [ -e gate ]; do sleep 0.01; done; echo two"

    def watch(output: ToolOutput) -> None:
        seen.append(output.text)
        (tmp_path / "work/gate").touch()

    async with shell_agent(tmp_path, calls(bash(command))) as (host, agent):
        with host.events.on(ToolOutput, watch):
            await host.say(agent, "go")
        assert text_of((await results(agent))[0]) == "one\ntwo"
    assert "".join(seen) == "one\ntwo\n"


async def test_a_denied_write_is_named_and_the_way_out_is_shown(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    text, event = await ran(tmp_path, f"echo x > {tmp_path}/beside/file")
    assert "[sandbox: file access denied under workspace-write mode]" in text
    assert "sandbox_permissions (danger-full-access)" in text
    assert text.endswith("[exit code: 1]")
    assert event.data["meta"]["denied"]
    assert not (tmp_path / "beside/file").exists()


async def asked(
    folder: Path, answer: Answer, target: Path, mode: str = "danger-full-access"
) -> tuple[str, list[ApprovalRequest]]:
    """Ask for a wider mode to write ``target``; the person answers so."""
    requests: list[ApprovalRequest] = []

    async def person(
        request: ApprovalRequest, call_next: Next[ApprovalRequest, Answer]
    ) -> Answer:
        requests.append(request)
        return answer

    wider = bash(
        f"echo x > {target}", sandbox_permissions=mode, justification="it must be there"
    )
    async with shell_agent(folder, calls(wider)) as (host, agent):
        with host.events.wrap(ASK, person):
            await host.say(agent, "go")
        (event,) = await results(agent)
        return text_of(event), requests


async def test_a_wider_mode_runs_what_was_shown_once_it_is_allowed(
    tmp_path: Path,
) -> None:
    target = tmp_path / "outside"
    text, (request,) = await asked(tmp_path, Answer("allowed-once"), target)
    assert text == "(no output)"
    assert target.read_text() == "x\n"
    assert request.shown["command"] == f"echo x > {target}"
    assert request.shown["cwd"] == f"{tmp_path}/work"
    assert request.shown["mode"] == "danger-full-access"
    assert request.shown["justification"] == "it must be there"


async def test_a_refusal_runs_nothing_and_tells_why(tmp_path: Path) -> None:
    target = tmp_path / "outside"
    text, _ = await asked(tmp_path, Answer("rejected", "not now"), target)
    assert "refused" in text
    assert "not now" in text
    assert not target.exists()


async def test_a_mode_that_is_not_wider_is_refused_before_anybody_is_asked(
    tmp_path: Path,
) -> None:
    target = tmp_path / "outside"
    text, requests = await asked(
        tmp_path, Answer("allowed-once"), target, "workspace-write"
    )
    assert "not wider" in text
    assert requests == []
    assert not target.exists()


async def test_the_sessions_mode_counts_from_the_next_command_on(
    tmp_path: Path,
) -> None:
    script = (calls(bash("touch a")), calls(bash("touch b")), calls(bash("touch c")))
    async with shell_agent(tmp_path, *script[:1]) as (host, agent):
        await host.say(agent, "go")
        for mode, answer in (("read-only", script[1]), ("danger-full-access", script[2])):
            agent.session.append("sandbox/mode", {"mode": mode})
            host.model.script.append(answer)
            await host.say(agent, "go on")
        sandboxes = [e.data["meta"]["sandbox"] for e in await results(agent)]
        enforced = [
            event.data["mechanism"]
            for event in await log_of(agent.session)
            if event.type == "sandbox/enforced"
        ]
        seen = "".join(texts(host.model.requests[-1].messages))
    assert sorted(p.name for p in (tmp_path / "work").iterdir()) == ["a", "c"]
    assert [s.split()[0].rstrip(":") for s in sandboxes] == [
        "workspace-write",
        "read-only",
        "danger-full-access",
    ]
    assert enforced == [enforced[0], "none"]
    assert "Sandbox: read-only" in seen
    assert "Sandbox: off" in seen


async def test_the_home_of_the_program_is_out_of_reach(tmp_path: Path) -> None:
    hidden = tmp_path / "home/desktop"
    text, _ = await ran(tmp_path, f"ls {hidden}; cat {hidden}/index.db; ls {hidden}/..")
    assert "index.db" not in text.replace(f"{hidden}/index.db", "")
    assert "desktop" in text


async def test_cards_are_the_same_live_and_replayed(tmp_path: Path) -> None:
    async with shell_agent(tmp_path, calls(bash("echo x; exit 2"))) as (host, agent):
        await host.say(agent, "go")
        (event,) = await results(agent)
        tool = host.root.get(Tools).get("bash")
    assert tool is not None
    arguments = dict(bash("echo x; exit 2")[1])
    card = tool.present_result(
        arguments, text_of(event), event.data["meta"], failed=False
    )
    assert isinstance(card.model, TerminalCard)
    assert (card.model.output, card.model.exitCode) == ("x", 2)
    assert card.model.title == "echo x; exit 2"
    odd: list[tuple[dict[str, object], dict[str, object] | None]] = [
        ({}, None),
        ({"command": 7}, {"exitCode": "no", "markers": "no", "seconds": None}),
        ({"command": "x", "workdir": []}, {"markers": [1], "cwd": 5}),
    ]
    for given, meta in odd:
        for shown in (
            tool.present_call(given),
            tool.present_result(given, "text", meta, failed=True),
        ):
            assert isinstance(shown, Card)
