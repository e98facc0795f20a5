"""One provider out of four variables of the program's own environment.

Nothing of a workspace is read: a folder that an agent works in must not be able to send
the key somewhere else.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack

import anyio

from dsh.errors import DSHError
from dsh.kernel import plugin
from dsh.seams.endpoints import Endpoint, Endpoints, UnusableProvider
from dsh.seams.llm import ModelInfo, ModelProvider, Models

PROVIDER = "environment"
LABEL = "Environment"
UNNAMED_MODEL = "default"  # local servers answer to any name


@plugin
async def llm_environment(models: Models, endpoints: Endpoints) -> AsyncIterator[None]:
    """Add the provider ``environment`` if ``DSH_LLM_BASE_URL`` is set.

    ``DSH_LLM_API_KEY`` is its key, ``DSH_LLM_MODEL`` its model and ``DSH_LLM_DIALECT``
    its dialect, which is otherwise guessed by the address.
    """
    if not _value(os.environ, "BASE_URL"):
        yield
        return
    async with AsyncExitStack() as stack:
        provider = await _provider(stack, endpoints)
        stack.enter_context(models.add(PROVIDER, provider))
        yield


async def _provider(stack: AsyncExitStack, endpoints: Endpoints) -> ModelProvider:
    try:
        endpoint = endpoint_of(os.environ, endpoints)
        provider = await stack.enter_async_context(endpoints.provider(endpoint))
    except DSHError as error:
        return UnusableProvider(PROVIDER, LABEL, "environment", error)
    # Whoever sets these variables is about to ask: load the library while others start.
    group = await stack.enter_async_context(anyio.create_task_group())
    stack.callback(group.cancel_scope.cancel)
    group.start_soon(provider.warm)
    return provider


def endpoint_of(environment: Mapping[str, str], endpoints: Endpoints) -> Endpoint:
    """The endpoint that the variables describe. Raises `EndpointInvalid`."""
    base_url = _value(environment, "BASE_URL")
    dialect = _value(environment, "DIALECT").lower() or _guess(base_url, endpoints)
    secret = _value(environment, "API_KEY") or None

    async def key() -> str | None:
        return secret

    return Endpoint(
        PROVIDER,
        base_url,
        dialect,
        label=LABEL,
        models=(ModelInfo(_value(environment, "MODEL") or UNNAMED_MODEL),),
        key=key,
        origin="environment",
    )


def _guess(base_url: str, endpoints: Endpoints) -> str:
    origin = endpoints.address(base_url, "generic").origin
    for dialect in endpoints.dialects():
        if dialect.base_url is None:
            continue
        if endpoints.address(dialect.base_url, dialect.name).origin == origin:
            return dialect.name
    return "generic"


def _value(environment: Mapping[str, str], name: str) -> str:
    return environment.get(f"DSH_LLM_{name}", "").strip()
