"""The person's settings: one document, a schema per section."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

from pydantic import BaseModel

from dsh.errors import DataError

S = TypeVar("S", bound=BaseModel)


class SettingsRejected(DataError):
    """The value does not fit, or the stored file is broken; nothing was changed."""

    code = "SETTINGS_REJECTED"


class SettingsConflict(DataError):
    """Somebody else changed the section since it was read; read again."""

    code = "SETTINGS_CONFLICT"


class Section(ABC, Generic[S]):
    """One namespace of the settings document, typed by its model."""

    namespace: str
    schema: type[S]

    @property
    @abstractmethod
    def value(self) -> S:
        """The value in force: defaults, then the composition's base, then the user's.

        A stored section that does not validate keeps the last good value.
        """

    @property
    @abstractmethod
    def revision(self) -> str:
        """An opaque mark of the stored text, for compare and set."""

    @abstractmethod
    async def update(self, patch: Mapping[str, object], revision: str | None = None) -> S:
        """Merge ``patch`` (mappings deep, lists whole, ``None`` removes) and store it.

        Raises :class:`SettingsRejected` and :class:`SettingsConflict`.
        """

    @abstractmethod
    def watch(self, listener: Callable[[S], None]) -> AbstractContextManager[None]:
        """Call ``listener`` after each change of the value in force."""


class SettingsProblem:
    """A fault of the stored document, for people: where and what."""

    __slots__ = ("line", "message", "namespace")

    def __init__(self, namespace: str, message: str, line: int | None) -> None:
        self.namespace = namespace
        self.message = message
        self.line = line


class Settings(ABC):
    """The settings document. One provider."""

    @abstractmethod
    def section(
        self, namespace: str, schema: type[S], base: Mapping[str, object] | None = None
    ) -> AbstractContextManager[Section[S]]:
        """Open a section while the block lasts; each namespace has one owner."""

    @abstractmethod
    def sections(self) -> dict[str, Section[BaseModel]]:
        """The open sections by namespace, for those who show them all."""

    @abstractmethod
    def problems(self) -> list[SettingsProblem]:
        """What is wrong with the stored document now; empty when it is sound."""
