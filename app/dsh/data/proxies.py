"""Which proxy a request goes through, read from the usual variables by our own rules.

Libraries raise at start for values that other programs accept, and send loopback to a
proxy. Here a value that cannot be used is named (password masked) and ignored, and
loopback never leaves the machine.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

_HOST = re.compile(r"^[A-Za-z0-9._-]+$")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxy:
    """An HTTP proxy: its address without credentials, and those apart."""

    __slots__ = ("password", "url", "username")

    def __init__(self, url: str, username: str | None, password: str | None) -> None:
        self.url = url
        self.username = username
        self.password = password

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proxy) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        return f"<proxy {self.url}>"

    def _parts(self) -> tuple[str, str | None, str | None]:
        return self.url, self.username, self.password


class _Exception:
    """One entry of NO_PROXY: a network, or a name and all names below it."""

    __slots__ = ("name", "network", "port")

    def __init__(
        self, name: str | None, network: Network | None, port: int | None
    ) -> None:
        self.name = name
        self.network = network
        self.port = port

    def covers(self, host: str, port: int | None) -> bool:
        if self.port is not None and self.port != port:
            return False
        if self.network is not None:
            address = address_of(host)
            return address is not None and address in self.network
        name = self.name or ""
        return name == "*" or host == name or host.endswith(f".{name}")


class Proxies:
    """The proxies of one environment. ``problems`` are sentences for people."""

    def __init__(
        self,
        by_scheme: Mapping[str, Proxy],
        exceptions: list[_Exception],
        problems: list[str],
    ) -> None:
        self._by_scheme = by_scheme
        self._exceptions = exceptions
        self.problems = problems

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Proxies:
        """Read HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; never raises.

        The lower-case spelling wins, as it does for curl.
        """
        problems: list[str] = []
        found: dict[str, Proxy] = {}
        for scheme, names in _VARIABLES.items():
            for name in names:
                value = environment.get(name, "").strip()
                proxy = _proxy(name, value, problems) if value else None
                if proxy is not None:
                    found.setdefault(scheme, proxy)
        every = found.pop("all", None)
        if every is not None:
            found = {"http": every, "https": every, **found}
        return cls(found, _exceptions(environment, problems), problems)

    def for_url(self, url: str) -> Proxy | None:
        """The proxy for ``url``; None means a direct connection."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        if is_loopback(host):
            return None
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        if any(rule.covers(host, port) for rule in self._exceptions):
            return None
        return self._by_scheme.get(parts.scheme)


_VARIABLES = {
    "http": ("http_proxy", "HTTP_PROXY"),
    "https": ("https_proxy", "HTTPS_PROXY"),
    "all": ("all_proxy", "ALL_PROXY"),
}


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine, without asking any resolver."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = address_of(name)
    if address is None:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def address_of(host: str) -> Address | None:
    """The IP address that ``host`` spells out, if it is one."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def masked(value: str) -> str:
    """``value`` without what stands before an @, which may hold a password."""
    secret, at, rest = value.rpartition("@")
    if not at:
        return value
    scheme, separator, _ = secret.partition("://")
    return f"{scheme}{separator}***@{rest}" if separator else f"***@{rest}"


def _proxy(name: str, value: str, problems: list[str]) -> Proxy | None:
    reason = ""
    scheme, separator, rest = value.partition("://")
    if not separator:
        scheme, rest = "http", value
    if scheme.lower().startswith("socks"):
        reason = "SOCKS proxies are not supported; an HTTP proxy is"
    elif scheme.lower() not in ("http", "https"):
        reason = f"{scheme[:20]!r} is no proxy scheme"
    else:
        try:
            return _parsed(scheme.lower(), rest)
        except ValueError as error:
            reason = str(error)
    problems.append(f"{name}={masked(value)} is ignored: {reason}")
    return None


def _parsed(scheme: str, rest: str) -> Proxy:
    if any(c.isspace() or not c.isprintable() for c in rest):
        raise ValueError("it contains a blank")
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port
    except ValueError:
        raise ValueError("its address cannot be read") from None
    host = parts.hostname or ""
    if not _HOST.match(host) and address_of(host) is None:
        raise ValueError("it names no host")
    shown = f"[{host}]" if ":" in host else host
    url = f"{scheme}://{shown}" + (f":{port}" if port is not None else "")
    user = unquote(parts.username) if parts.username is not None else None
    password = unquote(parts.password) if parts.password is not None else None
    return Proxy(url, user, password)


def _exceptions(environment: Mapping[str, str], problems: list[str]) -> list[_Exception]:
    name = "no_proxy" if environment.get("no_proxy", "").strip() else "NO_PROXY"
    found = []
    for entry in re.split(r"[,\s]+", environment.get(name, "").strip()):
        if not entry:
            continue
        try:
            found.append(_exception(entry))
        except ValueError:
            problems.append(f"{name}: the entry {masked(entry)!r} is ignored")
    return found


def _exception(entry: str) -> _Exception:
    text = entry.partition("://")[2] or entry
    try:
        return _Exception(
            None, ipaddress.ip_network(text.strip("[]"), strict=False), None
        )
    except ValueError:
        pass  # neither an address nor a range: a name, or an address with a port
    host, port = text, None
    if match := re.match(r"^(.+):(\d{1,5})$", text):
        host, port = match[1], int(match[2])
    address = address_of(host)
    if address is not None:
        return _Exception(None, ipaddress.ip_network(address), port)
    name = host.lower().removeprefix("*.").strip(".") if host != "*" else host
    if name != "*" and not _HOST.match(name):
        raise ValueError(entry)
    return _Exception(name, None, port)
