"""Tickets, the cookie and the page token."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.paths import Home
from dsh.surfaces.host import access as module
from dsh.surfaces.host.access import TICKET_SECONDS, Access


@pytest.fixture
def access() -> Access:
    return Access(Home(Path("/somewhere/.dsh")))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def test_a_ticket_buys_the_cookie_once(access: Access) -> None:
    ticket = access.issue()
    cookie = access.redeem(ticket)
    assert cookie is not None and access.has_cookie(f"{access.cookie_name}={cookie}")
    assert access.redeem(ticket) is None


def test_a_ticket_is_good_for_a_minute(access: Access, clock: list[float]) -> None:
    early, late = access.issue(), access.issue()
    clock[0] += TICKET_SECONDS - 1
    assert access.redeem(early) is not None
    clock[0] += 1
    assert access.redeem(late) is None


def test_old_tickets_are_not_kept(access: Access, clock: list[float]) -> None:
    for _ in range(500):
        access.issue()
        clock[0] += 1
    assert len(access._tickets) <= TICKET_SECONDS


def test_every_secret_is_of_this_start_and_long(access: Access) -> None:
    again = Access(Home(Path("/somewhere/.dsh")))
    cookie, other = access.redeem(access.issue()), again.redeem(again.issue())
    secrets = [cookie, other, access.page_token, again.page_token, access.issue()]
    assert len(set(secrets)) == 5
    assert all(secret is not None and len(secret) >= 43 for secret in secrets)
    assert access.cookie_name == again.cookie_name


def test_each_home_has_a_cookie_of_its_own_name() -> None:
    names = {Access(Home(Path(f"/home/{name}"))).cookie_name for name in "abc"}
    assert len(names) == 3


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "{name}",
        "{name}=",
        "{name}={half}",
        "{name}={cookie}x",
        "x{name}={cookie}",
        "{name}=\udcff{cookie}",
        "other={cookie}",
        ";;;=;",
        "\ud800=1; \x00",
    ],
)
def test_what_is_not_the_cookie_does_not_count(
    access: Access, header: str | None
) -> None:
    cookie = access.redeem(access.issue())
    assert cookie is not None
    if header is not None:
        header = header.format(
            name=access.cookie_name, cookie=cookie, half=cookie[: len(cookie) // 2]
        )
    assert not access.has_cookie(header)


def test_the_cookie_is_found_among_those_of_other_servers(access: Access) -> None:
    cookie = access.redeem(access.issue())
    assert access.has_cookie(f"a=b; {access.cookie_name}={cookie};c=d")


@pytest.mark.parametrize("token", [None, "", "guess", "\ud800", "\udcff", "令牌"])
def test_only_the_token_is_the_token(access: Access, token: str | None) -> None:
    assert not access.is_page(token)
    assert access.is_page(access.page_token)


@pytest.mark.parametrize("ticket", ["", "guess", "\ud800", "票"])
def test_a_guess_is_no_ticket(access: Access, ticket: str) -> None:
    access.issue()
    assert access.redeem(ticket) is None


def test_scripts_and_other_sites_never_see_the_cookie(access: Access) -> None:
    header = access.cookie_header("value")
    assert header == f"{access.cookie_name}=value; Path=/; HttpOnly; SameSite=Strict"
