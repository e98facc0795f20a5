"""Providers as the page sees them."""

from __future__ import annotations

import anyio

from dsh.seams.credentials import CredentialsUnusable, CredentialView
from dsh.seams.endpoints import EndpointProvider, UnusableProvider
from dsh.seams.llm import LlmError, ModelInfo, ModelProvider
from dsh_plugins.llm_providers.configured import ConfiguredProviders, unconfirmed
from dsh_plugins.llm_providers.wire import (
    ModelView,
    ProviderFault,
    ProviderView,
)

LOCAL_SECONDS = 1.0  # a list of providers must not wait for a server that hangs


def model_view(info: ModelInfo) -> ModelView:
    """A model for people."""
    return ModelView(
        id=info.id,
        name=info.name,
        context_window=info.context_window,
        efforts=list(info.efforts),
    )


async def provider_view(
    provider: ModelProvider, configured: ConfiguredProviders
) -> ProviderView:
    """A provider for people. Only servers on this machine are asked for anything."""
    stored = configured.stored(provider.id)
    models, fault = await _models(provider)
    view = ProviderView(
        id=provider.id,
        label=provider.label,
        kind=provider.kind,
        dialect="",
        models=models,
        error=fault,
        origin="builtin",
        editable=stored is not None,
    )
    more: dict[str, object] = {}
    if isinstance(provider, EndpointProvider):
        more = {
            "dialect": provider.endpoint.dialect,
            "base_url": provider.endpoint.base_url,
            "address": provider.address.chat,
            "origin": provider.endpoint.origin,
        }
    elif isinstance(provider, UnusableProvider):
        more = {"origin": provider.origin}
    if stored is not None:
        more |= {"dialect": stored.dialect, "base_url": stored.base_url}
        credential, problem = await _credential(provider, configured)
        more |= {"credential": credential, "error": problem or fault}
    return view.model_copy(update=more)


async def _models(
    provider: ModelProvider,
) -> tuple[list[ModelView], ProviderFault | None]:
    if isinstance(provider, EndpointProvider) and not provider.endpoint.models:
        if provider.kind != "local":
            first = provider.first_model()
            return ([model_view(provider.info(first))] if first else []), None
        with anyio.move_on_after(LOCAL_SECONDS) as limit:
            return await _listed(provider)
        if limit.cancelled_caught:
            return [], ProviderFault(code="TIMEOUT", message="it does not answer now")
    return await _listed(provider)


async def _listed(
    provider: ModelProvider,
) -> tuple[list[ModelView], ProviderFault | None]:
    try:
        return [model_view(info) for info in await provider.models()], None
    except LlmError as error:
        return [], ProviderFault(code=error.code, message=str(error))


async def _credential(
    provider: ModelProvider, configured: ConfiguredProviders
) -> tuple[CredentialView | None, ProviderFault | None]:
    stored = configured.stored(provider.id)
    if stored is None or stored.credential_ref is None:
        return None, None
    ref = stored.credential_ref
    try:
        view = await configured.credentials.view(ref)
    except CredentialsUnusable as error:
        fault = ProviderFault(code=error.code, message=str(error))
        return CredentialView(ref=ref, configured=False, writable=False), fault
    if view.configured and isinstance(provider, EndpointProvider):
        where = provider.address
        if not configured.bindings.allows(ref, where.origin):
            refusal = unconfirmed(ref, where.host)
            return view, ProviderFault(code=refusal.code, message=str(refusal))
    return view, None
