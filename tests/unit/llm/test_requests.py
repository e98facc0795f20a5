"""What is sent: messages, tools, efforts and keys as each dialect wants them."""

from __future__ import annotations

import json

import msgspec
import pytest

from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import ReasoningBlock, TextBlock, ToolCallBlock
from dsh.seams.llm import ModelRequest
from dsh_plugins.llm_openai import request as requests
from dsh_plugins.llm_openai.dialects import DIALECTS, Back
from dsh_plugins.llm_openai.request import Sent, messages_of
from support.asking import ask, assistant, endpoint_provider, result, user
from support.scripted_model import calls, says, scripted_model, tool_call

pytestmark = pytest.mark.anyio

BASH: ToolSchema = {
    "name": "bash",
    "description": "Runs a command",
    "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
}


def text(value: str) -> TextBlock:
    return {"type": "text", "text": value}


def thought(value: str) -> ReasoningBlock:
    return {"type": "reasoning", "text": value}


def call(call_id: str, arguments: str = "{}") -> ToolCallBlock:
    return {"type": "tool-call", "id": call_id, "name": "bash", "arguments": arguments}


HISTORY = [
    user("do it"),
    assistant(thought("hm"), call("a"), call("b", '{"command":"ls"}')),
    result("a", ""),
    result("b", "x\n"),
    assistant(thought("so"), text("Done"), number=2),
    assistant(thought("only thoughts"), number=3),
    user("more", 2),
]


def request(**more: object) -> ModelRequest:
    return ModelRequest("p", "m", HISTORY, system="Be good", **more)  # type: ignore[arg-type]  # as given


def wire(back: Back, sent: Sent | None = None) -> list[dict[str, object]]:
    messages = messages_of(request(), back, sent or Sent())
    return [dict(m) for m in json.loads(msgspec.json.encode(messages))]


def test_messages_on_the_wire() -> None:
    assert wire("never") == [
        {"role": "system", "content": "Be good"},
        {"role": "user", "content": "do it"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "bash", "arguments": "{}"},
                },
                {
                    "id": "b",
                    "type": "function",
                    "function": {"name": "bash", "arguments": '{"command":"ls"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "(no output)"},
        {"role": "tool", "tool_call_id": "b", "content": "x\n"},
        {"role": "assistant", "content": "Done"},
        {"role": "user", "content": "more"},
    ]


def test_reasoning_goes_back_where_it_must() -> None:
    answers = [m for m in wire("always") if m["role"] == "assistant"]
    assert [m.get("reasoning_content") for m in answers] == ["hm", "so"]


def test_what_was_sent_before_is_sent_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Sent()
    first = wire("never", sent)
    assert wire("always", sent) == wire("always")
    converted: list[object] = []
    monkeypatch.setattr(requests, "wire_of", lambda *given: converted.append(given))
    assert wire("never", sent) == first
    assert converted == []


def test_more_than_is_kept_is_sent_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_MOST_KEPT", 100)
    sent = Sent()
    assert wire("never", sent) == wire("never", sent) == wire("never")


async def test_deepseek_gets_its_reasoning_back_over_many_steps() -> None:
    thoughts = ["first", "", "third", None, "fifth"]
    script = [
        calls(tool_call("bash", {"command": f"echo {n}"}, f"c{n}"), reasoning=thought)
        for n, thought in enumerate(thoughts)
    ]
    async with (
        scripted_model([*script, says("done")], back="required") as model,
        endpoint_provider(model.url, "deepseek") as provider,
    ):
        history = [user("go")]
        for number in range(len(thoughts)):
            heard = await ask(provider, *history, tools=[BASH])
            history.append(assistant(*heard.blocks, number=number))
            history.append(result(f"c{number}", "ok"))
        assert (await ask(provider, *history, tools=[BASH])).text == "done"
    assert model.refusals == []
    last = model.chats[-1].messages
    sent = [m["reasoning_content"] for m in last if m["role"] == "assistant"]
    assert sent == ["first", "", "third", "", "fifth"]


async def test_other_servers_get_no_reasoning() -> None:
    for dialect in ("openai", "ollama", "lmstudio", "llamacpp", "vllm", "generic"):
        async with (
            scripted_model([says("x")], back="forbidden") as model,
            endpoint_provider(model.url, dialect) as provider,
        ):
            assert (await ask(provider, *HISTORY, tools=[BASH])).reason == "stop"
        assert model.refusals == []


def test_the_first_reasoning_models_of_deepseek_want_none_back() -> None:
    assert DIALECTS["deepseek"].back("deepseek-r1-0528") == "never"


@pytest.mark.parametrize(
    ("dialect", "effort", "fields"),
    [
        ("deepseek", None, {}),
        ("deepseek", "off", {"thinking": {"type": "disabled"}}),
        (
            "deepseek",
            "minimal",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "low"},
        ),
        (
            "deepseek",
            "xhigh",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
        ),
        ("deepseek", "max", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ("openai", "low", {"reasoning_effort": "low"}),
        ("openai", "off", {"reasoning_effort": "none"}),
        ("ollama", "off", {"reasoning_effort": "none"}),
        ("llamacpp", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("vllm", "high", {"reasoning_effort": "high"}),
        ("generic", "off", {}),
    ],
)
async def test_efforts_as_each_dialect_says_them(
    dialect: str, effort: str | None, fields: dict[str, object]
) -> None:
    async with (
        scripted_model([says("x")]) as model,
        endpoint_provider(model.url, dialect) as provider,
    ):
        assert (await ask(provider, effort=effort)).reason == "stop"
    body = model.chats[0].body
    for name in ("model", "messages", "stream", "stream_options"):
        del body[name]
    assert body == fields


async def test_an_unknown_effort_is_refused_before_anything_is_sent() -> None:
    async with (
        scripted_model() as model,
        endpoint_provider(model.url, "deepseek") as provider,
    ):
        assert (await ask(provider, effort="wild")).code == "UNSUPPORTED_REASONING_EFFORT"
    assert model.requests == []


async def test_a_title_is_made_without_thinking() -> None:
    async with (
        scripted_model([says("x")]) as model,
        endpoint_provider(model.url, "deepseek") as provider,
    ):
        await ask(provider, purpose="title", effort="max")
    assert model.chats[0].body["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in model.chats[0].body


async def test_tools_limits_and_stops_are_passed_on() -> None:
    more = {"tools": [BASH], "temperature": 0.5, "max_tokens": 99, "stop": ["X"]}
    for dialect, name in (("openai", "max_completion_tokens"), ("generic", "max_tokens")):
        async with (
            scripted_model([says("x")]) as model,
            endpoint_provider(model.url, dialect) as provider,
        ):
            await ask(provider, **more)
        body = model.chats[0].body
        assert body["tools"] == [{"type": "function", "function": BASH}]
        assert (body["temperature"], body[name], body["stop"]) == (0.5, 99, ["X"])
        assert body["stream_options"] == {"include_usage": True}


async def test_the_key_is_sent_trimmed_and_only_when_there_is_one() -> None:
    async with scripted_model([says("x"), says("x")]) as model:
        async with endpoint_provider(model.url, key="sk-x\n") as provider:
            await ask(provider)
        async with endpoint_provider(model.url) as provider:
            await ask(provider)
    assert model.chats[0].headers["authorization"] == "Bearer sk-x"
    assert "authorization" not in model.chats[1].headers
