"""The plugin that keeps configured servers among the providers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio

from dsh.data.paths import Home
from dsh.kernel import Events, plugin
from dsh.seams.credentials import CredentialChanged, Credentials
from dsh.seams.endpoints import Endpoints
from dsh.seams.llm import Models
from dsh.seams.settings import Settings
from dsh_plugins.llm_providers.bindings import KeyBindings
from dsh_plugins.llm_providers.configured import ConfiguredProviders
from dsh_plugins.llm_providers.stored import NAMESPACE, StoredProviders


@plugin
async def llm_providers(
    home: Home,
    settings: Settings,
    credentials: Credentials,
    models: Models,
    endpoints: Endpoints,
    events: Events,
) -> AsyncIterator[ConfiguredProviders]:
    """Contribute each server of the section ``models``; changes apply at once."""
    bindings = KeyBindings(home.state / "model-keys.json")
    async with anyio.create_task_group() as group:
        with settings.section(NAMESPACE, StoredProviders) as section:
            configured = ConfiguredProviders(
                section, models, endpoints, credentials, bindings, events, group
            )

            def entered(fact: CredentialChanged) -> None:
                # Whoever enters a key means it for the servers that use it now.
                if bindings.rebind(fact.ref, configured.origins(fact.ref)):
                    group.start_soon(bindings.save)

            def changed(_: StoredProviders) -> None:
                group.start_soon(configured.reconcile)

            await configured.reconcile()
            with (
                section.watch(changed),
                events.on(CredentialChanged, entered),
            ):
                yield configured
            await configured.close()
        group.cancel_scope.cancel()
