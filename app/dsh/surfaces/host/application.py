"""The routes: ticket, page, its files, calls, socket."""

from __future__ import annotations

from typing import Any

from litestar import Litestar, Request, Response, get, post, websocket
from litestar.exceptions import HTTPException

from dsh.data.paths import Home
from dsh.kernel import Scope
from dsh.seams.native_shell import NativeShell
from dsh.surfaces.host.access import Access
from dsh.surfaces.host.calls import BODY_LIMIT, Answer, Calls
from dsh.surfaces.host.gate import App, Gate
from dsh.surfaces.host.greeting import Greeting
from dsh.surfaces.host.hub import Hub
from dsh.surfaces.host.pages import Pages
from dsh.surfaces.host.socket import Connection, Socket

Incoming = Request[Any, Any, Any]  # Any: Litestar's user, auth and state, not used

PAGE_TOKEN = "x-dsh-page"  # noqa: S105  # the name of a header
_ONWARD = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>DSH Desktop</title>"
    '<meta http-equiv=refresh content="0;url=/"><a href="/">DSH Desktop</a></html>'
)
_STALE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>DSH Desktop</title>"
    "<p>This link was used, or is older than a minute. "
    "Start DSH Desktop again to get a new one.</p>"
    "<p lang=zh>此链接已使用,或已超过一分钟。"
    "请重新启动 DSH Desktop 以获得新链接。</p></html>"
)


_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE"}


def _refused(_: Incoming, error: HTTPException) -> Response[bytes]:
    """What the framework refuses, in the words of every other refusal."""
    code = _CODES.get(error.status_code, "REFUSED")
    answer = Answer.refusal(error.status_code, code, error.detail)
    return Response(answer.body, status_code=answer.status, media_type="application/json")


def application(
    scope: Scope, home: Home, access: Access, hub: Hub, greeting: Greeting, port: int
) -> App:
    """The ASGI application, gate included."""
    calls, pages = Calls(scope, access), Pages()

    @get("/boot")
    async def boot(request: Incoming) -> Response[str]:
        cookie = access.redeem(request.query_params.get("t", ""))
        if cookie is None:
            return Response(_STALE, status_code=403, media_type="text/html")
        headers = {
            "set-cookie": access.cookie_header(cookie),
            "cache-control": "no-store",
        }
        if request.headers.get("sec-fetch-site") == "cross-site":
            # After a redirect a browser would withhold the strict cookie.
            return Response(_ONWARD, media_type="text/html", headers=headers)
        return Response("", status_code=303, headers=headers | {"location": "/"})

    @get("/")
    async def index() -> Response[str]:
        native = scope.find(NativeShell) is not None
        page = pages.index(home, access.page_token, native=native)
        headers = {"cache-control": "no-store"}
        return Response(page, media_type="text/html", headers=headers)

    @get("/{name:path}")
    async def file(request: Incoming) -> Response[bytes]:
        found = pages.file(str(request.path_params["name"]).lstrip("/"))
        if found is None:
            return Response(b"", status_code=404, media_type="text/plain")
        keep = "public, max-age=31536000, immutable" if found.immutable else "no-cache"
        headers = {"cache-control": keep, "vary": "accept-encoding"}
        body = found.body
        packed = found.packed()
        if packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            body = packed
        return Response(body, media_type=found.media_type, headers=headers)

    @post("/api/{namespace:str}/{method:str}", request_max_body_size=BODY_LIMIT)
    async def call(request: Incoming) -> Response[bytes]:
        path = "{namespace}/{method}".format(**request.path_params)
        answer = await calls.answer(
            path,
            request.headers.get("content-type", ""),
            request.headers.get(PAGE_TOKEN),
            await request.body(),
        )
        return Response(
            answer.body,
            status_code=answer.status,
            media_type="application/json",
            headers={"cache-control": "no-store"},
        )

    @websocket("/api/events")
    async def events(socket: Socket) -> None:
        await Connection(socket, hub, greeting, access, scope).run()

    app = Litestar(
        [boot, index, file, call, events],
        openapi_config=None,
        logging_config=None,
        exception_handlers={HTTPException: _refused},
        debug=False,
    )
    return Gate(app, access, port)  # type: ignore[arg-type]  # ASGI, in Litestar's words
