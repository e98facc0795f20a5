"""The system prompt: ordered sections, and a snapshot of the runtime context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dsh.kernel import Registry

if TYPE_CHECKING:
    from dsh.runtime.session import Session

Text = Callable[["Session"], str]


class Section:
    """A piece of the system prompt. Lower orders come first, empty texts are dropped.

    The text must not change within a session, or the provider's prefix cache is lost;
    what changes belongs into a :class:`Context`.
    """

    __slots__ = ("order", "text")

    def __init__(self, order: float, text: str | Text) -> None:
        self.order = order
        self.text = text


class Context:
    """A piece of the runtime-context snapshot: a message of role user that is sent
    again only when its text changed.
    """

    __slots__ = ("order", "text")

    def __init__(self, order: float, text: Text) -> None:
        self.order = order
        self.text = text


class Sections(Registry[str, Section]):
    """The sections by name, e.g. ``tool:read``."""


class Contexts(Registry[str, Context]):
    """The contexts by name, e.g. ``sandbox:policy``."""
