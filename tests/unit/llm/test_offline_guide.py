"""The guide that answers without a model: plain phrases become real tool calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import Message
from dsh.seams.llm import Models
from dsh_plugins.llm_offline import llm_offline
from dsh_plugins.llm_offline.provider import OfflineGuide
from dsh_plugins.llm_offline.words import words
from support.asking import Heard, ask, assistant, result, user
from support.mounting import mounted

pytestmark = pytest.mark.anyio

MODES = {"type": "string", "enum": ["workspace-write", "danger-full-access"]}


def tool(name: str, **properties: object) -> ToolSchema:
    parameters: dict[str, object] = {"type": "object", "properties": properties}
    return {"name": name, "description": name, "parameters": parameters}


TOOLS = [
    tool("bash", command={}, sandbox_permissions=MODES, justification={}),
    *[tool(name) for name in ("read", "write", "edit", "glob", "grep")],
]


async def first(prompt: str, tools: list[ToolSchema] = TOOLS) -> Heard:
    return await ask(OfflineGuide(), user(prompt), tools=tools)


def called(heard: Heard) -> tuple[str, Any]:  # Any: JSON
    [(_, name, arguments)] = heard.calls
    return name, json.loads(arguments)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "  spaces  kept  ",
        "echo 'a' | grep \"b\" > c; exit 3",
        "cat <<EOF\nrun this\nEOF\n",
        "运行 $HOME `x` \\n",
        "run run",
    ],
)
async def test_a_command_is_passed_on_exactly_as_it_stands(command: str) -> None:
    for verb in ("run ", "RUN "):
        name, arguments = called(await first(verb + command))
        assert name == "bash"
        assert arguments["command"] == command.lstrip(" ")
        assert arguments["description"]


@pytest.mark.parametrize(
    ("prompt", "name", "arguments"),
    [
        ("read src/a b.py", "read", {"file_path": "src/a b.py"}),
        ("Read `notes.txt`.", "read", {"file_path": "notes.txt"}),
        ("读取 笔记.txt", "read", {"file_path": "笔记.txt"}),
        ("find a.b(c)", "grep", {"pattern": r"a\.b\(c\)"}),
        ("查找：关键词", "grep", {"pattern": "关键词"}),  # as typed
        ("list", "glob", {"pattern": "*"}),
        ("list *.py", "glob", {"pattern": "*.py"}),
        ("list src", "glob", {"pattern": "*", "path": "src"}),
        ("列出", "glob", {"pattern": "*"}),
        (
            "write a.txt: one\ntwo\n",
            "write",
            {"file_path": "a.txt", "content": "one\ntwo\n"},
        ),
        ("写入 a.txt: 一", "write", {"file_path": "a.txt", "content": "一"}),
        ("edit a.txt: x => y", "read", {"file_path": "a.txt"}),
        ("运行 ls", "bash", {"command": "ls", "description": "运行你输入的命令"}),
    ],
)
async def test_plain_requests_become_tool_calls(
    prompt: str, name: str, arguments: dict[str, str]
) -> None:
    heard = await first(prompt)
    assert called(heard) == (name, arguments)
    assert heard.reason == "tool-calls"
    assert heard.text


async def test_the_result_is_told_and_a_short_one_repeated() -> None:
    history = [user("run echo hi")]
    heard = await ask(OfflineGuide(), *history, tools=TOOLS)
    [call] = [block for block in heard.blocks if block["type"] == "tool-call"]
    history += [assistant(*heard.blocks), result(call["id"], "hi\n")]
    after = await ask(OfflineGuide(), *history, tools=TOOLS)
    assert (after.reason, after.calls) == ("stop", [])
    assert "hi" in after.text
    history[-1] = result(call["id"], "x" * 5000)
    assert "x" * 1000 not in (await ask(OfflineGuide(), *history, tools=TOOLS)).text


async def test_an_edit_reads_first_and_then_changes() -> None:
    asked, answers = await walk("edit a.txt: x => y", {})
    assert [name for name, _ in asked] == ["read", "edit"]
    assert asked[1][1] == {"file_path": "a.txt", "old_string": "x", "new_string": "y"}
    assert answers[-1].reason == "stop"


async def test_a_tool_that_is_not_there_is_said_so() -> None:
    heard = await first("read x", tools=[])
    assert heard.calls == []
    assert "read" in heard.text


@pytest.mark.parametrize("prompt", ["Please refactor my parser", "帮我重构解析器", ""])
async def test_anything_else_gets_an_honest_answer(prompt: str) -> None:
    heard = await first(prompt)
    assert heard.calls == []
    assert ("not a language model" in heard.text) or ("不是语言模型" in heard.text)
    assert ("离线向导" in heard.text) is (prompt == "帮我重构解析器")


@pytest.mark.parametrize(("prompt", "part"), [("help", "`tour`"), ("帮助", "`导览`")])
async def test_help_in_the_language_of_the_question(prompt: str, part: str) -> None:
    assert part in (await first(prompt)).text


async def test_it_streams_and_is_the_same_each_time() -> None:
    one, two = await first("help"), await first("help")
    assert len([c for c in one.chunks if c["type"] == "text-delta"]) > 20
    assert one.chunks == two.chunks


async def test_a_title_is_the_first_line() -> None:
    heard = await ask(OfflineGuide(), user("tour\nmore"), purpose="title")
    assert (heard.text, heard.calls) == ("tour", [])


Answers = dict[tuple[str, int], tuple[str, bool]]  # (tool, n-th call) → text, error


async def walk(
    prompt: str, answers: Answers
) -> tuple[list[tuple[str, Any]], list[Heard]]:
    """Run a whole turn against tools that answer as told, else ``ok``."""
    history: list[Message] = [user(prompt)]
    asked: list[tuple[str, Any]] = []
    heard: list[Heard] = []
    for number in range(20):
        answer = await ask(OfflineGuide(), *history, tools=TOOLS)
        heard.append(answer)
        if answer.reason == "stop":
            return asked, heard
        name, arguments = called(answer)
        asked.append((name, arguments))
        count = sum(tool == name for tool, _ in asked)
        text, failed = answers.get((name, count), ("ok", False))
        reply = result(answer.calls[0][0], text)
        if failed:
            reply["content"][0]["isError"] = True  # type: ignore[typeddict-unknown-key]  # a result
        history += [assistant(*answer.blocks, number=number), reply]
    raise AssertionError("the turn does not end")


@pytest.mark.parametrize("prompt", ["tour", "导览"])
async def test_the_tour_makes_changes_runs_searches_and_asks(prompt: str) -> None:
    asked, heard = await walk(prompt, {})
    assert [name for name, _ in asked] == ["write", "edit", "bash", "grep", "bash"]
    assert asked[1][1]["old_string"] in asked[0][1]["content"]
    assert asked[2][1]["command"].startswith("sh dsh-tour/")
    assert "sandbox_permissions" not in asked[2][1]
    assert asked[4][1]["sandbox_permissions"] == "danger-full-access"
    assert asked[4][1]["justification"]
    assert all(answer.text for answer in heard)
    say = words("zh" if prompt == "导览" else "en")
    assert heard[-1].text.startswith(say("tour.allowed"))


async def test_a_refusal_is_taken_kindly() -> None:
    refused = ("Error: The person refused the wider access; nothing was done.", True)
    _, heard = await walk("tour", {("bash", 2): refused})
    assert heard[-1].text.startswith(words("en")("tour.declined"))


async def test_without_confinement_there_is_nothing_to_ask() -> None:
    free = ("Error: danger-full-access is not wider than danger-full-access", True)
    _, heard = await walk("tour", {("bash", 2): free})
    assert heard[-1].text.startswith(words("en")("tour.free"))


async def test_a_second_tour_reads_the_file_before_it_replaces_it() -> None:
    exists = ("Error: dsh-tour/hello.sh exists and was not read", True)
    asked, heard = await walk("tour", {("write", 1): exists})
    names = [name for name, _ in asked]
    assert names == ["write", "read", "write", "edit", "bash", "grep", "bash"]
    assert words("en")("tour.skipped") not in "".join(answer.text for answer in heard)


async def test_where_nothing_can_be_written_the_tour_goes_on() -> None:
    denied = ("Error: read-only", True)
    asked, heard = await walk("tour", {("write", 1): denied, ("read", 1): denied})
    assert [name for name, _ in asked] == ["write", "read", "bash", "bash"]
    assert heard[-1].text.endswith(words("en")("tour.nothing_made"))


def test_both_languages_say_the_same_things() -> None:
    assert words("en").texts.keys() == words("zh").texts.keys()


async def test_the_guide_is_offered_as_what_it_is(tmp_path: Path) -> None:
    async with mounted(tmp_path, llm_offline) as root:
        guide = root.get(Models).get("offline")
        assert guide is not None
        assert (guide.label, guide.kind) == ("Offline guide", "offline")
        assert [info.id for info in await guide.models()] == ["guide"]
