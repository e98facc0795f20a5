"""What the page asks of sessions, where timing and lost answers matter."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh.data.log import LOG, Scan, open_header
from dsh.data.paths import Home
from dsh.errors import DataError
from dsh.runtime.agent import Agents
from dsh.runtime.session import Session
from unit.host.room import Room, room

pytestmark = pytest.mark.anyio


async def workspace(here: Room) -> str:
    return str((await here.call("workspace/create", path=str(here.folder))).workspace_id)


def written(here: Room, session_id: str) -> list[str]:
    """The types of the events that are on disk now."""
    [log] = here.root.get(Home).sessions.glob(f"*/{session_id}/{LOG}")
    return [event.type for event, _, _ in Scan(log, open_header(log)[1])]


async def test_impatient_clicks_make_one_blank_session(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        id_ = await workspace(here)
        made: list[str] = []

        async def click() -> None:
            made.append((await here.call("session/create", workspace_id=id_)).session_id)

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(click)
        assert len(set(made)) == 1 and len(here.root.get(Agents).live()) == 1


async def test_a_session_with_a_prompt_is_not_blank_any_more(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        id_ = await workspace(here)
        first = await here.call("session/create", workspace_id=id_)
        await here.call("session/prompt", session_id=first.session_id, text="go")
        second = await here.call("session/create", workspace_id=id_)
        assert second.session_id != first.session_id


async def test_a_prompt_that_is_sent_again_is_queued_once(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        request = {"session_id": agent.id, "text": "go", "client_id": "c1"}
        first = await here.call("session/prompt", **request)
        again = await here.call("session/prompt", **request)
        other = await here.call("session/prompt", **request | {"client_id": "c2"})
        plain = [
            await here.call("session/prompt", session_id=agent.id, text="x") for _ in "ab"
        ]
        assert first.message_id == again.message_id
        ids = {first.message_id, other.message_id, *(p.message_id for p in plain)}
        assert len(ids) == 4


async def test_what_is_acknowledged_is_on_disk(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        await here.call("session/prompt", session_id=agent.id, text="go")
        assert "agent/inbox/spliced" in written(here, agent.id)
        await here.call("session/rename", session_id=agent.id, title="Mine")
        assert "session/title" in written(here, agent.id)


async def test_a_write_that_fails_is_no_acknowledgement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(self: Session) -> None:
        raise DataError("disk full", code="SESSION_WRITE_FAILED")

    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        monkeypatch.setattr(Session, "flush", full)
        with pytest.raises(DataError, match="disk full"):
            await here.call("session/rename", session_id=agent.id, title="Mine")
        monkeypatch.undo()


async def test_history_is_paged_without_gaps(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session_id = await here.stored(prompts=6)
        end, seen = 10**9, list[int]()
        while True:
            page = await here.call(
                "session/history", session_id=session_id, before_seq=end, limit=5
            )
            seen = [event.seq for event in page.events if event.seq < end] + seen
            end = page.first_seq
            if not page.has_more:
                break
        log = await here.sessions.inspect(session_id)
        events = await log.read(0, log.tip + 1)
        assert seen == [e.seq for e in events if e.type != "assistant/chunk"]


async def test_the_history_of_nobody_is_refused(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        with pytest.raises(DataError) as refusal:
            await here.call("session/history", session_id="nobody", before_seq=1)
        assert refusal.value.code == "SESSION_NOT_FOUND"
