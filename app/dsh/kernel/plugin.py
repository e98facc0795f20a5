"""A plugin is an async generator whose signature says what it needs and offers.

Before ``yield`` it acquires, the yielded value is the service it offers, after ``yield``
it releases. Its parameters are its needs, but ``config``, whose type is its schema.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from dsh.kernel.errors import NotAPlugin

# Any: a plugin's signature is free by design; it is read once, here.
Body = Callable[..., AsyncIterator[Any]]


class Need(NamedTuple):
    """A key that a plugin asks for, and whether it can do without."""

    key: type
    optional: bool


class Plan(NamedTuple):
    """What a signature says: needs by parameter name, the offered key, the schema."""

    needs: dict[str, Need]
    offers: type | None
    config: type[BaseModel] | None


class Plugin:
    """A mountable plugin; decorate an async generator function with it."""

    def __init__(self, body: Body) -> None:
        if not inspect.isasyncgenfunction(body):
            raise NotAPlugin(f"{body!r} must be an async generator with one yield")
        self.body = body
        self.name = body.__qualname__
        self.__doc__ = body.__doc__

    def plan(self) -> Plan:
        """Read the signature. Raises :class:`NotAPlugin` when it makes no sense."""
        return _plan_of(self.body)

    def enter(self, arguments: dict[str, object]) -> AbstractAsyncContextManager[Any]:
        """One life. What the block raises is raised at the plugin's ``yield``."""
        return asynccontextmanager(self.body)(**arguments)


plugin = Plugin


def _plan_of(body: Body) -> Plan:
    name = body.__qualname__
    try:
        hints = typing.get_type_hints(body)
    except Exception as error:  # an annotation is foreign code, and may be a string
        raise NotAPlugin(f"{name}: {error}; types must exist at run time") from error
    parameters = [each for each in inspect.signature(body).parameters if each != "config"]
    needs = {each: _need(f"{name}: {each!r}", hints.get(each)) for each in parameters}
    config = hints.get("config")
    if config and not (isinstance(config, type) and issubclass(config, BaseModel)):
        raise NotAPlugin(f"{name}: 'config' must be a pydantic model")
    yielded = (*get_args(hints.get("return")), None)[0]
    offers = None if yielded is types.NoneType else yielded
    if offers and not isinstance(offers, type):
        raise NotAPlugin(f"{name}: the type that it yields must be a class")
    return Plan(needs, offers, config)


def _need(label: str, hint: object) -> Need:
    optional = get_origin(hint) in (Union, types.UnionType)
    kinds = [each for each in get_args(hint) if each is not types.NoneType]
    key = kinds[0] if optional and len(kinds) == 1 else hint
    if not isinstance(key, type):
        raise NotAPlugin(f"{label} must be a class, or a class or None")
    return Need(key, optional)
