"""The plugin that offers providers for endpoints of this wire."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dsh.data.proxies import Proxies
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
from dsh_plugins.llm_openai.provider import OpenAIProvider
from dsh_plugins.llm_openai.urls import address

LOG = logging.getLogger(__name__)


class OpenAIEndpoints(Endpoints):
    """Endpoints in every dialect of the table, through the proxies of one environment."""

    def __init__(self, proxies: Proxies) -> None:
        self._proxies = proxies

    def dialects(self) -> list[DialectInfo]:
        return [dialect.info for dialect in DIALECTS.values()]

    def address(self, base_url: str, dialect: str) -> Address:
        return address(base_url, local=_dialect(dialect).local)

    @asynccontextmanager
    async def provider(self, endpoint: Endpoint) -> AsyncIterator[EndpointProvider]:
        dialect = _dialect(endpoint.dialect)
        where = address(endpoint.base_url, local=dialect.local)
        provider = OpenAIProvider(endpoint, where, dialect, self._proxies)
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
    proxies = Proxies.read(os.environ)
    for problem in proxies.problems:
        LOG.warning("%s", problem)
    yield OpenAIEndpoints(proxies)
