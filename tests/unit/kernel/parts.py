"""Keys and plugins that the kernel's tests share."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterable

from dsh.kernel import Body, Events, Kernel, Limits, Mount, Plugin, Registry

SHORT = Limits(start=0.05, grace=0.05, abandon=0.05)


class Service:
    """What a plugin offers; it knows whether its provider still runs."""

    def __init__(self, maker: str = "") -> None:
        self.maker = maker
        self.alive = True


class Shell(Service):
    """A key."""


class Files(Service):
    """A key."""


class Search(Service):
    """A key."""


class Problems(list[tuple[str, BaseException]]):
    """The row and the error of each report."""

    def told(self, mount: Mount, error: BaseException) -> None:
        self.append((mount.row, error))

    @property
    def rows(self) -> list[str]:
        return [row for row, _ in self]


def written(
    name: str, needs: dict[str, object], offers: type | None, body: Body
) -> Plugin:
    """Give ``body``, which takes keywords, a signature that is known at run time only."""
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(parameter, kind) for parameter in needs]
    vars(body)["__signature__"] = inspect.Signature(parameters)
    body.__annotations__ = {**needs, "return": AsyncIterator[offers]}  # type: ignore[valid-type]  # a key
    body.__qualname__ = name
    return Plugin(body)


def provider(key: type[Service], story: list[str] | None = None) -> Plugin:
    """A plugin that needs nothing and offers ``key``."""
    name = key.__name__.lower()
    return chained(name, (), key, story)


def chained(
    name: str,
    needs: Iterable[type[Service]],
    offers: type[Service] | None = None,
    story: list[str] | None = None,
) -> Plugin:
    """A plugin that tells when it is up and down, and by which services it was served."""

    async def body(**given: Service) -> AsyncIterator[object]:
        value = offers(name) if offers is not None else None
        if story is not None:
            story.append(f"{name} up")
        yield value
        dead = [service.maker for service in given.values() if not service.alive]
        if value is not None:
            value.alive = False
        if story is not None:
            story.append(f"{name} down" + (f" without {dead}" if dead else ""))

    return written(name, {key.__name__.lower(): key for key in needs}, offers, body)


def kept(service: Events | Registry[str, str]) -> int:
    """How many listeners, wrappers or contributions it keeps, in all scopes."""
    table = service._rows if isinstance(service, Events) else service._layers
    return sum(map(len, table.values()))


def phases(kernel: Kernel) -> dict[str, str]:
    """Row → phase."""
    return {report.row: report.phase for report in kernel.report()}


def phase(mount: Mount) -> str:
    """Where it is now."""
    return mount.phase.value


def broken(error: BaseException) -> None:
    """Raise it, as a call does that cannot be made."""
    raise error
