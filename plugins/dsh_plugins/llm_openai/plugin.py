"""The plugin that offers providers for endpoints of this wire."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from dsh.kernel import plugin
from dsh.seams.endpoints import (
    Address,
    DialectInfo,
    Endpoint,
    EndpointInvalid,
    EndpointProvider,
    Endpoints,
)
from dsh_plugins.llm_openai.dialects import ALIASES, DIALECTS, Dialect

if TYPE_CHECKING:
    from dsh.data.proxies import Proxies

LOG = logging.getLogger(__name__)


class OpenAIEndpoints(Endpoints):
    """Endpoints in every dialect of the table, through the proxies of one environment.

    What a server needs is imported when there is one: without any, a start is shorter.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    @cached_property
    def proxies(self) -> Proxies:
        """The proxies, read once."""
        from dsh.data.proxies import Proxies

        return Proxies.read(self._environment)

    def dialects(self) -> list[DialectInfo]:
        return [dialect.info for dialect in DIALECTS.values()]

    def address(self, base_url: str, dialect: str) -> Address:
        from dsh_plugins.llm_openai.urls import address

        return address(base_url, local=_dialect(dialect).local)

    @asynccontextmanager
    async def provider(self, endpoint: Endpoint) -> AsyncIterator[EndpointProvider]:
        from dsh_plugins.llm_openai.provider import OpenAIProvider

        where = self.address(endpoint.base_url, endpoint.dialect)
        dialect = _dialect(endpoint.dialect)
        provider = OpenAIProvider(endpoint, where, dialect, self.proxies)
        try:
            yield provider
        finally:
            await provider.close()


def _dialect(name: str) -> Dialect:
    plain = name.strip().lower()
    dialect = DIALECTS.get(ALIASES.get(plain, plain))
    if dialect is None:
        known = ", ".join(DIALECTS)
        raise EndpointInvalid(f"there is no dialect {name!r}; there are: {known}")
    return dialect


@plugin
async def openai_chat() -> AsyncIterator[Endpoints]:
    """Offer the wire. Proxies are those of the program's own environment."""
    endpoints = OpenAIEndpoints(os.environ)
    if any(name.lower().endswith("_proxy") for name in os.environ):
        for problem in endpoints.proxies.problems:
            LOG.warning("%s", problem)
    yield endpoints
