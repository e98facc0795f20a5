"""A plugin is an async context manager whose signature says what it needs and offers.

Before ``yield`` it acquires, the yielded value is the service it offers, after ``yield``
it releases. Parameter annotations are its needs, the yielded type is its offer and the
annotation of a parameter called ``config`` is its schema.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, NamedTuple, Union, cast, get_args, get_origin

from pydantic import BaseModel

from dsh.kernel.errors import NotAPlugin

# Any: a plugin's signature is free by design; it is read once, here.
Body = Callable[..., AsyncIterator[Any]]


class Need(NamedTuple):
    """One parameter of a plugin: the key it asks for and whether it can do without."""

    key: type
    optional: bool


class Plan(NamedTuple):
    """What a signature says: needs by parameter name, the offered key, the schema."""

    needs: dict[str, Need]
    offers: type | None
    config: type[BaseModel] | None


class Plugin:
    """A mountable plugin. Made by the :func:`plugin` decorator."""

    def __init__(self, body: Body) -> None:
        if not inspect.isasyncgenfunction(body):
            message = f"{body!r} must be an async generator function with one yield"
            raise NotAPlugin(message)
        self.body = body
        self.name = body.__qualname__
        self.__doc__ = body.__doc__
        self._plan: Plan | None = None

    def __repr__(self) -> str:
        return f"<plugin {self.body.__module__}:{self.name}>"

    def plan(self) -> Plan:
        """Read the signature. Raises :class:`NotAPlugin` when it makes no sense."""
        if self._plan is None:
            self._plan = _plan_of(self.body)
        return self._plan

    @asynccontextmanager
    async def enter(self, arguments: dict[str, object]) -> AsyncIterator[Any]:
        """One life. What the block raises is raised at the plugin's ``yield``."""
        life = cast("AsyncGenerator[Any, None]", self.body(**arguments))
        # Closed, because contextlib leaves a plugin that yields twice suspended, for the
        # garbage collector to finish in a task that nobody owns.
        async with aclosing(life), asynccontextmanager(lambda: life)() as value:
            yield value


def plugin(body: Body) -> Plugin:
    """Turn an async generator function into a plugin."""
    return Plugin(body)


def _plan_of(body: Body) -> Plan:
    name = body.__qualname__
    try:
        hints = typing.get_type_hints(body)
    except (NameError, AttributeError, TypeError) as error:
        message = f"{name}: {error}; its types must exist at run time"
        raise NotAPlugin(message) from error
    for parameter in inspect.signature(body).parameters:
        if parameter not in hints:
            raise NotAPlugin(f"{name}: parameter {parameter!r} has no type")
    offered = (*get_args(hints.pop("return", None)), types.NoneType)[0]
    offers = (
        None if offered in (None, types.NoneType) else _class(f"{name}: yield", offered)
    )
    config = hints.pop("config", None)
    if config and not issubclass(_class(f"{name}: 'config'", config), BaseModel):
        raise NotAPlugin(f"{name}: 'config' must be a pydantic model")
    needs = {need: _need(f"{name}: {need!r}", hint) for need, hint in hints.items()}
    return Plan(needs, offers, config)


def _need(label: str, hint: object) -> Need:
    if get_origin(hint) not in (Union, types.UnionType):
        return Need(_class(label, hint), optional=False)
    parts = [part for part in get_args(hint) if part is not types.NoneType]
    return Need(_class(label, parts[0] if len(parts) == 1 else hint), optional=True)


def _class(label: str, hint: object) -> type:
    if isinstance(hint, type):
        return hint
    raise NotAPlugin(f"{label} must be a class, or a class or None")
