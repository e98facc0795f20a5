"""Proxy variables as people really have them."""

from __future__ import annotations

import pytest

from dsh.data.proxies import Proxies, Proxy, is_loopback, masked

REMOTE = "https://api.example.com/v1"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "my.localhost",
        "127.0.0.1",
        "127.8.9.1",
        "::1",
        "[::1]",
        "::ffff:127.0.0.1",
        "0.0.0.0",
    ],
)
def test_loopback_never_goes_through_a_proxy(host: str) -> None:
    proxies = Proxies.read({"ALL_PROXY": "http://proxy:1", "NO_PROXY": ""})
    shown = f"[{host}]" if ":" in host and "[" not in host else host
    assert is_loopback(host)
    assert proxies.for_url(f"http://{shown}:11434/v1") is None
    assert proxies.for_url(f"https://{shown}/v1") is None


@pytest.mark.parametrize("host", ["example.com", "localhost.example.com", "10.0.0.1"])
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_each_scheme_has_its_proxy_and_all_fills_the_gaps() -> None:
    proxies = Proxies.read({"HTTPS_PROXY": "http://a:1", "all_proxy": "b:2"})
    assert proxies.for_url("https://x.org") == Proxy("http://a:1", None, None)
    assert proxies.for_url("http://x.org") == Proxy("http://b:2", None, None)
    assert proxies.problems == []


def test_the_lower_case_spelling_wins() -> None:
    proxies = Proxies.read({"HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:2"})
    assert proxies.for_url(REMOTE) == Proxy("http://b:2", None, None)


def test_credentials_are_kept_apart() -> None:
    proxies = Proxies.read({"HTTPS_PROXY": "http://user%40x:p%3Aw@[::2]:3128/"})
    assert proxies.for_url(REMOTE) == Proxy("http://[::2]:3128", "user@x", "p:w")
    assert "p:w" not in repr(proxies.for_url(REMOTE))


@pytest.mark.parametrize(
    "value",
    [
        "socks5://127.0.0.1:1",
        "http://u:secret a@host:3128",
        "http://u:secret@host:port",
        "http://u:secret@host:99999",
        "ftp://u:secret@host",
        "http://[::1",
        "http://",
        "://u:secret@",
        "http://u:secret@ho st",
        "http://u:secret@höst\x00",
    ],
)
def test_a_value_that_cannot_be_used_is_named_once_and_ignored(value: str) -> None:
    proxies = Proxies.read({"ALL_PROXY": value, "HTTP_PROXY": "http://good:1"})
    assert proxies.for_url(REMOTE) is None
    assert proxies.for_url("http://x.org") == Proxy("http://good:1", None, None)
    [problem] = proxies.problems
    assert problem.startswith("ALL_PROXY=")
    assert "secret" not in problem


@pytest.mark.parametrize(
    ("entry", "direct"),
    [
        ("example.com", True),
        (".example.com", True),
        ("*.example.com", True),
        ("*", True),
        ("api.example.com:443", True),
        ("api.example.com:8443", False),
        ("ample.com", False),
        ("other.org, example.com", True),
        ("10.0.0.0/8", False),
        ("[::1]", False),
    ],
)
def test_no_proxy_by_name(entry: str, *, direct: bool) -> None:
    proxies = Proxies.read({"ALL_PROXY": "http://proxy:1", "NO_PROXY": entry})
    assert (proxies.for_url(REMOTE) is None) is direct
    assert proxies.problems == []


def test_no_proxy_by_address_and_range() -> None:
    proxies = Proxies.read(
        {
            "ALL_PROXY": "http://proxy:1",
            "no_proxy": "10.0.0.0/8,[fd00::]/8,192.168.1.7:80",
        }
    )
    assert proxies.for_url("http://10.1.2.3") is None
    assert proxies.for_url("http://11.1.2.3") is not None
    assert proxies.for_url("http://192.168.1.7") is None
    assert proxies.for_url("http://192.168.1.7:81") is not None


def test_a_bad_exception_does_not_spoil_the_others() -> None:
    proxies = Proxies.read(
        {"ALL_PROXY": "http://p:1", "NO_PROXY": "[zz, x y!z,example.com"}
    )
    assert proxies.for_url(REMOTE) is None
    assert len(proxies.problems) == 2


def test_a_password_is_masked_wherever_it_stands() -> None:
    assert masked("http://u:p@h:1") == "http://***@h:1"
    assert masked("u:p/w@h") == "***@h"
    assert masked("http://h:1") == "http://h:1"
