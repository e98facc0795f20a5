"""The operating system's keyring, used only after it was seen to work.

Its calls block and may never return (a locked collection, a bus without an answer), so
each runs in a worker thread with a limit; one that overruns is left behind and the
keyring is not asked again.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import anyio

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

PROBE_SECONDS = 3.0
ANSWER_SECONDS = 30.0  # reading may open the system's own dialog to unlock it
_UNSAFE = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
LOG = logging.getLogger(__name__)


class KeyringSilent(Exception):
    """The keyring did not answer, or with an error; it stays inside this package."""


class KeyringStore:
    """Secrets under one service name."""

    def __init__(self, service: str, probe_seconds: float = PROBE_SECONDS) -> None:
        self._service = service
        self._probe_seconds = probe_seconds
        self._usable: bool | None = None
        self._asking = anyio.Lock()
        # Its own: threads that hang must not use up those of the program.
        self._limiter: anyio.CapacityLimiter | None = None

    async def usable(self) -> bool:
        """Whether a secret can be written, read back and deleted. Asked once."""
        async with self._asking:
            if self._usable is None:
                try:
                    self._usable = await self._call(self._probe, self._probe_seconds)
                except KeyringSilent as error:
                    LOG.info("the system's keyring is not used: %s", error)
                    self._usable = False
        return self._usable

    async def get(self, ref: str) -> str | None:
        """The secret. Raises :class:`KeyringSilent`."""
        return await self._call(lambda: _keyring().get_password(self._service, ref))

    async def set(self, ref: str, value: str) -> None:
        """Store it. Raises :class:`KeyringSilent`."""
        await self._call(lambda: _keyring().set_password(self._service, ref, value))

    async def delete(self, ref: str) -> None:
        """Forget it, if it is there. Raises :class:`KeyringSilent`."""

        def delete() -> None:
            if _keyring().get_password(self._service, ref) is not None:
                _keyring().delete_password(self._service, ref)

        await self._call(delete)

    async def _call(self, work: Callable[[], T], seconds: float = ANSWER_SECONDS) -> T:
        if self._usable is False:
            raise KeyringSilent("it did not work before")
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(2)
        try:
            with anyio.fail_after(seconds):
                return await anyio.to_thread.run_sync(
                    work, abandon_on_cancel=True, limiter=self._limiter
                )
        except TimeoutError:
            self._usable = False
            raise KeyringSilent(f"no answer within {seconds:g} s") from None
        except Exception as error:  # backends raise whatever their libraries do
            raise KeyringSilent(f"{type(error).__name__}: {error}") from error

    def _probe(self) -> bool:
        module = type(_keyring()).__module__
        if module.startswith(_UNSAFE):
            raise KeyringSilent(f"the backend {module} keeps no secrets")
        name, value = "probe", secrets.token_hex(8)
        _keyring().set_password(self._service, name, value)
        read = _keyring().get_password(self._service, name)
        _keyring().delete_password(self._service, name)
        return read == value


def _keyring() -> KeyringBackend:
    import keyring  # takes 0.1 s to import, and most runs need no stored secret

    return keyring.get_keyring()
