"""A client's queue: together, in order, and never without bound."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from dsh.surfaces.host import feed as module
from dsh.surfaces.host.feed import Feed, TooSlow, item

pytestmark = pytest.mark.anyio


class Reader:
    """The other end; it reads only while its gate is open."""

    def __init__(self) -> None:
        self.frames: list[list[int]] = []
        self.gate = anyio.Event()
        self.gate.set()
        self.sending = anyio.Event()

    async def take(self, text: str) -> None:
        self.sending.set()
        await self.gate.wait()
        self.frames.append(json.loads(text))

    async def until(self, count: int) -> list[int]:
        while len(found := [i for frame in self.frames for i in frame]) < count:
            await anyio.sleep(0.001)
        return found


@asynccontextmanager
async def running(feed: Feed, reader: Reader) -> AsyncIterator[None]:
    async with anyio.create_task_group() as group:
        group.start_soon(feed.run, reader.take)
        yield
        group.cancel_scope.cancel()


async def test_what_comes_together_goes_out_as_one_frame_in_order() -> None:
    feed, reader = Feed(), Reader()
    async with running(feed, reader):
        for number in range(100):
            feed.put(b"%d" % number)
        assert await reader.until(100) == list(range(100))
        assert len(reader.frames) == 1
        feed.put(b"100")
        assert (await reader.until(101))[-1] == 100
        assert len(reader.frames) == 2


async def test_what_comes_while_a_frame_is_sent_is_in_the_next() -> None:
    feed, reader = Feed(), Reader()
    reader.gate = anyio.Event()
    async with running(feed, reader):
        feed.put(b"1")
        await reader.sending.wait()
        feed.put(b"2")
        feed.put(b"3")
        reader.gate.set()
        assert await reader.until(3) == [1, 2, 3]
        assert reader.frames == [[1], [2, 3]]


@pytest.mark.parametrize("many", [True, False], ids=["many", "large"])
async def test_a_client_that_does_not_read_costs_bounded_memory_and_is_told(
    monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    monkeypatch.setattr(module, "SLOW_ITEMS", 10)
    monkeypatch.setattr(module, "SLOW_BYTES", 1_000)
    feed, reader = Feed(), Reader()
    reader.gate = anyio.Event()
    with pytest.RaisesGroup(TooSlow):
        async with running(feed, reader):
            feed.put(b"1")
            await reader.sending.wait()
            for _ in range(100):
                feed.put(b"2" if many else b"2" * 400)
            assert not feed._items
            reader.gate.set()
            await anyio.sleep_forever()


async def test_one_item_may_be_larger_than_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SLOW_BYTES", 10)
    feed, reader = Feed(), Reader()
    async with running(feed, reader):
        feed.put(b"1" * 300)
        feed.put(b"2")
        assert len(await reader.until(2)) == 2


async def test_a_feed_takes_over_what_another_collected_and_what_it_missed() -> None:
    first, second, reader = Feed(), Feed(), Reader()
    async with running(second, reader):
        first.put(b"1")
        first.pour_into(second)
        assert await reader.until(1) == [1]
    first.overflow()
    first.pour_into(second)
    with pytest.RaisesGroup(TooSlow):
        async with running(second, reader):
            await anyio.sleep_forever()


async def test_a_closed_feed_keeps_nothing() -> None:
    feed = Feed()
    feed.put(b"1")
    feed.close()
    feed.put(b"2")
    assert not feed._items


def test_an_item_is_json_whatever_its_names_are() -> None:
    made = item('session:"\\\n票', "a\tb", b'{"x":1}', 7)
    assert json.loads(made) == {
        "topic": 'session:"\\\n票',
        "type": "a\tb",
        "seq": 7,
        "data": {"x": 1},
    }
    assert "seq" not in json.loads(item("host", "pong", b"{}"))
