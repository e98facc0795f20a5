"""`POST /api/<namespace>/<method>`: validates, calls the table's handler, maps errors."""

from __future__ import annotations

import logging

import anyio
from pydantic import ValidationError

from dsh.composition.boot import Boot
from dsh.data.json import encode
from dsh.errors import CompositionError, DataError, DSHError, KernelError, RunError
from dsh.kernel import Scope
from dsh.seams.gateway import Exposure, Gateway, Method
from dsh.seams.native_shell import NativeShell
from dsh.surfaces.host.access import Access

logger = logging.getLogger(__name__)

BODY_LIMIT = 16_000_000  # bytes; a pasted text of several megabytes is still a prompt

ARRIVAL_SECONDS = 5.0  # how long a call waits for a method of a starting program

# The kind of an error decides the status; a code may be more precise.
_STATUS_OF_CODE = {
    "BAD_CURSOR": 400,
    "DIALOG_BUSY": 409,
    "HASH_MISMATCH": 409,
    "SETTINGS_CONFLICT": 409,
    "STATE_TOO_LARGE": 413,
    "TOO_EARLY": 409,
    "TOO_MANY_WORKSPACES": 409,
    "WORKSPACE_CONTAINS_HOME": 409,
    "NO_NATIVE": 501,
    "SERVICE_MISSING": 503,
    "QUEUE_ITEM_NOT_FOUND": 404,
    "SETTLED": 404,
    "SESSION_NOT_FOUND": 404,
    "WORKSPACE_NOT_FOUND": 404,
    "DIRECTORY_NOT_FOUND": 404,
    "UNKNOWN_PRESET": 404,
    "UNKNOWN_ROW": 404,
}
_STATUS_OF_KIND: tuple[tuple[type[DSHError], int], ...] = (
    (DataError, 409),
    (RunError, 409),
    (CompositionError, 409),
    (KernelError, 500),
)


class Answer:
    """Status and JSON body of one call."""

    __slots__ = ("body", "status")

    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.body = body

    @classmethod
    def refusal(
        cls,
        status: int,
        code: str,
        message: str,
        *,
        remedy: str | None = None,
        details: object = None,
    ) -> Answer:
        """An error answer."""
        error: dict[str, object] = {"code": code, "message": message}
        if remedy is not None:
            error["remedy"] = remedy
        if details is not None:
            error["details"] = details
        return cls(status, encode({"error": error}))


class Calls:
    """Answers calls of the methods that are in the gateway's table at that moment."""

    def __init__(self, scope: Scope, access: Access) -> None:
        self._scope = scope
        self._access = access

    async def answer(
        self, path: str, content_type: str, page_token: str | None, body: bytes
    ) -> Answer:
        """The answer to one request that has passed the gate."""
        method = await self._method(path)
        if method is None:
            return Answer.refusal(404, "UNKNOWN_METHOD", f"there is no method {path}")
        if content_type.partition(";")[0].strip().lower() != "application/json":
            return Answer.refusal(415, "NOT_JSON", "only application/json is accepted")
        if method.exposure is not Exposure.COOKIE and not self._access.is_page(
            page_token
        ):
            return Answer.refusal(403, "PAGE_TOKEN", "the page's token is missing")
        native = self._scope.find(NativeShell)
        if method.exposure is Exposure.WINDOW and native is None:
            message = "this needs the program's own window"
            return Answer.refusal(501, "NO_NATIVE", message)
        return await self._call(method, body)

    async def _method(self, path: str) -> Method | None:
        """The method; while the program starts, a page may ask before it is there."""
        gateway = self._scope.get(Gateway)
        boot = self._scope.find(Boot)
        if boot is not None:
            with anyio.move_on_after(ARRIVAL_SECONDS):
                await boot.until(lambda: gateway.get(path) is not None)
        return gateway.get(path)

    async def _call(self, method: Method, body: bytes) -> Answer:
        try:
            request = method.request.model_validate_json(body or b"{}")
        except ValidationError as error:
            details = [
                {"path": ".".join(map(str, item["loc"])), "message": item["msg"]}
                for item in error.errors(include_url=False, include_input=False)
            ]
            message = f"{method.path}: the request has the wrong shape"
            return Answer.refusal(400, "BAD_REQUEST", message, details=details)
        try:
            response = await method.handler(request)
            return Answer(200, response.model_dump_json(by_alias=True).encode())
        except DSHError as error:
            return Answer.refusal(
                _status(error), error.code, str(error), remedy=error.remedy
            )
        except Exception:
            # A fault of a handler must not end the connection; what it was is logged,
            # and the page gets no internals.
            logger.exception("%s failed", method.path)
            message = f"{method.path} failed; the log has the details"
            return Answer.refusal(500, "INTERNAL", message)


def _status(error: DSHError) -> int:
    if error.code in _STATUS_OF_CODE:
        return _STATUS_OF_CODE[error.code]
    for kind, status in _STATUS_OF_KIND:
        if isinstance(error, kind):
            return status
    return 400
