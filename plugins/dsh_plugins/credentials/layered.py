"""One answer from several places: the environment, then the file, then the keyring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import anyio

from dsh.kernel import Events
from dsh.seams.credentials import (
    CredentialChanged,
    CredentialRejected,
    Credentials,
    CredentialStatus,
    CredentialsUnusable,
)
from dsh_plugins.credentials.keyring_store import KeyringSilent, KeyringStore
from dsh_plugins.credentials.secret_file import SecretFile, Secrets

_REF = re.compile(r"^[A-Z][A-Z0-9_]{0,127}$")
_LONGEST = 8192


class LayeredCredentials(Credentials):
    """The environment is read only and wins. New secrets go into the keyring if that
    works and into the file otherwise.

    The file comes before the keyring: it holds a secret only while the keyring did not
    take it, and it also lists what the keyring holds, so that asking for an unknown
    reference never loads the keyring.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        file: SecretFile,
        keyring: KeyringStore | None,
        events: Events,
    ) -> None:
        self.store: Literal["keyring", "file"] = "file"
        self._environment = environment
        self._file = file
        self._keyring = keyring
        self._events = events
        self._changing = anyio.Lock()
        # Asking the keyring takes longer than a model step may wait for its key.
        self._known: dict[str, str] = {}
        self._known_for: Secrets | None = None

    async def ready(self) -> Literal["keyring", "file"]:
        usable = self._keyring is not None and await self._keyring.usable()
        self.store = "keyring" if usable else "file"
        return self.store

    async def resolve(self, ref: str) -> str | None:
        value, _ = await self._find(ref)
        return value

    async def describe(self, ref: str) -> CredentialStatus:
        value, source = await self._find(ref)
        return CredentialStatus(
            configured=value is not None,
            source=source if value is not None else None,
            writable=source != "environment" and _REF.match(ref) is not None,
        )

    async def set(self, ref: str, value: str) -> None:
        secret = _checked(value)
        self._refuse_read_only(ref)
        async with self._changing:
            kept = await self.ready() == "keyring" and await self._put(ref, secret)

            def change(secrets: Secrets) -> None:
                secrets.values.pop(ref, None)
                if kept:
                    secrets.in_keyring.add(ref)
                else:
                    secrets.values[ref] = secret

            await anyio.to_thread.run_sync(self._file.edit, change)
        self._events.emit(CredentialChanged(ref))

    async def unset(self, ref: str) -> None:
        self._refuse_read_only(ref)
        async with self._changing:
            stored = self._file.current()
            if ref not in stored.values and ref not in stored.in_keyring:
                return
            if ref in stored.in_keyring:
                await self._drop(ref)

            def change(secrets: Secrets) -> None:
                secrets.values.pop(ref, None)
                secrets.in_keyring.discard(ref)

            await anyio.to_thread.run_sync(self._file.edit, change)
        self._events.emit(CredentialChanged(ref))

    async def _find(
        self, ref: str
    ) -> tuple[str | None, Literal["environment", "keyring", "file"] | None]:
        if not _REF.match(ref):
            return None, None
        if inherited := self._environment.get(ref, "").strip():
            return inherited, "environment"
        stored = self._file.current()
        if kept := stored.values.get(ref, "").strip():
            return kept, "file"
        if ref not in stored.in_keyring or self._keyring is None:
            return None, None
        if stored is not self._known_for:  # every change also writes the file
            self._known, self._known_for = {}, stored
        if ref in self._known:
            return self._known[ref], "keyring"
        try:
            value = await self._keyring.get(ref) or None
        except KeyringSilent as error:
            raise CredentialsUnusable(
                f"the system's keyring holds {ref} but does not answer: {error}",
                remedy="unlock the keyring, or enter the key again",
            ) from error
        if value is not None:
            self._known[ref] = value
        return value, "keyring"

    async def _put(self, ref: str, secret: str) -> bool:
        assert self._keyring is not None
        try:
            await self._keyring.set(ref, secret)
        except KeyringSilent:  # e.g. too long for the system's vault: the file takes it
            return False
        return True

    async def _drop(self, ref: str) -> None:
        if self._keyring is None:
            return
        try:
            await self._keyring.delete(ref)
        except KeyringSilent as error:
            raise CredentialsUnusable(
                f"the system's keyring does not answer: {error}",
                remedy="unlock the keyring and try again",
            ) from error

    def _refuse_read_only(self, ref: str) -> None:
        if not _REF.match(ref):
            raise CredentialRejected(f"{ref!r} is no reference such as DEEPSEEK_API_KEY")
        if self._environment.get(ref, "").strip():
            raise CredentialRejected(
                f"{ref} comes from the environment, which wins over what is stored",
                remedy=f"unset {ref} where the program is started",
            )


def _checked(value: str) -> str:
    """The secret without surrounding blanks. Raises `CredentialRejected`."""
    secret = value.strip()
    if not secret:
        raise CredentialRejected("the key is empty")
    if len(secret) > _LONGEST:
        raise CredentialRejected(f"the key is longer than {_LONGEST} characters")
    wrong = next((c for c in secret if not "!" <= c <= "~"), None)
    if wrong is not None:
        kind = "a blank or line break" if wrong.isspace() else "a character"
        place = secret.index(wrong) + 1
        raise CredentialRejected(
            f"the key has {kind} at position {place} that no key contains",
            remedy="copy the key again, without anything around it",
        )
    return secret
