"""The list of models that a server offers, in the shapes in which servers give it."""

from __future__ import annotations

from collections.abc import Mapping

from dsh.data.messages import LlmFailure
from dsh.seams.endpoints import Address
from dsh.seams.llm import LlmError, ModelInfo
from dsh_plugins.llm_openai.dialects import Dialect
from dsh_plugins.llm_openai.failures import from_status, not_a_stream, with_request_id
from dsh_plugins.llm_openai.http import Http
from dsh_plugins.llm_openai.text import decoded
from dsh_plugins.llm_openai.usage import first_count

LARGEST = 4 << 20
_WINDOW = ("context_window", "context_length", "max_model_len", "max_context_length")
_OUTPUT = ("max_output_tokens", "max_completion_tokens", "max_tokens")


async def listed_models(
    http: Http, address: Address, headers: Mapping[str, str], dialect: Dialect
) -> list[ModelInfo]:
    """Ask for the list. Raises `LlmError`; the code is ``HTTP_404`` without a list."""
    body = bytearray()
    async with http.sent("GET", address.models, headers) as response:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > LARGEST:
                raise LlmError(_malformed("the list of models is too large"))
        if response.status_code != 200:
            failure = from_status(
                response.status_code, response.headers, bytes(body), address.models
            )
            raise LlmError(failure)
        kind = response.headers.get("content-type", "")
        answered = response.headers
    try:
        document = decoded(bytes(body))
    except ValueError:
        raise LlmError(
            with_request_id(not_a_stream(bytes(body), kind), answered)
        ) from None
    return _models(document, dialect)


def _models(document: object, dialect: Dialect) -> list[ModelInfo]:
    rows: object = document
    if isinstance(document, dict):
        rows = document.get("data") if "data" in document else document.get("models")
    if rows is None:
        rows = []
    if not isinstance(rows, list):
        raise LlmError(_malformed("the list of models cannot be understood"))
    found: dict[str, ModelInfo] = {}
    for row in rows:
        info = _model(row, dialect)
        if info is not None:
            found.setdefault(info.id, info)
    return list(found.values())


def _model(row: object, dialect: Dialect) -> ModelInfo | None:
    if isinstance(row, str):
        row = {"id": row}
    if not isinstance(row, dict):
        return None
    names = (row.get(name) for name in ("id", "model", "name"))
    name = next((text for text in names if isinstance(text, str) and text), None)
    if name is None:
        return None
    known = dialect.known(name)
    window = first_count(row, *_WINDOW) or first_count(row.get("meta"), "n_ctx")
    output = first_count(row, *_OUTPUT)
    label = row.get("display_name")
    return ModelInfo(
        name,
        label if isinstance(label, str) and label else known.name,
        context_window=window or known.context_window,
        max_output=output or known.max_output,
        efforts=known.efforts,
        default_effort=known.default_effort,
    )


def _malformed(message: str) -> LlmFailure:
    return {"code": "MALFORMED_RESPONSE", "message": message}
