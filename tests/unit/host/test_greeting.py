"""The first picture of the host: whole, current, and never in the way of the rest."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from dsh.kernel import Kernel
from dsh.seams.gateway import Snapshots
from dsh.surfaces.host import greeting as module
from dsh.surfaces.host import hub as hub_module
from dsh.surfaces.host.greeting import Greeting
from dsh.surfaces.host.hub import Hub
from unit.host.room import Client, eventually

pytestmark = pytest.mark.anyio


class Hall:
    """A hub and its greeting; what is contributed is up to the test."""

    def __init__(self) -> None:
        scope = Kernel().root
        self.snapshots = Snapshots(scope)
        self.hub = Hub()
        with scope.offered(Snapshots, self.snapshots):
            self.greeting = Greeting(self.hub, scope)

    async def greet(self) -> list[dict[str, Any]]:  # Any: JSON
        return [json.loads(payload) for payload in await self.greeting.items()]


@pytest.fixture
def hall(monkeypatch: pytest.MonkeyPatch) -> Hall:
    monkeypatch.setattr(module, "SETTLE_SECONDS", 0.01)
    return Hall()


async def one_session() -> object:
    return [{"sessionId": "s1"}]


async def test_what_nobody_contributes_is_empty(hall: Hall) -> None:
    [first] = await hall.greet()
    assert first["type"] == "host/snapshot"
    assert first["data"] == {
        "epoch": hall.hub.epoch,
        "seq": 0,
        "sessions": [],
        "workspaces": [],
        "approvals": [],
    }


@pytest.mark.parametrize(
    "made", [ValueError("x"), OSError("disk"), "bad \udcff name", object()]
)
async def test_a_part_that_cannot_tell_leaves_the_others_in_place(
    hall: Hall, made: object
) -> None:
    async def bad() -> object:
        if isinstance(made, Exception):
            raise made
        return made

    with (
        hall.snapshots.add("workspaces", bad),
        hall.snapshots.add("sessions", one_session),
    ):
        [first] = await hall.greet()
    assert first["data"]["workspaces"] == []
    assert first["data"]["sessions"] == [{"sessionId": "s1"}]


async def test_what_happens_meanwhile_is_told_after_the_picture(hall: Hall) -> None:
    async def slow() -> object:
        picture = await one_session()
        hall.hub.tell("host/session", b'{"sessionId":"s2"}')
        await anyio.sleep(0)
        hall.hub.tell("host/session-removed", b'{"sessionId":"s1"}')
        return picture

    hall.hub.tell("host/earlier", b"{}")
    with hall.snapshots.add("sessions", slow):
        first, *later = await hall.greet()
    assert first["data"]["seq"] == 1
    assert [(found["type"], found["seq"]) for found in later] == [
        ("host/session", 2),
        ("host/session-removed", 3),
    ]


async def test_a_picture_of_very_busy_times_is_taken_again(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "REMEMBERED", 5)
    times = 0

    async def busy() -> object:
        nonlocal times
        times += 1
        for _ in range(20 if times < 3 else 2):
            hall.hub.tell("host/session", b"{}")
        return []

    with hall.snapshots.add("sessions", busy):
        first, *later = await hall.greet()
    assert times == 3 and len(later) == 2
    assert first["data"]["seq"] == hall.hub.seq - 2


async def test_clients_are_told_anew_when_a_part_comes_or_goes(hall: Hall) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(hall.greeting.run)
        await anyio.wait_all_tasks_blocked()
        with hall.hub.client() as feed:
            client = Client(feed)
            with hall.snapshots.add("sessions", one_session):
                snapshot = await client.until("host/snapshot")
                assert snapshot["data"]["sessions"] == [{"sessionId": "s1"}]
            snapshot = await client.until("host/snapshot", 2)
            assert snapshot["data"]["sessions"] == []
        with hall.snapshots.add("sessions", one_session):
            await eventually(lambda: not hall.greeting._stale.is_set())
        group.cancel_scope.cancel()
    assert not hall.snapshots._watchers
