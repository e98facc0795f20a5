"""The lines of the list: each change is told once, and one fault silences nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.catalogue import SessionRow
from dsh.errors import DataError
from dsh.kernel import Events
from dsh.runtime.session import SessionsChanged
from dsh.surfaces.host.sessions import news
from dsh.surfaces.host.sessions.summaries import Summaries
from unit.host.room import Client, eventually, room

pytestmark = pytest.mark.anyio


def lines(client: Client, session_id: str) -> list[str]:
    """The statuses that were told of a session."""
    found = [i["data"] for i in client.items() if i["type"] == "host/session"]
    return [line["status"] for line in found if line["sessionId"] == session_id]


async def test_a_turn_is_told_as_running_and_then_as_idle(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        with here.client() as client:
            agent.followup("go")
            await agent.idle()
            await eventually(lambda: lines(client, agent.id)[-1:] == ["idle"])
            assert len(lines(client, agent.id)) < 10, "facts of one moment are one line"


async def test_what_ended_while_nobody_looked_is_marked_until_somebody_does(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        with here.client() as client:
            agent.followup("go")
            await agent.idle()

            def marked() -> bool:
                told = [i["data"] for i in client.items() if i["type"] == "host/session"]
                return bool(told) and told[-1]["unseen"] is True

            await eventually(marked)
            await here.call("session/markSeen", session_id=agent.id)
            await eventually(lambda: not marked())


async def test_one_line_that_cannot_be_made_silences_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        bad = await here.agents.create(here.folder)
        good = await here.agents.create(here.folder)
        made = Summaries.of_row

        def fails(self: Summaries, row: SessionRow) -> object:
            if row.id == bad.id:
                raise DataError("the index is damaged")
            return made(self, row)

        monkeypatch.setattr(Summaries, "of_row", fails)
        with here.client() as client:
            for agent in (bad, good):
                agent.session.append("turn/start", {"turn": 1})
            await eventually(lambda: lines(client, good.id))
            assert not lines(client, bad.id)
        assert here.methods.error is None


async def test_a_vanished_session_leaves_the_list(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        with here.client() as client:
            here.root.get(Events).emit(SessionsChanged([], ["gone"]))
            removed = await client.until("host/session-removed")
            assert removed["data"] == {"sessionId": "gone"}


async def test_very_many_new_lines_come_as_one_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "MANY", 3)
    async with room(tmp_path) as here:
        ids = [await here.stored() for _ in range(5)]
        with here.client() as client:
            here.root.get(Events).emit(SessionsChanged(ids, []))
            snapshot = await client.until("host/snapshot")
            told = {line["sessionId"] for line in snapshot["data"]["sessions"]}
            assert told >= set(ids)
