"""Credentials for the page: whether and where they are, and how to enter one.

A secret goes from the page to the host only where there is no native dialog, and never
the other way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from pydantic import Field, SecretStr

from dsh.errors import SurfaceError
from dsh.kernel import plugin
from dsh.seams.credentials import Credentials, CredentialView
from dsh.seams.gateway import Exposure, Gateway, Method, Wire
from dsh.seams.native_shell import NativeShell


class CredentialRefs(Wire):
    """Which secrets to describe."""

    refs: list[str] = Field(max_length=100)


class CredentialsDescription(Wire):
    """The secrets asked for, and where new ones go."""

    credentials: list[CredentialView]
    store: Literal["keyring", "file"]


class CredentialPrompt(Wire):
    """Ask for a secret in a native dialog; ``label`` says what it is for."""

    ref: str
    label: str = Field(max_length=200)


class CredentialValue(Wire):
    """A secret typed into the page."""

    ref: str
    value: SecretStr


class CredentialRef(Wire):
    """One secret."""

    ref: str


class CredentialState(Wire):
    """Whether there is a secret now."""

    configured: bool


class _Methods:
    def __init__(self, credentials: Credentials, native: NativeShell | None) -> None:
        self._credentials = credentials
        self._native = native

    async def describe(self, request: CredentialRefs) -> CredentialsDescription:
        views = [await self._credentials.view(ref) for ref in request.refs]
        store = await self._credentials.ready()
        return CredentialsDescription(credentials=views, store=store)

    async def prompt(self, request: CredentialPrompt) -> CredentialState:
        if self._native is None:
            message = "there is no window that could ask for a secret"
            raise SurfaceError(message, code="NO_NATIVE")
        value = await self._native.ask_secret(request.label, request.ref)
        if value is not None:
            await self._credentials.set(request.ref, value)
        return await self._state(request.ref)

    async def set(self, request: CredentialValue) -> CredentialState:
        if self._native is not None:
            message = "secrets are entered in the window's own dialog"
            raise SurfaceError(message, code="USE_NATIVE_DIALOG")
        await self._credentials.set(request.ref, request.value.get_secret_value())
        return await self._state(request.ref)

    async def unset(self, request: CredentialRef) -> CredentialState:
        await self._credentials.unset(request.ref)
        return await self._state(request.ref)

    async def _state(self, ref: str) -> CredentialState:
        status = await self._credentials.describe(ref)
        return CredentialState(configured=status.configured)


@plugin
async def credentials_methods(
    credentials: Credentials, gateway: Gateway, native: NativeShell | None
) -> AsyncIterator[None]:
    """Add ``credentials/describe``, ``prompt``, ``set`` and ``unset``."""
    methods = _Methods(credentials, native)
    with gateway.methods(
        Method(
            "credentials",
            "describe",
            CredentialRefs,
            CredentialsDescription,
            methods.describe,
        ),
        Method(
            "credentials",
            "prompt",
            CredentialPrompt,
            CredentialState,
            methods.prompt,
            Exposure.WINDOW,
        ),
        Method("credentials", "set", CredentialValue, CredentialState, methods.set),
        Method("credentials", "unset", CredentialRef, CredentialState, methods.unset),
    ):
        yield
