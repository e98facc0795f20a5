"""The connection to one server: kept open, through the right proxy, or none.

httpx is imported on first use and never at start; for http addresses no certificates are
loaded, which would take longer than everything else.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from dsh import __version__
from dsh.data.messages import LlmFailure
from dsh.data.proxies import Proxies, Proxy
from dsh.seams.endpoints import Address
from dsh.seams.llm import LlmError

if TYPE_CHECKING:
    import ssl

    import httpx

KEEP_SECONDS = 120.0  # a tool may run between two requests
USER_AGENT = f"dsh-desktop/{__version__}"


class Http:
    """One client for one address; :meth:`close` ends its connections."""

    def __init__(self, address: Address, proxies: Proxies, connect: float) -> None:
        self._address = address
        self._proxies = proxies
        self._connect = connect
        self._client: httpx.AsyncClient | None = None
        self._opening = anyio.Lock()
        self._kept = False  # whether a connection may be left of an earlier request

    async def client(self) -> httpx.AsyncClient:
        """The client, made when it is first needed."""
        async with self._opening:
            if self._client is None:
                # In a thread: reading the library or certificates must not hold the loop.
                self._client = await anyio.to_thread.run_sync(self._made)
        return self._client

    async def close(self) -> None:
        """End every connection."""
        if self._client is not None:
            await self._client.aclose()

    @asynccontextmanager
    async def sent(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncIterator[httpx.Response]:
        """One request; the block reads the response. Raises :class:`LlmError`."""
        import httpx  # loaded by now

        client = await self.client()
        request = client.build_request(
            method,
            url,
            headers={"user-agent": USER_AGENT, "accept-encoding": "identity", **headers},
            content=body or None,
        )
        try:
            response = await self._sent(client, request)
        except httpx.HTTPError as error:
            raise LlmError(self._failure(error)) from error
        try:
            yield response
        except httpx.HTTPError as error:
            raise LlmError(self._failure(error)) from error
        finally:
            await response.aclose()

    async def _sent(
        self, client: httpx.AsyncClient, request: httpx.Request
    ) -> httpx.Response:
        import httpx

        try:
            response = await client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            if not self._kept:
                raise
            # A kept connection that the server closed just now; nothing was answered.
            self._kept = False
            response = await client.send(request, stream=True)
        self._kept = True
        return response

    def _made(self) -> httpx.AsyncClient:
        # Its command line would load a library for terminals wherever that is installed,
        # which takes longer than all the rest. It does without, as it does elsewhere.
        sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # "not there"
        import httpx

        proxy = self._proxies.for_url(self._address.chat)
        transport = httpx.AsyncHTTPTransport(
            verify=_verification(secure=self._address.base.startswith("https:")),
            proxy=_as_httpx(proxy) if proxy is not None else None,
            trust_env=False,
            limits=httpx.Limits(keepalive_expiry=KEEP_SECONDS),
        )
        # Silence is watched by the reader of the stream, which knows what has arrived.
        timeout = httpx.Timeout(None, connect=self._connect)
        return httpx.AsyncClient(transport=transport, trust_env=False, timeout=timeout)

    def _failure(self, error: httpx.HTTPError) -> LlmFailure:
        import httpx

        where = self._address.origin
        proxy = self._proxies.for_url(self._address.chat)
        through = f" through the proxy {proxy.url}" if proxy is not None else ""
        if isinstance(error, httpx.ConnectTimeout):
            reason = f"no connection to {where}{through} within {self._connect:g} s"
            return {"code": "TIMEOUT", "message": reason}
        if isinstance(error, httpx.ProxyError):
            return {"code": "TRANSPORT", "message": f"{where}{through}: {error}"}
        if isinstance(error, httpx.ConnectError):
            return {
                "code": "TRANSPORT",
                "message": f"{where}{through} cannot be reached: {_reason(error)}",
            }
        message = f"the connection to {where}{through} broke: {_reason(error)}"
        return {"code": "TRANSPORT", "message": message}


def _as_httpx(proxy: Proxy) -> httpx.Proxy:
    import httpx

    auth = (proxy.username, proxy.password or "") if proxy.username is not None else None
    return httpx.Proxy(proxy.url, auth=auth)


def _verification(*, secure: bool) -> ssl.SSLContext:
    import ssl

    if not secure:
        return ssl.SSLContext(
            ssl.PROTOCOL_TLS_CLIENT
        )  # never used; the cheapest there is
    import os

    # The system's store, which honours SSL_CERT_FILE, and for programs without one the
    # list that comes with the library.
    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def _reason(error: BaseException) -> str:
    """The innermost reason, which is the one that says something."""
    seen = error
    while seen.__cause__ is not None or seen.__context__ is not None:
        seen = seen.__cause__ or seen.__context__ or seen
    return str(seen).strip() or str(error).strip() or type(error).__name__
