"""Calls: validated, answered with a status the page can act on, never with internals."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from dsh.data.paths import Home
from dsh.errors import (
    CompositionError,
    DataError,
    DSHError,
    KernelError,
    RunError,
    SurfaceError,
)
from dsh.kernel import Kernel, Scope
from dsh.seams.gateway import Empty, Exposure, Gateway, Method
from dsh.seams.native_shell import DialogBusy
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.calls import Calls

pytestmark = pytest.mark.anyio


class Question(BaseModel):
    """A request with a rule."""

    number: int


class Reply(BaseModel):
    """An answer."""

    text: str


Handler = Callable[[Any], Awaitable[BaseModel]]  # Any: the request's own type


class Desk:
    """Calls on a table with one method."""

    def __init__(self, handler: Handler, exposure: Exposure = Exposure.PAGE) -> None:
        self.scope: Scope = Kernel().root
        gateway = Gateway(self.scope)
        self._kept = ExitStack()
        self._kept.enter_context(self.scope.offered(Gateway, gateway))
        method = Method("ask", "it", Question, Reply, handler, exposure)
        self._kept.enter_context(gateway.add(method.path, method))
        access = Access(Home(Path("/somewhere/.dsh")))
        self.token = access.page_token
        self.calls = Calls(self.scope, access)

    async def call(
        self,
        body: bytes = b'{"number":1}',
        *,
        path: str = "ask/it",
        kind: str = "application/json",
        token: str | None = "own",
    ) -> tuple[int, dict[str, Any]]:  # Any: JSON
        shown = self.token if token == "own" else token
        answer = await self.calls.answer(path, kind, shown, body)
        return answer.status, json.loads(answer.body)


async def fine(question: Question) -> Reply:
    return Reply(text=str(question.number))


def raises(error: Exception) -> Handler:
    async def handler(_: Question) -> Reply:
        raise error

    return handler


async def test_an_answer_is_the_bare_result() -> None:
    assert await Desk(fine).call() == (200, {"text": "1"})
    assert await Desk(fine).call(kind="Application/JSON; charset=utf-8") == (
        200,
        {"text": "1"},
    )


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"path": "ask/other"}, 404, "UNKNOWN_METHOD"),
        ({"path": "__class__/__init__"}, 404, "UNKNOWN_METHOD"),
        ({"kind": "text/plain"}, 415, "NOT_JSON"),
        ({"kind": ""}, 415, "NOT_JSON"),
        ({"kind": "application/jsonx"}, 415, "NOT_JSON"),
        ({"token": None}, 403, "PAGE_TOKEN"),
        ({"token": "guess"}, 403, "PAGE_TOKEN"),
        ({"body": b""}, 400, "BAD_REQUEST"),
        ({"body": b"{"}, 400, "BAD_REQUEST"),
        ({"body": b"[]"}, 400, "BAD_REQUEST"),
        ({"body": b'{"number":"x"}'}, 400, "BAD_REQUEST"),
        ({"body": b'{"number":' + b"[" * 200_000}, 400, "BAD_REQUEST"),
        ({"body": b'{"number":1,"__proto__":{}}\xff'}, 400, "BAD_REQUEST"),
    ],
)
async def test_a_call_that_is_not_right_is_refused_with_its_code(
    changes: dict[str, Any], status: int, code: str
) -> None:
    called: list[Question] = []

    async def note(question: Question) -> Reply:
        called.append(question)
        return Reply(text="")

    found, answer = await Desk(note).call(**changes)
    assert (found, answer["error"]["code"]) == (status, code)
    assert answer["error"]["message"] and not called


async def test_what_is_wrong_is_named_without_what_was_sent() -> None:
    _, answer = await Desk(fine).call(b'{"number":"sk-secret"}')
    assert answer["error"]["details"][0]["path"] == "number"
    assert "sk-secret" not in json.dumps(answer)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SurfaceError("no"), 400),
        (DialogBusy("busy"), 409),
        (DataError("damaged"), 409),
        (RunError("stopping"), 409),
        (CompositionError("patch"), 409),
        (KernelError("cycle"), 500),
        (DSHError("?"), 400),
        (DataError("?", code="SESSION_NOT_FOUND"), 404),
        (SurfaceError("?", code="QUEUE_ITEM_NOT_FOUND"), 404),
        (KernelError("?", code="SERVICE_MISSING"), 503),
        (SurfaceError("?", code="NO_NATIVE"), 501),
    ],
)
async def test_a_refusal_has_a_status_code_and_remedy(
    error: DSHError, status: int
) -> None:
    error.remedy = "do this"
    found, answer = await Desk(raises(error)).call()
    assert found == status
    assert answer["error"] == {
        "code": error.code,
        "message": str(error),
        "remedy": "do this",
    }


@pytest.mark.parametrize("error", [ValueError("sk-secret"), OSError(28, "sk-secret")])
async def test_a_fault_is_logged_and_tells_the_page_nothing(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        status, answer = await Desk(raises(error)).call()
    assert status == 500 and answer["error"]["code"] == "INTERNAL"
    assert "sk-secret" not in json.dumps(answer)
    assert "sk-secret" in caplog.text


async def test_an_answer_that_is_no_json_is_a_fault_and_not_the_end() -> None:
    async def odd(_: Question) -> Reply:
        return Reply.model_construct(text="\udcff")

    status, _ = await Desk(odd).call()
    assert status == 500


async def test_exposure_decides_who_may_call() -> None:
    status, _ = await Desk(fine, Exposure.COOKIE).call(token=None)
    assert status == 200
    status, answer = await Desk(fine, Exposure.WINDOW).call()
    assert (status, answer["error"]["code"]) == (501, "NO_NATIVE")
    status, _ = await Desk(fine, Exposure.WINDOW).call(token=None)
    assert status == 403


async def test_a_call_that_is_cancelled_is_not_answered() -> None:
    async def hangs(_: Empty) -> Reply:
        await anyio.sleep_forever()
        return Reply(text="")

    with anyio.move_on_after(0.01) as scope:
        await Desk(hangs).call()
    assert scope.cancelled_caught
