"""Methods that clients may call: the only things reachable from outside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from dsh.kernel import Registry


class Exposure(Enum):
    """Who may call a method, besides having the cookie and the right Origin."""

    PAGE = "page"  # needs the page token as well: everything that changes or reveals
    COOKIE = "cookie"  # harmless facts only, e.g. host/describe
    WINDOW = "window"  # as PAGE, and refused where there is no native window


class Method:
    """One method: its models, who may call it, and what answers.

    The handler gets the validated request and returns the response model. Expected
    refusals are raised as ``SurfaceError`` (or any ``DSHError``) with a stable code.
    """

    __slots__ = ("exposure", "handler", "name", "namespace", "request", "response")

    def __init__(
        self,
        namespace: str,
        name: str,
        request: type[BaseModel],
        response: type[BaseModel],
        handler: Callable[[Any], Awaitable[BaseModel]],  # Any: the type of ``request``
        exposure: Exposure = Exposure.PAGE,
    ) -> None:
        self.namespace = namespace
        self.name = name
        self.request = request
        self.response = response
        self.handler = handler
        self.exposure = exposure

    @property
    def path(self) -> str:
        """``namespace/name``, as in the URL below ``/api/``."""
        return f"{self.namespace}/{self.name}"


class Gateway(Registry[str, Method]):
    """The method table, keyed by path."""

    @contextmanager
    def methods(self, *methods: Method) -> Iterator[None]:
        """Offer several methods while the block is open."""
        with ExitStack() as stack:
            for method in methods:
                stack.enter_context(self.add(method.path, method))
            yield


class Wire(BaseModel):
    """Base of requests and responses: snake case here, camel case outside."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        frozen=True,
        serialize_by_alias=True,
        validate_by_name=True,
        validate_by_alias=True,
    )


class Snapshots(Registry[str, Callable[[], Awaitable[object]]]):
    """What a client that connects is told first: key → plain JSON, made at that moment.

    The keys are those of the page's host snapshot (``sessions``, ``workspaces``,
    ``approvals``); what is not contributed is empty there.
    """


class Empty(BaseModel):
    """A request or response without fields."""


class HostEvent:
    """Fact for all clients, emitted through the kernel's events.

    ``transient`` facts are not numbered and not replayed to a client that resumes.
    """

    __slots__ = ("data", "transient", "type")

    def __init__(self, type_: str, data: BaseModel, *, transient: bool = False) -> None:
        self.type = type_
        self.data = data
        self.transient = transient


class SessionSignal:
    """Transient fact about one session for the clients that watch it: live command
    output, status, queue … never part of the log.
    """

    __slots__ = ("data", "session_id", "type")

    def __init__(self, session_id: str, type_: str, data: BaseModel) -> None:
        self.session_id = session_id
        self.type = type_
        self.data = data
