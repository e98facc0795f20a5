"""Secrets by reference: who holds them, and never a value on any screen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from dsh.errors import DataError
from dsh.seams.gateway import Wire


class CredentialRejected(DataError):
    """The secret cannot be stored (empty, not printable ASCII, or a read-only source)."""

    code = "CREDENTIAL_REJECTED"


class CredentialsUnusable(DataError):
    """The store exists but may not be used as it is; the remedy says what to change."""

    code = "CREDENTIALS_UNUSABLE"


class CredentialChanged:
    """Fact: the secret behind ``ref`` was set or forgotten through this program."""

    __slots__ = ("ref",)

    def __init__(self, ref: str) -> None:
        self.ref = ref


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


class CredentialView(Wire):
    """What clients may see of one secret."""

    ref: str
    configured: bool
    source: Literal["environment", "keyring", "file"] | None = None
    writable: bool


class Credentials(ABC):
    """Keeps secrets under references such as ``DEEPSEEK_API_KEY``.

    One provider; consumers resolve for each operation, so a changed key needs no restart.
    """

    store: Literal[
        "keyring", "file"
    ]  # where new secrets go, once :meth:`ready` was called

    @abstractmethod
    async def ready(self) -> Literal["keyring", "file"]:
        """Find out where new secrets go; shown to people. At most a few seconds."""

    @abstractmethod
    async def resolve(self, ref: str) -> str | None:
        """The secret, or ``None``. An empty stored value counts as absent.

        Raises :class:`CredentialsUnusable`.
        """

    @abstractmethod
    async def describe(self, ref: str) -> CredentialStatus:
        """Whether and where it is configured. Raises :class:`CredentialsUnusable`."""

    async def view(self, ref: str) -> CredentialView:
        """The same for clients. Raises :class:`CredentialsUnusable`."""
        status = await self.describe(ref)
        return CredentialView(
            ref=ref,
            configured=status.configured,
            source=status.source,
            writable=status.writable,
        )

    @abstractmethod
    async def set(self, ref: str, value: str) -> None:
        """Store it, trimmed.

        Raises :class:`CredentialRejected` and :class:`CredentialsUnusable`.
        """

    @abstractmethod
    async def unset(self, ref: str) -> None:
        """Forget it; nothing happens when it was not stored."""
