"""Models: a request in, a stream of chunks out, whoever answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Final, Literal

from dsh.data.events.vocabulary import ToolSchema
from dsh.data.messages import LlmFailure, Message, StreamChunk
from dsh.errors import RunError
from dsh.kernel import Registry

FAILURE_CODES: Final = frozenset(
    {
        "ABORTED",
        "AUTH",
        "CONTEXT_WINDOW_EXCEEDED",
        "EMPTY_RESPONSE",
        "INVALID_CREDENTIAL",
        "INVALID_REQUEST",
        "MALFORMED_RESPONSE",
        "MISSING_CREDENTIAL",
        "NO_ADAPTER",
        "QUOTA",
        "RATE_LIMIT",
        "SERVER",
        "STREAM_CLOSED",
        "TIMEOUT",
        "TRANSPORT",
        "UNKNOWN",
        "UNKNOWN_MODEL",
        "UNSUPPORTED_CONTENT",
        "UNSUPPORTED_REASONING_EFFORT",
    }
)  # plus HTTP_<status> and a provider's own finish reason in upper case


class LlmError(RunError):
    """A model request failed for good."""

    code = "LLM"

    def __init__(self, failure: LlmFailure) -> None:
        super().__init__(failure["message"], code=failure["code"])
        self.failure = failure


class ModelInfo:
    """What is known of one model. Advisory: an unlisted model may still be asked for."""

    __slots__ = (
        "context_window",
        "default_effort",
        "efforts",
        "id",
        "max_output",
        "name",
    )

    def __init__(
        self,
        id: str,  # noqa: A002  # the wire's own word
        name: str | None = None,
        *,
        context_window: int | None = None,
        max_output: int | None = None,
        efforts: tuple[str, ...] = (),
        default_effort: str | None = None,
    ) -> None:
        self.id = id
        self.name = name or id
        self.context_window = context_window  # tokens
        self.max_output = max_output  # tokens
        self.efforts = efforts
        self.default_effort = default_effort


class ModelRequest:
    """One request, frozen once it is made. ``messages`` is exactly what the log says."""

    __slots__ = (
        "effort",
        "max_tokens",
        "messages",
        "model",
        "provider",
        "purpose",
        "session_id",
        "stop",
        "system",
        "temperature",
        "tools",
    )

    def __init__(
        self,
        provider: str,
        model: str,
        messages: list[Message],
        *,
        system: str = "",
        tools: list[ToolSchema] | None = None,
        effort: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        stop: list[str] | None = None,
        session_id: str | None = None,
        purpose: Literal["turn", "title", "compaction"] = "turn",
    ) -> None:
        self.provider = provider
        self.model = model
        self.messages = messages
        self.system = system
        self.tools = tools or []
        self.effort = effort
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.stop = stop
        self.session_id = session_id
        self.purpose = purpose


class RetryPolicy:
    """How failed requests to a provider are tried again (times in milliseconds)."""

    __slots__ = ("base_ms", "codes", "max_ms", "max_retries", "mode")

    def __init__(
        self,
        *,
        mode: Literal["normal", "always"] = "normal",
        max_retries: int = 5,
        base_ms: int = 500,
        max_ms: int = 10_000,
        codes: frozenset[str] = frozenset(
            {"EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT"}
        ),
    ) -> None:
        self.mode = mode
        self.max_retries = max_retries
        self.base_ms = base_ms
        self.max_ms = max_ms
        self.codes = codes


class ModelProvider(ABC):
    """Answers requests for the models of one provider id."""

    id: str  # the route key, e.g. "deepseek"
    label: str  # for people
    kind: Literal["remote", "local", "offline"] = "remote"
    retry: RetryPolicy = RetryPolicy()

    @abstractmethod
    async def models(self) -> list[ModelInfo]:
        """The models it knows of now. Raises :class:`LlmError`."""

    @abstractmethod
    def info(self, model: str) -> ModelInfo:
        """What is known of one model without asking anybody."""

    @abstractmethod
    def stream(
        self, request: ModelRequest
    ) -> AbstractAsyncContextManager[AsyncIterator[StreamChunk]]:
        """A block that yields the chunks of the answer.

        The iterator never raises for failures of the provider: it always ends with
        exactly one ``finish``, whose reason is ``error`` with a failure. Leaving the
        block closes the connection. Cancellation propagates.
        """


class Models(Registry[str, ModelProvider]):
    """The providers by id; contribute with ``models.add(provider.id, provider)``."""
