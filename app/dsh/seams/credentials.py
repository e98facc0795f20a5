"""Secrets by reference: who holds them, and never a value on any screen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from dsh.errors import DataError


class CredentialRejected(DataError):
    """The secret cannot be stored (empty, not printable ASCII, or a read-only source)."""

    code = "CREDENTIAL_REJECTED"


class CredentialStatus:
    """What may be known about a secret: never its value."""

    __slots__ = ("configured", "source", "writable")

    def __init__(
        self,
        *,
        configured: bool,
        source: Literal["environment", "keyring", "file"] | None,
        writable: bool,
    ) -> None:
        self.configured = configured
        self.source = source
        self.writable = writable


class Credentials(ABC):
    """Keeps secrets under references such as ``DEEPSEEK_API_KEY``.

    One provider; consumers resolve for each operation, so a changed key needs no restart.
    """

    store: Literal["keyring", "file"]  # where new secrets go, shown to people

    @abstractmethod
    async def resolve(self, ref: str) -> str | None:
        """The secret, or ``None``. An empty stored value counts as absent."""

    @abstractmethod
    async def describe(self, ref: str) -> CredentialStatus:
        """Whether and where it is configured."""

    @abstractmethod
    async def set(self, ref: str, value: str) -> None:
        """Store it, trimmed. Raises :class:`CredentialRejected`."""

    @abstractmethod
    async def unset(self, ref: str) -> None:
        """Forget it; nothing happens when it was not stored."""
