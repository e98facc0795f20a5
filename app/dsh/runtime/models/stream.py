"""One model request on its way: policies around it, failures turned into a finish."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    aclosing,
    asynccontextmanager,
)
from typing import TYPE_CHECKING

from dsh.data.messages import LlmFailure, StreamChunk
from dsh.errors import code_of, describe
from dsh.kernel import Events, Hook
from dsh.seams.llm import LlmError, ModelProvider, ModelRequest, Models

if TYPE_CHECKING:
    from dsh.runtime.session import Session

Chunks = AbstractAsyncContextManager[AsyncIterator[StreamChunk]]


Check = Callable[["Session", ModelRequest], None]


class ModelCall:
    """A request and the session it belongs to, if any.

    ``check`` is asked about the request when no policy can change it any more.
    """

    __slots__ = ("check", "request", "session")

    def __init__(
        self,
        request: ModelRequest,
        session: Session | None = None,
        check: Check | None = None,
    ) -> None:
        self.request = request
        self.session = session
        self.check = check


# Around the provider's stream. The core looks the provider up and opens nothing yet; a
# wrapper may wait first, answer itself, or wrap what it is given.
STREAM: Hook[ModelCall, Chunks] = Hook("llm/stream")


@asynccontextmanager
async def streamed(
    events: Events, models: Models, call: ModelCall
) -> AsyncIterator[AsyncIterator[StreamChunk]]:
    """The chunks of one request, ending with exactly one ``finish``.

    Whatever goes wrong in the provider is that finish; errors of policies are raised.
    """

    async def core(final: ModelCall) -> Chunks:
        if call.check is not None and call.session is not None:
            call.check(call.session, final.request)
        provider = models.get(final.request.provider)
        if provider is None:
            return _failed(no_provider(final.request.provider))
        return _contained(provider, final.request)

    async with await events.run(STREAM, call, core) as chunks:
        yield chunks


def no_provider(name: str) -> LlmFailure:
    """The failure of a route whose provider is not there."""
    message = f"no provider called {name} is there; choose another model in the settings"
    return {"code": "NO_ADAPTER", "message": message}


def failure_of(error: BaseException) -> LlmFailure:
    """Any exception as a failure; what no provider promised has code ``UNKNOWN``."""
    if isinstance(error, LlmError):
        return error.failure
    return {"code": code_of(error), "message": describe(error)}


@asynccontextmanager
async def _contained(
    provider: ModelProvider, request: ModelRequest
) -> AsyncIterator[AsyncIterator[StreamChunk]]:
    async with AsyncExitStack() as stack:
        chunks: AsyncGenerator[StreamChunk, None]
        try:
            inner = await stack.enter_async_context(provider.stream(request))
        except Exception as error:  # noqa: BLE001  # a provider may raise anything
            chunks = _only(failure_of(error))
        else:
            chunks = _ended(inner)
        yield await stack.enter_async_context(aclosing(chunks))


@asynccontextmanager
async def _failed(failure: LlmFailure) -> AsyncIterator[AsyncIterator[StreamChunk]]:
    async with aclosing(_only(failure)) as chunks:
        yield chunks


async def _only(failure: LlmFailure) -> AsyncGenerator[StreamChunk, None]:
    yield {"type": "finish", "reason": "error", "failure": failure}


async def _ended(
    chunks: AsyncIterator[StreamChunk],
) -> AsyncGenerator[StreamChunk, None]:
    try:
        async for chunk in chunks:
            yield chunk
            if chunk["type"] == "finish":
                return
    except Exception as error:  # noqa: BLE001  # a provider may raise anything
        yield {"type": "finish", "reason": "error", "failure": failure_of(error)}
        return
    yield {"type": "finish", "reason": "stop"}
