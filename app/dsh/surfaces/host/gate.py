"""The gate in front of everything: Host, Origin, Fetch-Metadata and cookie.

Browsers send cookies across ports, and any page may post to or open a socket on a
loopback address; so each request has to show that it comes from our own page. Rules and
the headers that the web engines really send: what is missing is refused only where every
engine sends it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from dsh.data.json import encode
from dsh.surfaces.host.access import Access

Scope = MutableMapping[str, Any]  # Any: the shape of ASGI's messages is its own
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

UNAUTHORISED, FORBIDDEN = 4401, 4403  # close codes of the socket

SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; "
        b"img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)


class Gate:
    """ASGI middleware around the whole application, unknown paths included."""

    def __init__(self, app: App, access: Access, port: int) -> None:
        self._app = app
        self._access = access
        self._authority = f"127.0.0.1:{port}"
        self._origin = f"http://{self._authority}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it before anything is done."""
        if scope["type"] not in ("http", "websocket"):  # lifespan
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _hardened(send))
        elif scope["type"] == "http":
            await _refuse_request(send, *refusal)
        else:
            await _refuse_socket(receive, send, refusal[0])

    def _refusal(self, scope: Scope) -> tuple[int, str, str] | None:
        headers = _headers(scope)
        if headers.get("host") != self._authority:
            return 421, "WRONG_HOST", "This address does not belong to DSH Desktop."
        socket = scope["type"] == "websocket"
        safe = not socket and scope["method"] in ("GET", "HEAD")
        # A file of the person's own may lead a browser here; the ticket is the proof.
        opening = safe and scope["path"] == "/boot"
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not opening:
            return 403, "CROSS_SITE", "Requests from other sites are refused."
        origin = headers.get("origin")
        if origin is None and not safe:
            return 403, "ORIGIN_MISSING", "The request does not say where it is from."
        if origin is not None and origin != self._origin:
            return 403, "WRONG_ORIGIN", "Requests from other sites are refused."
        if not safe and not socket and scope["method"] != "POST":
            return 405, "METHOD_NOT_ALLOWED", "Only GET and POST are answered."
        if not opening and not self._access.has_cookie(headers.get("cookie")):
            return 401, "UNAUTHORISED", "Open DSH Desktop again to get a new link."
        return None


def _headers(scope: Scope) -> dict[str, str]:
    """Header values by name; a name that is sent twice has no value we would accept."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        value = raw_value.decode("latin-1")
        if name == "cookie" and name in found:  # HTTP allows several of these
            found[name] += f"; {value}"
        elif name in found:
            found[name] = "\0"
        else:
            found[name] = value
    return found


def _hardened(send: Send) -> Send:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *SECURITY_HEADERS]
        await send(message)

    return sending


async def _refuse_request(send: Send, status: int, code: str, message: str) -> None:
    body = encode({"error": {"code": code, "message": message}})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *SECURITY_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _refuse_socket(receive: Receive, send: Send, status: int) -> None:
    await receive()  # the connect message; refusing before it is a protocol error
    code = UNAUTHORISED if status == 401 else FORBIDDEN
    await send({"type": "websocket.close", "code": code, "reason": ""})
