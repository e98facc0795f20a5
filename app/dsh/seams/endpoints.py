"""Model servers that speak a common wire: from an address to a provider.

Who knows an address (settings, environment, discovery) describes it as an `Endpoint`;
who knows the wire turns it into a provider.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

from dsh.data.messages import LlmFailure, StreamChunk
from dsh.errors import DataError, DSHError
from dsh.seams.llm import LlmError, ModelInfo, ModelProvider, ModelRequest

Origin = Literal["settings", "environment", "builtin", "discovered"]


class EndpointInvalid(DataError):
    """The address or the dialect cannot be used; nothing was sent anywhere."""

    code = "ENDPOINT_INVALID"


class EndpointLimits:
    """How long a server may be silent, in seconds; ``None`` takes the wire's default."""

    __slots__ = ("connect", "first", "idle")

    def __init__(
        self,
        connect: float | None = None,
        first: float | None = None,
        idle: float | None = None,
    ) -> None:
        self.connect = connect  # until the connection stands
        self.first = first  # from the request to the first piece of the answer
        self.idle = idle  # between two pieces; comments of the stream count


async def no_key() -> str | None:
    """The key of a server that wants none."""
    return None


class Endpoint:
    """A model server: where it is, how it speaks, what is known of its models.

    ``key`` is asked for each request. It may raise `LlmError`, which becomes the failure
    of that request.
    """

    __slots__ = (
        "base_url",
        "dialect",
        "id",
        "key",
        "label",
        "limits",
        "models",
        "origin",
    )

    def __init__(
        self,
        id: str,  # noqa: A002  # the wire's own word
        base_url: str,
        dialect: str = "generic",
        *,
        label: str | None = None,
        models: tuple[ModelInfo, ...] = (),
        key: Callable[[], Awaitable[str | None]] = no_key,
        origin: Origin = "settings",
        limits: EndpointLimits | None = None,
    ) -> None:
        self.id = id
        self.base_url = base_url
        self.dialect = dialect
        self.label = label or id
        self.models = models
        self.key = key
        self.origin = origin
        self.limits = limits or EndpointLimits()


class Address:
    """A base URL as understood: every spelling of one server gives the same."""

    __slots__ = ("base", "chat", "host", "loopback", "models", "origin")

    def __init__(self, base: str, query: str, host: str, *, loopback: bool) -> None:
        self.base = base
        self.chat = f"{base}/chat/completions{query}"
        self.models = f"{base}/models{query}"
        self.host = host
        self.loopback = loopback
        self.origin = "/".join(base.split("/", 3)[:3])  # scheme, host and port


class EndpointProvider(ModelProvider):
    """A provider that is reached at an address."""

    endpoint: Endpoint
    address: Address

    @abstractmethod
    def first_model(self) -> str | None:
        """A model to take when nobody chose one, without asking the server."""

    @abstractmethod
    async def discover(self) -> list[ModelInfo]:
        """Ask the server for its models. Raises `LlmError`."""

    @abstractmethod
    async def warm(self) -> None:
        """Load what a first request needs, so that it goes out sooner."""


class UnusableProvider(ModelProvider):
    """Stands for a provider whose description is wrong: each request fails and says why.

    Without it, somebody else would answer in its place.
    """

    def __init__(
        self, id_: str, label: str, origin: Origin, error: DSHError, base_url: str = ""
    ) -> None:
        self.id = id_
        self.label = label
        self.origin = origin
        self.error = error
        self.base_url = base_url

    @property
    def failure(self) -> LlmFailure:
        """The failure of every request."""
        remedy = f"; {self.error.remedy}" if self.error.remedy else ""
        message = f"{self.label} cannot be used: {self.error}{remedy}"
        return {"code": self.error.code, "message": message}

    async def models(self) -> list[ModelInfo]:
        raise LlmError(self.failure)

    def info(self, model: str) -> ModelInfo:
        return ModelInfo(model)

    @asynccontextmanager
    async def stream(
        self,
        request: ModelRequest,  # noqa: ARG002  # every request fails alike
    ) -> AsyncIterator[AsyncIterator[StreamChunk]]:
        async def only() -> AsyncIterator[StreamChunk]:
            yield {"type": "finish", "reason": "error", "failure": self.failure}

        yield only()


class DialectInfo:
    """A way of speaking the wire that people can choose."""

    __slots__ = ("base_url", "key_ref", "label", "name")

    def __init__(
        self, name: str, label: str, base_url: str | None, key_ref: str | None
    ) -> None:
        self.name = name
        self.label = label
        self.base_url = base_url  # where it is usually found
        self.key_ref = key_ref  # the usual name of its key, if it wants one


class Endpoints(ABC):
    """Makes providers of endpoints. One provider."""

    @abstractmethod
    def dialects(self) -> list[DialectInfo]:
        """The dialects that are spoken here."""

    @abstractmethod
    def address(self, base_url: str, dialect: str) -> Address:
        """The address behind a spelling. Raises :class:`EndpointInvalid`."""

    @abstractmethod
    def provider(
        self, endpoint: Endpoint
    ) -> AbstractAsyncContextManager[EndpointProvider]:
        """A provider whose connections stay open while the block lasts.

        Raises :class:`EndpointInvalid` on entering.
        """
