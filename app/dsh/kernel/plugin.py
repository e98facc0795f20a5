"""A plugin is an async context manager whose signature says what it needs and offers.

Before ``yield`` it acquires, the yielded value is the service it offers, after ``yield``
it releases. Parameter annotations are its needs, the yielded type is its offer and the
annotation of a parameter called ``config`` is its schema.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from dsh.kernel.errors import NotAPlugin

# A plugin's signature is free by design; it is read once, here, and nowhere trusted.
Body = Callable[..., AsyncIterator[Any]]


class Need:
    """One parameter of a plugin: the key it asks for and whether it can do without."""

    __slots__ = ("key", "optional")

    def __init__(self, key: type, *, optional: bool) -> None:
        self.key = key
        self.optional = optional


class Plan:
    """What a signature says: needs by parameter name, the offered key, the schema."""

    __slots__ = ("config", "needs", "offers")

    def __init__(
        self,
        needs: dict[str, Need],
        offers: type | None,
        config: type[BaseModel] | None,
    ) -> None:
        self.needs = needs
        self.offers = offers
        self.config = config


class Plugin:
    """A mountable plugin. Made by the :func:`plugin` decorator."""

    def __init__(self, body: Body) -> None:
        if not inspect.isasyncgenfunction(body):
            message = f"{body!r} must be an async generator function with one yield"
            raise NotAPlugin(message)
        self.body = body
        self.name = body.__qualname__
        self.__doc__ = body.__doc__

    def plan(self) -> Plan:
        """Read the signature. Raises :class:`NotAPlugin` when it makes no sense."""
        return _plan_of(self.body)

    def enter(self, arguments: dict[str, object]) -> AbstractAsyncContextManager[Any]:
        """The context manager of one life."""
        return asynccontextmanager(self.body)(**arguments)

    def __repr__(self) -> str:
        return f"<plugin {self.body.__module__}:{self.name}>"


def plugin(body: Body) -> Plugin:
    """Turn an async generator function into a plugin."""
    return Plugin(body)


def _plan_of(body: Body) -> Plan:
    try:
        hints = typing.get_type_hints(body)
    except NameError as error:
        message = f"{body.__qualname__}: {error}; its types must exist at run time"
        raise NotAPlugin(message) from error
    needs: dict[str, Need] = {}
    config: type[BaseModel] | None = None
    for name in inspect.signature(body).parameters:
        if name not in hints:
            raise NotAPlugin(f"{body.__qualname__}: parameter {name!r} has no type")
        if name == "config":
            config = _config_type(body, hints[name])
        else:
            needs[name] = _need_of(body, name, hints[name])
    return Plan(needs, _offer_of(body, hints.get("return")), config)


def _config_type(body: Body, hint: object) -> type[BaseModel]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return hint
    raise NotAPlugin(f"{body.__qualname__}: config must be a pydantic model")


def _need_of(body: Body, name: str, hint: object) -> Need:
    optional = get_origin(hint) in (Union, types.UnionType)
    if optional:
        parts = [part for part in get_args(hint) if part is not type(None)]
        hint = parts[0] if len(parts) == 1 and len(get_args(hint)) == 2 else None
    if not isinstance(hint, type):
        message = f"{body.__qualname__}: {name!r} must be a class, or a class or None"
        raise NotAPlugin(message)
    return Need(hint, optional=optional)


def _offer_of(body: Body, hint: object) -> type | None:
    arguments = get_args(hint)
    offered = arguments[0] if arguments else None
    if offered is None or offered is type(None):
        return None
    if not isinstance(offered, type):
        raise NotAPlugin(f"{body.__qualname__}: the yielded type must be a class")
    return offered
