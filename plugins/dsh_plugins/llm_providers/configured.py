"""The configured servers as providers, kept in step with the settings."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, ExitStack

import anyio
from anyio.abc import TaskGroup

from dsh.errors import DSHError
from dsh.kernel import Events
from dsh.seams.credentials import Credentials, CredentialsUnusable
from dsh.seams.endpoints import Endpoint, Endpoints, UnusableProvider
from dsh.seams.gateway import Empty, HostEvent
from dsh.seams.llm import LlmError, ModelProvider, Models
from dsh.seams.settings import Section
from dsh_plugins.llm_providers.bindings import KeyBindings
from dsh_plugins.llm_providers.stored import ID, StoredProvider, StoredProviders

LOG = logging.getLogger(__name__)


class ProviderInvalid(DSHError):
    """The description of a server contradicts itself or others."""

    code = "PROVIDER_INVALID"


class _Open:
    """One configured server while it is there."""

    def __init__(self, stored: StoredProvider) -> None:
        self.stored = stored
        self.listed = ExitStack()
        self.connection = AsyncExitStack()


class ConfiguredProviders:
    """Turns the section into contributions to `Models`."""

    def __init__(
        self,
        section: Section[StoredProviders],
        models: Models,
        endpoints: Endpoints,
        credentials: Credentials,
        bindings: KeyBindings,
        events: Events,
        group: TaskGroup,
    ) -> None:
        self.section = section
        self.credentials = credentials
        self.bindings = bindings
        self._models = models
        self._endpoints = endpoints
        self._events = events
        self._group = group
        self._open: dict[str, _Open] = {}
        self._lock = anyio.Lock()

    def stored(self, name: str) -> StoredProvider | None:
        """The description of a configured server."""
        return self.section.value.providers.get(name)

    def uses(self, ref: str) -> bool:
        """Whether any configured server has this key."""
        providers = self.section.value.providers.values()
        return any(stored.credential_ref == ref for stored in providers)

    def origins(self, ref: str) -> list[str]:
        """The origins of the configured servers that use a key."""
        found: set[str] = set()
        for stored in self.section.value.providers.values():
            if stored.credential_ref == ref:
                try:
                    where = self._endpoints.address(stored.base_url, stored.dialect)
                except DSHError:
                    continue
                found.add(where.origin)
        return sorted(found)

    async def reconcile(self) -> None:
        """Make the providers those of the section; unchanged ones are left alone."""
        async with self._lock:
            wanted = self.section.value.providers
            gone = [n for n, open_ in self._open.items() if wanted.get(n) != open_.stored]
            for name in gone:
                old = self._open.pop(name)
                old.listed.close()
                # It closes when the answers that are still being read are complete.
                self._group.start_soon(old.connection.aclose)
            added = [name for name in wanted if name not in self._open]
            for name in added:
                await self._add(name, wanted[name])
        if gone or added:
            self._events.emit(HostEvent("host/models", Empty()))

    async def close(self) -> None:
        """Take every provider away."""
        while self._open:
            _, old = self._open.popitem()
            old.listed.close()
            await old.connection.aclose()

    async def _add(self, name: str, stored: StoredProvider) -> None:
        opened = _Open(stored)
        provider: ModelProvider
        try:
            if not ID.match(name) or self._models.get(name) is not None:
                raise ProviderInvalid(f"{name!r} cannot be the id of a model server")
            endpoint = self._endpoint(name, stored)
            block = self._endpoints.provider(endpoint)
            provider = await opened.connection.enter_async_context(block)
        except DSHError as error:
            label = stored.label or name
            provider = UnusableProvider(name, label, "settings", error)
        if self._models.get(name) is None:
            opened.listed.enter_context(self._models.add(name, provider))
        else:
            LOG.warning("the model server %s is left out: its id is taken", name)
        self._open[name] = opened

    def _endpoint(self, name: str, stored: StoredProvider) -> Endpoint:
        where = self._endpoints.address(stored.base_url, stored.dialect)

        async def key() -> str | None:
            return await self.key(stored.credential_ref, where.origin, where.host)

        return Endpoint(
            name,
            stored.base_url,
            stored.dialect,
            label=stored.label,
            models=stored.infos(),
            key=key,
            limits=stored.endpoint_limits(),
        )

    async def key(self, ref: str | None, origin: str, host: str) -> str | None:
        """The key for a request to ``origin``. Raises `LlmError`."""
        if ref is None:
            return None
        try:
            value = await self.credentials.resolve(ref)
        except CredentialsUnusable as error:
            remedy = f"; {error.remedy}" if error.remedy else ""
            message = f"the key cannot be read: {error}{remedy}"
            raise LlmError({"code": "INVALID_CREDENTIAL", "message": message}) from error
        if value is None:
            return None
        if not await self.bindings.use(ref, origin):
            raise unconfirmed(ref, host)
        return value


def unconfirmed(ref: str, host: str) -> LlmError:
    """The refusal to send a key to a server that it was not entered for."""
    message = (
        f"the key {ref} was not entered for {host}, so it is not sent there; enter it "
        "again, or confirm the new address"
    )
    return LlmError({"code": "CREDENTIAL_UNCONFIRMED", "message": message})
