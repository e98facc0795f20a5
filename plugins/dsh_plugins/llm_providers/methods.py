"""Models for the page: list, discover, test, save, remove, choose the default."""

from __future__ import annotations

from collections.abc import AsyncIterator

from dsh.errors import DSHError, SurfaceError
from dsh.kernel import plugin
from dsh.runtime.models import DefaultModel, Route
from dsh.seams.credentials import CredentialsUnusable
from dsh.seams.endpoints import Address, Endpoint, Endpoints
from dsh.seams.gateway import Empty, Gateway, Method
from dsh.seams.llm import LlmError, ModelProvider, Models
from dsh_plugins.llm_providers.configured import ConfiguredProviders, unconfirmed
from dsh_plugins.llm_providers.stored import ID
from dsh_plugins.llm_providers.testing import tested
from dsh_plugins.llm_providers.views import model_view, provider_view
from dsh_plugins.llm_providers.wire import (
    AddressPreview,
    AddressPreviewed,
    DialectView,
    ModelChoice,
    ModelDiscover,
    ModelDiscovered,
    ModelList,
    ModelTest,
    ModelTested,
    ProviderId,
    ProviderSave,
    ProviderView,
)


class _Methods:
    def __init__(
        self,
        models: Models,
        endpoints: Endpoints,
        configured: ConfiguredProviders,
        default: DefaultModel,
    ) -> None:
        self._models = models
        self._endpoints = endpoints
        self._configured = configured
        self._default = default

    async def list(self, _: Empty) -> ModelList:
        route = self._default.current()
        providers = self._models.items().values()
        return ModelList(
            providers=[await provider_view(p, self._configured) for p in providers],
            current=ModelChoice(
                provider=route.provider, model=route.model, effort=route.effort
            ),
            dialects=[
                DialectView(
                    name=dialect.name,
                    label=dialect.label,
                    base_url=dialect.base_url,
                    credential_ref=dialect.key_ref,
                )
                for dialect in self._endpoints.dialects()
            ],
        )

    async def discover(self, request: ModelDiscover) -> ModelDiscovered:
        where = self._endpoints.address(request.base_url, request.dialect)

        async def key() -> str | None:
            return await self._key_for(request.credential_ref, where)

        endpoint = Endpoint("new", request.base_url, request.dialect, key=key)
        async with self._endpoints.provider(endpoint) as provider:
            found = await provider.discover()
        return ModelDiscovered(
            models=[model_view(info) for info in found], address=where.chat
        )

    async def preview(self, request: AddressPreview) -> AddressPreviewed:
        where = self._endpoints.address(request.base_url, request.dialect)
        return AddressPreviewed(address=where.chat, loopback=where.loopback)

    async def test(self, request: ModelTest) -> ModelTested:
        provider = self._provider(request.provider_id)
        return ModelTested(steps=await tested(provider, request.model))

    async def save(self, request: ProviderSave) -> ProviderView:
        self._refuse_bad_id(request.id)
        where = self._endpoints.address(request.base_url, request.dialect)
        ref = request.credential_ref or self._ref_for(request, where)
        stored = {
            "label": request.label.strip() or request.id,
            "dialect": request.dialect,
            "baseUrl": self._spelling(request, where),
            "models": [m.strip() for m in request.models if m.strip()],
            "contextWindow": request.context_window,
            "credentialRef": ref,
        }
        await self._configured.section.update({"providers": {request.id: stored}})
        if request.confirm_credential:
            await self._configured.bindings.bind(ref, self._configured.origins(ref))
        await self._configured.reconcile()
        return await provider_view(self._provider(request.id), self._configured)

    async def remove(self, request: ProviderId) -> Empty:
        stored = self._configured.stored(request.id)
        if stored is None:
            raise SurfaceError(f"no server {request.id} is configured", code="NOT_FOUND")
        await self._configured.section.update({"providers": {request.id: None}})
        await self._configured.reconcile()
        if stored.credential_ref is not None:
            await self._forget(stored.credential_ref)
        return Empty()

    async def set_default(self, request: ModelChoice) -> Empty:
        self._provider(request.provider)
        await self._default.set(Route(request.provider, request.model, request.effort))
        return Empty()

    def _provider(self, name: str) -> ModelProvider:
        provider = self._models.get(name)
        if provider is None:
            raise SurfaceError(f"there is no provider {name}", code="NOT_FOUND")
        return provider

    def _refuse_bad_id(self, name: str) -> None:
        if not ID.match(name):
            message = f"{name!r} is no id: use lower-case letters, digits and hyphens"
            raise SurfaceError(message, code="BAD_ID")
        taken = self._models.get(name) is not None
        if taken and self._configured.stored(name) is None:
            raise SurfaceError(f"{name} is taken by a built-in provider", code="ID_TAKEN")

    def _spelling(self, request: ProviderSave, where: Address) -> str:
        """The plain base URL, or what was entered where that would mean another one."""
        again = self._endpoints.address(where.base, request.dialect)
        return where.base if again.chat == where.chat else request.base_url.strip()

    def _ref_for(self, request: ProviderSave, where: Address) -> str:
        """The reference of a server's key: the one in use, the usual, or one made up."""
        stored = self._configured.stored(request.id)
        if stored is not None and stored.credential_ref is not None:
            return stored.credential_ref
        for dialect in self._endpoints.dialects():
            if dialect.base_url is None or dialect.key_ref is None:
                continue
            usual = self._endpoints.address(dialect.base_url, dialect.name)
            if usual.origin == where.origin:
                return dialect.key_ref
        return f"DSH_MODEL_{request.id.replace('-', '_').upper()}_API_KEY"

    async def _key_for(self, ref: str | None, where: Address) -> str | None:
        """A key for asking only: it binds nothing."""
        if ref is None:
            return None
        try:
            value = await self._configured.credentials.resolve(ref)
        except CredentialsUnusable as error:
            failure = {"code": "INVALID_CREDENTIAL", "message": str(error)}
            raise LlmError(failure) from error  # type: ignore[arg-type]  # a literal
        if value is not None and not self._configured.bindings.allows(ref, where.origin):
            raise unconfirmed(ref, where.host)
        return value

    async def _forget(self, ref: str) -> None:
        """Drop a key that no server uses any more, where it can be dropped."""
        if self._configured.uses(ref):
            return
        try:
            status = await self._configured.credentials.describe(ref)
            if status.configured and status.writable:
                await self._configured.credentials.unset(ref)
        except DSHError:
            return  # the server is gone, as asked; its key is shown in the settings


@plugin
async def model_methods(
    gateway: Gateway,
    models: Models,
    endpoints: Endpoints,
    configured: ConfiguredProviders,
    default: DefaultModel,
) -> AsyncIterator[None]:
    """Add the methods ``model/…`` except ``model/local``."""
    answers = _Methods(models, endpoints, configured, default)
    with gateway.methods(
        Method("model", "list", Empty, ModelList, answers.list),
        Method("model", "discover", ModelDiscover, ModelDiscovered, answers.discover),
        Method("model", "preview", AddressPreview, AddressPreviewed, answers.preview),
        Method("model", "test", ModelTest, ModelTested, answers.test),
        Method("model", "saveProvider", ProviderSave, ProviderView, answers.save),
        Method("model", "removeProvider", ProviderId, Empty, answers.remove),
        Method("model", "setDefault", ModelChoice, Empty, answers.set_default),
    ):
        yield
