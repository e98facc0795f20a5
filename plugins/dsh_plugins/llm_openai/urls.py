"""From what people paste as a base URL to the one address of the server."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from dsh.data.proxies import address_of, is_loopback
from dsh.seams.endpoints import Address, EndpointInvalid

_VERSION = re.compile(r"^v\d+[a-z0-9]*$", re.IGNORECASE)
_HOST = re.compile(r"^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?\.?$")
_TAILS = ("/chat/completions", "/completions", "/models", "/chat")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")


def address(spelling: str, *, local: bool = False) -> Address:
    """The address that ``spelling`` means. Raises `EndpointInvalid`.

    The path gets ``/v1`` unless it names a version already or was pasted whole.
    ``local`` is for servers that answer below ``/v1`` only.
    """
    text = spelling.strip()
    if not text:
        raise EndpointInvalid("the address is empty")
    if _BLANK.search(text):
        raise EndpointInvalid("the address contains a blank")
    parts = _split(text)
    host, loopback = _host(parts)
    path, whole = _path(parts.path)
    versioned = any(_VERSION.match(part) for part in path.split("/"))
    if not versioned and (not whole or local or loopback):
        path += "/v1"
    port = f":{parts.port}" if parts.port is not None else ""
    query = f"?{parts.query}" if parts.query else ""
    base = f"{parts.scheme}://{host}{port}{path}"
    return Address(base, query, host, loopback=loopback)


def _split(text: str) -> SplitResult:
    if "://" not in text:
        bare = text.lstrip("/")
        local = is_loopback(_before_port(bare))
        text = f"{'http' if local else 'https'}://{bare}"
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  # reading it checks it
    except ValueError as error:
        raise EndpointInvalid(f"the address cannot be read: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise EndpointInvalid(f"{parts.scheme}:// is not supported; http and https are")
    if parts.username is not None or parts.password is not None:
        raise EndpointInvalid(
            "the address contains a name or password",
            remedy="enter the key in its own field",
        )
    return parts


def _before_port(bare: str) -> str:
    authority = bare.partition("/")[0]
    if authority.startswith("["):
        return authority.partition("]")[0]
    return authority.partition(":")[0]


def _host(parts: SplitResult) -> tuple[str, bool]:
    host = (parts.hostname or "").lower()
    numeric = address_of(host)
    if numeric is not None and ":" in host:
        return f"[{host}]", is_loopback(host)
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        host = ""
    if not _HOST.match(host):
        raise EndpointInvalid("the address names no host")
    return host, is_loopback(host)


def _path(path: str) -> tuple[str, bool]:
    """The path below which the methods are, and whether one was pasted with it."""
    path = re.sub(r"/{2,}", "/", path).rstrip("/")
    for tail in _TAILS:
        if path.lower().endswith(tail):
            return path[: -len(tail)], tail == "/chat/completions"
    return path, False
