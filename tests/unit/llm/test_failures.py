"""What goes wrong with a server, told as one finish with a code and a sentence."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dsh.seams.endpoints import EndpointLimits
from support.asking import Heard, ask, endpoint_provider
from support.scripted_model import (
    DONE,
    Event,
    Reply,
    chunk,
    event,
    says,
    scripted_model,
)

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret"


async def heard(*replies: Reply, limits: EndpointLimits | None = None) -> Heard:
    async with (
        scripted_model(replies) as model,
        endpoint_provider(model.url, key=KEY, limits=limits) as provider,
    ):
        return await ask(provider)


def refusal(status: int, error: object, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps(error).encode()
    return Reply(body, status=status, kind="application/json", headers=named)


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (401, "Incorrect API key provided", "AUTH"),
        (403, "forbidden", "AUTH"),
        (402, "Insufficient Balance", "QUOTA"),
        (429, "You exceeded your current quota", "QUOTA"),
        (429, "Too many requests", "RATE_LIMIT"),
        (413, "too large", "INVALID_REQUEST"),
        (400, "This model's maximum context length is 65536", "CONTEXT_WINDOW_EXCEEDED"),
        (
            400,
            "the request exceeds the available context size",
            "CONTEXT_WINDOW_EXCEEDED",
        ),
        (400, "bad temperature", "INVALID_REQUEST"),
        (400, "Model Not Exist", "UNKNOWN_MODEL"),
        (404, "model 'x' not found, try pulling it first", "UNKNOWN_MODEL"),
        (404, "404 page not found", "HTTP_404"),
        (418, "teapot", "HTTP_418"),
        (500, "oops", "SERVER"),
        (529, "overloaded", "SERVER"),
    ],
)
async def test_a_status_becomes_a_code(status: int, message: str, code: str) -> None:
    answer = await heard(
        refusal(status, {"error": {"message": message}}, x_request_id="r-1")
    )
    assert answer.reason == "error"
    assert answer.code == code
    assert message in answer.message
    assert answer.failure is not None
    assert answer.failure.get("status") == status
    assert answer.failure.get("requestId") == "r-1"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no luck", "type": "x"}},
        {"error": "no luck"},
        {"message": "no luck"},
        {"detail": "no luck"},
        "no luck",
    ],
)
async def test_an_error_body_of_any_shape_gives_its_sentence(body: object) -> None:
    assert "no luck" in (await heard(refusal(500, body))).message


async def test_the_wait_that_a_server_asks_for_is_passed_on() -> None:
    seconds = await heard(refusal(429, {}, retry_after="7"))
    assert seconds.failure is not None
    assert seconds.failure.get("providerRetryAfterMs") == 7000
    later = datetime.now(UTC) + timedelta(minutes=5)
    date = await heard(refusal(503, {}, retry_after=format_datetime(later)))
    assert date.failure is not None
    assert 200_000 < date.failure.get("providerRetryAfterMs", 0) <= 300_000
    odd = await heard(refusal(503, {}, retry_after="soon"))
    assert odd.failure is not None
    assert "providerRetryAfterMs" not in odd.failure


async def test_a_page_instead_of_an_answer_is_shown() -> None:
    page = "<html><title>Sign in to the network</title>" + "x" * 5000
    answer = await heard(Reply(page.encode(), kind="text/html"))
    assert answer.code == "MALFORMED_RESPONSE"
    assert "Sign in to the network" in answer.message
    assert "text/html" in answer.message
    assert len(answer.message) < 300


async def test_an_error_object_with_status_200_is_an_error() -> None:
    error = {"error": {"message": "Rate limit reached", "code": 429}}
    whole = await heard(Reply(json.dumps(error).encode(), kind="application/json"))
    assert (whole.code, whole.message) == ("RATE_LIMIT", "Rate limit reached")
    inside = await heard(Reply(event(chunk({"content": "x"})), event(error), DONE))
    assert (inside.code, inside.text) == ("RATE_LIMIT", "x")


@pytest.mark.parametrize("body", [b"", b" \n"])
async def test_an_empty_answer_is_said_so(body: bytes) -> None:
    assert (await heard(Reply(body, kind="application/json"))).code == "EMPTY_RESPONSE"
    stopped = await heard(Reply(event(chunk({"content": ""}, "stop")), DONE))
    assert stopped.code == "EMPTY_RESPONSE"


async def test_what_is_not_json_is_shown() -> None:
    answer = await heard(Reply(b"data: {oops\n\n", DONE))
    assert answer.code == "MALFORMED_RESPONSE"
    assert "{oops" in answer.message


async def test_deep_nesting_is_refused() -> None:
    answer = await heard(Reply(b"data: " + b"[" * 100_000 + b"\n\n", DONE))
    assert answer.code == "MALFORMED_RESPONSE"


async def test_another_reason_to_finish_is_an_error_of_that_name() -> None:
    answer = await heard(Reply(event(chunk({"content": "x"}, "content_filter")), DONE))
    assert (answer.reason, answer.code) == ("error", "CONTENT_FILTER")
    assert answer.text == "x"


async def test_a_stream_without_its_end_is_closed() -> None:
    answer = await heard(Reply(event(chunk({"content": "half"}))))
    assert (answer.code, answer.text) == ("STREAM_CLOSED", "half")


async def test_a_connection_that_breaks_is_a_transport_error() -> None:
    answer = await heard(Reply(event(chunk({"content": "half"})), complete=False))
    assert (answer.code, answer.text) == ("TRANSPORT", "half")


async def test_a_server_that_is_not_there_is_named() -> None:
    async with endpoint_provider("http://127.0.0.1:9/v1") as provider:
        answer = await ask(provider)
    assert answer.code == "TRANSPORT"
    assert "http://127.0.0.1:9" in answer.message


async def test_a_kept_connection_that_the_server_closed_is_not_an_error() -> None:
    async with (
        scripted_model([says("one"), says("two")]) as model,
        endpoint_provider(model.url) as provider,
    ):
        assert (await ask(provider)).text == "one"
        model.hang_up()
        assert (await ask(provider)).text == "two"


async def test_silence_at_the_start_ends_at_the_first_limit() -> None:
    limits = EndpointLimits(connect=0.1, first=0.1, idle=60)
    answer = await heard(Reply(asyncio.Event()), limits=limits)
    assert answer.code == "TIMEOUT"
    assert "silent" in answer.message


async def test_silence_in_the_middle_ends_at_the_idle_limit() -> None:
    limits = EndpointLimits(first=60, idle=0.1)
    reply = Reply(event(chunk({"content": "ten tokens"})), asyncio.Event())
    answer = await heard(reply, limits=limits)
    assert (answer.code, answer.text) == ("TIMEOUT", "ten tokens")


async def test_comments_are_signs_of_life() -> None:
    limits = EndpointLimits(connect=0.1, first=0.3, idle=0.3)
    comments: list[bytes | float] = []
    for _ in range(8):
        comments += [b": keep-alive\n\n", 0.1]
    late = Reply(*comments, event(chunk({"content": "late"}, "stop")), DONE)
    assert (await heard(late, limits=limits)).text == "late"


async def test_a_late_first_piece_is_fine_where_idleness_would_not_be() -> None:
    limits = EndpointLimits(connect=0.1, first=60, idle=0.05)
    reply = Reply(0.3, event(chunk({"content": "late"}, "stop")), DONE)
    assert (await heard(reply, limits=limits)).text == "late"


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    async with scripted_model() as target:
        moved = Reply(b"", status=307, headers={"location": target.url})
        answer = await heard(moved)
        assert answer.code == "HTTP_307"
        assert target.url in answer.message
        assert target.requests == []


async def test_a_key_that_a_server_quotes_is_not_repeated() -> None:
    quoted: Event = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    answer = await heard(refusal(401, quoted))
    assert KEY not in answer.message
    assert "***" in answer.message


@pytest.mark.parametrize("key", ["sk-密钥", "sk-\x00"])
async def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(
    key: str,
) -> None:
    async with (
        scripted_model() as model,
        endpoint_provider(model.url, key=key) as provider,
    ):
        answer = await ask(provider)
    assert answer.code == "INVALID_CREDENTIAL"
    assert model.requests == []
