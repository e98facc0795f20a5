"""Answers of a real server on loopback, cut and shaped in every way."""

from __future__ import annotations

import asyncio
import json

import pytest

from dsh.seams.llm import ModelRequest
from support.asking import ask, endpoint_provider, user
from support.scripted_model import (
    DONE,
    USAGE,
    Event,
    Reply,
    calls,
    chunk,
    event,
    says,
    scripted_model,
    tool_call,
)

pytestmark = pytest.mark.anyio

TEXT = "漢字も、👩‍🚀🇩🇪 e\u0301 and \u2028\u2029\u0085\x0b\x1c lines\n"
FIGURES = {"inputTokens": 100, "outputTokens": 10}


def pieces_of(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


async def test_text_is_the_same_however_the_stream_is_cut() -> None:
    body = event(chunk({"role": "assistant", "content": ""}))
    body += b"".join(event(chunk({"content": part})) for part in (TEXT, "", TEXT))
    body += event(chunk({}, "stop", usage=USAGE)) + DONE
    cuts = [[body[:cut], body[cut:]] for cut in range(0, len(body), 7)]
    cuts += [pieces_of(body, 1), [body]]
    replies = [Reply(*cut) for cut in cuts]
    async with (
        scripted_model(replies) as model,
        endpoint_provider(model.url) as provider,
    ):
        for _ in replies:
            heard = await ask(provider)
            assert heard.text == TEXT + TEXT
            assert (heard.reason, heard.usage) == ("stop", FIGURES)
        assert model.connections == 1


async def test_framing_that_the_format_allows() -> None:
    one = json.dumps(chunk({"content": "a\u2028b"}), ensure_ascii=False).encode()
    cut = one.index(b'"choices"')
    reply = Reply(
        b"\xef\xbb\xbf: hi\r\n\r\n",
        b"data:" + one[:cut] + b"\r\ndata: " + one[cut:] + b"\r\n\r\n",
        b": ping\n\nevent: x\nretry: 5\n\n",
        b"data: " + json.dumps(chunk({"content": "c"})).encode() + b"\r\r",
        b"data: " + json.dumps(chunk({}, "stop", usage=USAGE)).encode(),
    )
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert (heard.text, heard.reason, heard.usage) == ("a\u2028bc", "stop", FIGURES)


ODD: list[Event] = [
    {"choices": []},
    {"choices": None},
    {},
    {"id": "x", "object": "chat.completion.chunk"},
    {"choices": [None]},
    {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
    {"choices": [{"index": 0}]},
    chunk({"role": "assistant", "content": None}),
    chunk({"content": ""}),
    chunk({"content": "", "reasoning_content": "", "tool_calls": []}),
    chunk({"content": None, "tool_calls": None, "reasoning": None}),
    chunk({"content": 7, "reasoning": {"x": 1}, "tool_calls": "no"}),
    {"choices": [{"index": 1, "delta": {"content": "other choice"}}]},
    {"choices": [], "usage": None},
    {"choices": [], "usage": {"prompt_tokens": None, "completion_tokens": "many"}},
    chunk({}, "", timings={"prompt_n": -1}),
]


@pytest.mark.parametrize("place", ["head", "middle", "tail"])
@pytest.mark.parametrize("odd", [*ODD, None, [], "text", 5])
async def test_odd_chunks_are_tolerated(odd: object, place: str) -> None:
    events = [
        event(chunk({"content": "good "})),
        event(chunk({"content": "answer"}, "stop")),
        event({"choices": [], "usage": USAGE}),
    ]
    where = {"head": 0, "middle": 1, "tail": 3}[place]
    events.insert(where, event(odd))
    async with (
        scripted_model([Reply(*events, DONE)]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert (heard.text, heard.reason, heard.usage) == ("good answer", "stop", FIGURES)
    assert len(heard.blocks) == 1


@pytest.mark.parametrize(
    "last",
    [
        [],
        [event({"choices": [], "usage": USAGE})],
        [event({"choices": [], "usage": USAGE}), b"data: [DONE]"],
    ],
)
async def test_the_end_is_recognised_without_done(last: list[bytes]) -> None:
    reply = Reply(event(chunk({"content": "x"})), event(chunk({}, "stop")), *last)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert (heard.text, heard.reason) == ("x", "stop")


async def test_an_answer_that_is_complete_does_not_wait_for_its_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dsh_plugins.llm_openai.exchange.TAIL_SECONDS", 0.05)
    forever = asyncio.Event()
    reply = Reply(event(chunk({"content": "x"}, "stop", usage=USAGE)), forever)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert (heard.text, heard.reason, heard.usage) == ("x", "stop", FIGURES)


async def test_reasoning_is_kept_apart_from_text() -> None:
    reply = Reply(
        event(chunk({"reasoning_content": "", "content": None})),
        event(chunk({"reasoning_content": "think "})),
        event(chunk({"reasoning": "hard", "reasoning_content": None})),
        event(chunk({"content": "\n\n"})),
        event(chunk({"content": "answer"})),
        event(chunk({}, "stop")),
        DONE,
    )
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert heard.blocks == [
        {"type": "reasoning", "text": "think hard"},
        {"type": "text", "text": "\n\nanswer"},
    ]


async def test_blanks_beside_a_tool_call_are_no_text() -> None:
    reply = calls(tool_call("bash", {"command": "ls"}), text="\n")
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert [block["type"] for block in heard.blocks] == ["tool-call"]
    assert heard.reason == "tool-calls"


async def test_a_character_cut_into_two_events_is_whole() -> None:
    halves = [
        rb'data: {"choices":[{"delta":{"content":"a\ud83d"}}]}' + b"\n\n",
        rb'data: {"choices":[{"delta":{"content":"\ude80b \ud83d"}}]}' + b"\n\n",
    ]
    reply = Reply(*halves, event(chunk({}, "stop")), DONE)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert heard.text == "a🚀b \ufffd"


async def test_a_whole_object_instead_of_a_stream_is_an_answer() -> None:
    message = {"role": "assistant", "content": "whole", "tool_calls": None}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": USAGE,
    }
    reply = Reply(json.dumps(body).encode(), kind="application/json")
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert (heard.text, heard.reason, heard.usage) == ("whole", "stop", FIGURES)


async def test_a_stream_under_another_type_is_read() -> None:
    reply = says("hello")
    reply.headers["content-type"] = "text/plain"
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        assert (await ask(provider)).text == "hello"


async def test_a_burst_reaches_a_slow_consumer_as_few_chunks() -> None:
    words = [f"w{number} " for number in range(2000)]
    async with (
        scripted_model([says(*words)]) as model,
        endpoint_provider(model.url) as provider,
    ):
        heard = await ask(provider)
    assert heard.text == "".join(words)
    assert len(heard.chunks) < 1000


async def test_leaving_early_closes_the_connection() -> None:
    forever = asyncio.Event()
    reply = Reply(event(chunk({"content": "x"})), forever)
    async with (
        scripted_model([reply, says("next")]) as model,
        endpoint_provider(model.url) as provider,
    ):
        request = ModelRequest("test", "m", [user("hi")])
        async with provider.stream(request) as chunks:
            await anext(chunks)
        assert (await ask(provider)).text == "next"
        assert model.connections == 2


async def test_an_error_of_the_consumer_comes_out_as_it_is() -> None:
    async with (
        scripted_model([says("x")]) as model,
        endpoint_provider(model.url) as provider,
    ):
        request = ModelRequest("test", "m", [user("hi")])
        with pytest.raises(KeyError, match="mine"):
            async with provider.stream(request):
                raise KeyError("mine")


async def test_cancelling_the_consumer_ends_the_request() -> None:
    forever = asyncio.Event()
    begun = asyncio.Event()
    reply = Reply(event(chunk({"content": "x"})), forever)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):

        async def consume() -> None:
            request = ModelRequest("test", "m", [user("hi")])
            async with provider.stream(request) as chunks:
                async for _ in chunks:
                    begun.set()

        async with asyncio.TaskGroup() as group:
            task = group.create_task(consume())
            await begun.wait()
            task.cancel()
        assert task.cancelled()


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5},
            {"inputTokens": 4, "outputTokens": 4, "cacheReadTokens": 5},
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            {
                "inputTokens": 6,
                "outputTokens": 4,
                "cacheReadTokens": 3,
                "reasoningTokens": 2,
            },
        ),
    ],
)
async def test_figures_are_disjoint(figures: Event, expected: Event) -> None:
    reply = Reply(event(chunk({"content": "x"}, "stop", usage=figures)), DONE)
    async with (
        scripted_model([reply]) as model,
        endpoint_provider(model.url) as provider,
    ):
        assert (await ask(provider)).usage == expected
