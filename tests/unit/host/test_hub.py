"""The hub: numbered facts for all, sessions for those who watch, nothing for the gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dsh.surfaces.host import hub as module
from dsh.surfaces.host.feed import Feed
from dsh.surfaces.host.hub import Hub

pytestmark = pytest.mark.anyio


def taken(feed: Feed) -> list[dict[str, Any]]:  # Any: JSON
    """What waits in a feed."""
    return [json.loads(payload) for payload in feed._items]


async def test_every_client_hears_a_fact_with_its_number() -> None:
    hub = Hub()
    with hub.client() as one, hub.client() as two:
        hub.tell("host/a", b"1")
        hub.tell("host/b", b"2", transient=True)
        hub.tell("host/c", b"3")
        assert taken(one) == taken(two)
        assert [found.get("seq") for found in taken(one)] == [1, None, 2]


async def test_a_client_that_comes_back_hears_what_it_missed() -> None:
    hub = Hub()
    for number in range(5):
        hub.tell("host/a", b"%d" % number)
    missed = hub.missed(hub.epoch, 3)
    assert missed is not None
    assert [json.loads(payload)["seq"] for payload in missed] == [4, 5]
    assert hub.missed(hub.epoch, 5) == []


@pytest.mark.parametrize(
    ("epoch", "seq"), [("own", 6), ("other", 1), ("", 0), ("own", -9)]
)
async def test_a_position_that_means_nothing_begins_anew(epoch: str, seq: int) -> None:
    hub = Hub()
    for number in range(5):
        hub.tell("host/a", b"%d" % number)
    assert hub.missed(hub.epoch if epoch == "own" else epoch, seq) is None


async def test_what_is_remembered_is_bounded_by_count_and_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 100)
    monkeypatch.setattr(module, "REMEMBERED_BYTES", 10_000)
    hub = Hub()
    for _ in range(500):
        hub.tell("host/a", b"1")
    assert len(hub._missed) == 100
    assert hub.missed(hub.epoch, 400) and hub.missed(hub.epoch, 399) is None
    hub.tell("host/b", b'"' + b"x" * 9_900 + b'"')
    assert hub._missed_bytes <= 10_000
    assert hub.missed(hub.epoch, hub.seq - 1) is not None
    hub.tell("host/c", b'"' + b"x" * 20_000 + b'"')  # too large to be remembered at all
    assert hub._missed_bytes == 0
    assert hub.missed(hub.epoch, hub.seq - 1) is None
    assert hub.missed(hub.epoch, hub.seq) == []


async def test_only_watchers_hear_of_a_session() -> None:
    hub = Hub()
    with hub.client() as one, hub.client() as two:
        hub.watch("s1", one)
        hub.watch("s2", two)
        assert hub.watched("s1") and not hub.watched("s3")
        hub.tell_watchers("s1", "session/event", b"{}", 4)
        hub.tell_watchers("s3", "session/event", b"{}", 5)
        [heard] = taken(one)
        assert heard["topic"] == "session:s1" and heard["seq"] == 4
        assert not taken(two)
        hub.unwatch("s1", one)
        hub.unwatch("s1", one)
        assert not hub.watched("s1")


async def test_a_client_that_left_is_forgotten_and_cannot_be_signed_up_again() -> None:
    hub = Hub()
    with hub.client() as feed:
        hub.watch("s1", feed)
        hub.watch("s2", feed)
    assert not hub.clients and not hub.sessions
    hub.watch("s1", feed)  # by work that was under way when it left
    assert not hub.watched("s1")
