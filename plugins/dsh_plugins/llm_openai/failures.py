"""What went wrong, as one of our codes and a sentence for people."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dsh.data.clock import now_ms
from dsh.data.messages import LlmFailure
from dsh_plugins.llm_openai.text import decoded, repaired

SHOWN = 200  # characters of a foreign text that people get to see
_OVERFLOW = re.compile(
    r"context[_ ](length|window|size)|maximum (context|prompt)|too many (input )?tokens"
    r"|prompt is too long|input is too long|exceeds? the (available )?context"
    r"|reduce the length of the messages",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance|funds|credits)|exceeded your current quota"
    r"|billing|out of credits|credit balance",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ](found|exist)|model\b.{0,80}\b(not found|does not exist|not exist)"
    r"|(unknown|invalid|unsupported) model|no such model",
    re.IGNORECASE | re.DOTALL,
)
_LIMITED = re.compile(r"rate.?limit|too many requests|overloaded", re.IGNORECASE)
_AUTH = re.compile(
    r"invalid.{0,10}api.?key|incorrect api key|authenticat|unauthori[sz]ed",
    re.IGNORECASE,
)


def from_status(
    status: int, headers: Mapping[str, str], body: bytes, url: str
) -> LlmFailure:
    """The failure behind a status that is no success."""
    text, kind = _message(body)
    failure: LlmFailure = {
        "code": _code(status, f"{kind} {text}"),
        "message": _sentence(status, text, headers, url),
        "status": status,
    }
    wait = retry_after(headers)
    if wait is not None:
        failure["providerRetryAfterMs"] = wait
    return with_request_id(failure, headers)


def reported_failure(event: dict[str, object]) -> LlmFailure:
    """The failure that a server reports in an answer which began as a success."""
    error = event.get("error")
    message, kind = _parts(event)
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int) and 400 <= status < 600:
        code = _code(status, f"{kind} {message}")
    else:
        code = _code_by_wording(f"{kind} {message}") or "SERVER"
    return {"code": code, "message": shown(message) or "the server reported an error"}


def not_a_stream(body: bytes, content_type: str) -> LlmFailure:
    """The failure of a success that holds no answer, such as a page of a proxy."""
    text = shown(body.decode("utf-8", "replace"))
    if not text:
        return {"code": "EMPTY_RESPONSE", "message": "the server answered nothing"}
    kind = f" ({content_type})" if content_type else ""
    return {
        "code": "MALFORMED_RESPONSE",
        "message": f"the server's answer is not a model's answer{kind}: {text}",
    }


def with_request_id(failure: LlmFailure, headers: Mapping[str, str]) -> LlmFailure:
    """The failure with the id by which the provider can find the request."""
    for name in ("x-request-id", "x-deepseek-request-id", "request-id", "x-ds-trace-id"):
        if value := headers.get(name, "").strip():
            failure["requestId"] = value[:SHOWN]
            return failure
    return failure


def retry_after(headers: Mapping[str, str]) -> int | None:
    """Milliseconds that the server asks to wait; it may say seconds or a date."""
    if (exact := headers.get("retry-after-ms", "").strip()).isdigit():
        return int(exact)
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
        return int(float(value) * 1000)
    from email.utils import parsedate_to_datetime  # rarely needed, slow to import

    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    return max(0, int(date.timestamp() * 1000) - now_ms())


def shown(text: str) -> str:
    """The beginning of a foreign text, on one line."""
    return repaired(" ".join(text.split())[:SHOWN])


def _code(status: int, wording: str) -> str:
    if status in (401, 403):
        return "QUOTA" if _QUOTA.search(wording) else "AUTH"
    if status == 402 or (status in (400, 429) and _QUOTA.search(wording)):
        return "QUOTA"
    if status == 429:
        return "RATE_LIMIT"
    if status in (400, 413, 422):
        if _OVERFLOW.search(wording):
            return "CONTEXT_WINDOW_EXCEEDED"
        return "UNKNOWN_MODEL" if _NO_MODEL.search(wording) else "INVALID_REQUEST"
    if status == 404 and _NO_MODEL.search(wording):
        return "UNKNOWN_MODEL"
    if status == 408:
        return "TIMEOUT"
    return "SERVER" if status >= 500 else f"HTTP_{status}"


def _code_by_wording(wording: str) -> str | None:
    rules = (
        ("CONTEXT_WINDOW_EXCEEDED", _OVERFLOW),
        ("QUOTA", _QUOTA),
        ("RATE_LIMIT", _LIMITED),
        ("AUTH", _AUTH),
        ("UNKNOWN_MODEL", _NO_MODEL),
    )
    return next((code for code, rule in rules if rule.search(wording)), None)


def _message(body: bytes) -> tuple[str, str]:
    """The message of an error body and what it calls its kind."""
    try:
        document = decoded(body)
    except ValueError:
        return body.decode("utf-8", "replace"), ""
    if isinstance(document, dict):
        return _parts(document)
    return body.decode("utf-8", "replace"), ""


def _parts(document: dict[str, object]) -> tuple[str, str]:
    error = document.get("error")
    source = error if isinstance(error, dict) else document
    kind = " ".join(str(source.get(name) or "") for name in ("code", "type"))
    if isinstance(error, str):
        return error, kind
    for name in ("message", "detail", "msg", "error_msg"):
        if isinstance(text := source.get(name), str) and text:
            return text, kind
    return str(error or document), kind


def _sentence(status: int, text: str, headers: Mapping[str, str], url: str) -> str:
    if 300 <= status < 400:
        target = headers.get("location", "another address")[:SHOWN]
        return f"{url} redirects to {target}; set that address if you trust it"
    reason = shown(text)
    if status == 404:
        return f"{url} is not there (404): {reason}" if reason else f"no {url} (404)"
    return f"HTTP {status}: {reason}" if reason else f"HTTP {status}"
