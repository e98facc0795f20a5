"""A model server as a provider: requests with its key, answers as chunks."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio

from dsh.data.messages import LlmFailure, StreamChunk
from dsh.data.proxies import Proxies
from dsh.errors import describe
from dsh.seams.endpoints import Address, Endpoint, EndpointProvider
from dsh.seams.llm import LlmError, ModelInfo, ModelRequest
from dsh_plugins.llm_openai.chunks import Chunks
from dsh_plugins.llm_openai.dialects import Dialect
from dsh_plugins.llm_openai.exchange import Exchange
from dsh_plugins.llm_openai.http import Http
from dsh_plugins.llm_openai.limits import Patience
from dsh_plugins.llm_openai.models import listed_models
from dsh_plugins.llm_openai.request import Sent, body_of

LOG = logging.getLogger(__name__)
# A connection whose answer is just ending is worth this much, in seconds.
LET_GO_SECONDS = 0.05


class OpenAIProvider(EndpointProvider):
    """The models of one endpoint."""

    def __init__(
        self, endpoint: Endpoint, address: Address, dialect: Dialect, proxies: Proxies
    ) -> None:
        self.id = endpoint.id
        self.label = endpoint.label
        self.kind = "local" if address.loopback else "remote"
        self.endpoint = endpoint
        self.address = address
        self._dialect = dialect
        local = address.loopback or dialect.local
        self._patience = Patience(endpoint.limits, local=local)
        self._http = Http(address, proxies, self._patience.connect)
        self._configured = {
            info.id: _with_knowledge(info, dialect.known(info.id))
            for info in endpoint.models
        }
        self._found: dict[str, ModelInfo] = {}
        self._sent = Sent()
        self._reading = 0  # answers
        self._idle = anyio.Event()
        self._idle.set()

    async def warm(self) -> None:
        await self._http.client()

    async def close(self) -> None:
        """End every connection, after the answers that are still being read."""
        try:
            await self._idle.wait()
        finally:
            with anyio.CancelScope(shield=True):
                await self._http.close()

    async def models(self) -> list[ModelInfo]:
        """Those that were configured; the server is asked only when there are none."""
        if self._configured:
            return list(self._configured.values())
        return await self.discover()

    def first_model(self) -> str | None:
        known = [*self._configured, *self._found]
        known += [info.id for info in self._dialect.models]
        return known[0] if known else None

    async def discover(self) -> list[ModelInfo]:
        headers = await self._headers("application/json")
        with anyio.move_on_after(self._patience.connect * 2) as watch:
            found = await listed_models(self._http, self.address, headers, self._dialect)
        if watch.cancelled_caught:
            message = f"{self.address.models} did not answer in time"
            raise LlmError({"code": "TIMEOUT", "message": message})
        self._found = {info.id: info for info in found}
        return found

    def info(self, model: str) -> ModelInfo:
        configured = self._configured.get(model)
        if configured is not None:
            return configured
        return self._found.get(model) or self._dialect.known(model)

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest
    ) -> AsyncIterator[AsyncIterator[StreamChunk]]:
        # The network is read by a task of its own, so that what arrives while the
        # consumer is busy can be joined. The group would wrap the consumer's error.
        chunks, failure = Chunks(), None
        over = anyio.Event()
        with self._busy():
            async with anyio.create_task_group() as group:
                group.start_soon(self._answer, request, chunks, over)
                try:
                    yield chunks
                except Exception as error:  # noqa: BLE001  # raised again below
                    failure = error
                if chunks.finished:
                    with anyio.move_on_after(LET_GO_SECONDS):
                        await over.wait()
                group.cancel_scope.cancel()
        if failure is not None:
            raise failure

    @contextmanager
    def _busy(self) -> Iterator[None]:
        if self._reading == 0:
            self._idle = anyio.Event()
        self._reading += 1
        try:
            yield
        finally:
            self._reading -= 1
            if self._reading == 0:
                self._idle.set()

    async def _answer(
        self, request: ModelRequest, chunks: Chunks, over: anyio.Event
    ) -> None:
        try:
            await self._exchange(request, chunks)
        except LlmError as error:
            _fail(chunks, await self._without_key(error.failure))
        except Exception as error:  # a stream never raises for its provider
            LOG.exception("a request to %s failed", self.id)
            _fail(chunks, {"code": "UNKNOWN", "message": describe(error)})
        over.set()

    async def _exchange(self, request: ModelRequest, chunks: Chunks) -> None:
        body = body_of(request, self._dialect, self._sent)
        headers = await self._headers("text/event-stream")
        headers["content-type"] = "application/json"
        exchange = Exchange(chunks, self._patience)
        with anyio.move_on_after(exchange.granted) as watch:
            async with self._http.sent(
                "POST", self.address.chat, headers, body
            ) as response:
                await exchange.read(response, watch)
        if watch.cancelled_caught:
            exchange.silent()

    async def _headers(self, accept: str) -> dict[str, str]:
        headers = {"accept": accept}
        key = await self._key()
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        return headers

    async def _key(self) -> str | None:
        key = await self.endpoint.key()
        key = key.strip() if key is not None else None
        if not key and self._dialect.key_ref is not None and not self.address.loopback:
            message = f"{self.label} needs a key; none is configured"
            raise LlmError({"code": "MISSING_CREDENTIAL", "message": message})
        if key and not (key.isascii() and key.isprintable()):
            message = f"the key of {self.label} has characters that no key contains"
            raise LlmError({"code": "INVALID_CREDENTIAL", "message": message})
        return key or None

    async def _without_key(self, failure: LlmFailure) -> LlmFailure:
        """The failure without the key, which some servers quote."""
        try:
            key = await self._key()
        except LlmError:
            return failure
        if key and key in failure["message"]:
            failure["message"] = failure["message"].replace(key, "***")
        return failure


def _with_knowledge(configured: ModelInfo, known: ModelInfo) -> ModelInfo:
    """What a person configured of a model, completed by what the table knows."""
    named = configured.name != configured.id
    return ModelInfo(
        configured.id,
        configured.name if named else known.name,
        context_window=configured.context_window or known.context_window,
        max_output=configured.max_output or known.max_output,
        efforts=configured.efforts or known.efforts,
        default_effort=configured.default_effort or known.default_effort,
    )


def _fail(chunks: Chunks, failure: LlmFailure) -> None:
    chunks.put({"type": "finish", "reason": "error", "failure": failure})
