"""Sessions as clients see them: whole, in order, and given up when nobody looks."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import anyio
import pytest

from dsh.composition.presets import StandingPresets
from dsh.data import locks
from dsh.data.events import Event
from dsh.data.locks import Lock
from dsh.data.log import LOCK, LOG, event_line
from dsh.data.paths import Home
from dsh.runtime.presets import AgentPresets
from dsh.surfaces.host.session_methods import session_methods
from dsh.surfaces.host.sessions import watching as module
from support.agents import Echo
from support.homemade import plugin
from support.scripted import Scripted, calls, says
from unit.host.room import TITLE, Client, Room, eventually, filled, room

pytestmark = pytest.mark.anyio

MINE = "- {id: hello, plugin: hello}\n"


def preset(folder: Path, first: str = "") -> None:
    """A preset ``mine`` in the home with one plugin, in whose module ``first`` runs."""
    home = Home(folder / "home")
    (home.presets / "mine").mkdir(parents=True)
    (home.presets / "mine" / "agent.yaml").write_text(MINE)
    head = f"from pathlib import Path\n{first}\n"
    body = "@plugin\nasync def it(scope: Scope) -> AsyncIterator[None]:\n    yield\n"
    plugin(home, "hello", head + body)


def users(here: Room) -> int:
    """How many have joined the preset ``mine``."""
    standing = here.root.get(AgentPresets)
    assert isinstance(standing, StandingPresets)
    return sum(generation.users for generation in standing._mounted)


def log_file(here: Room, session_id: str) -> Path:
    sessions = here.root.get(Home).sessions
    [log] = sessions.glob(f"*/{session_id}/{LOG}")
    return log


async def crashed(here: Room) -> str:
    """The id of a session whose log looks as if its program had been killed."""
    session_id = await here.stored()
    log = log_file(here, session_id)
    lines = log.read_bytes().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if b'"type":"assistant/message"' in line)
    log.write_bytes(b"".join(lines[:cut]))
    await here.sessions.listing.scan()
    return session_id


async def test_a_client_sees_the_past_and_then_what_happens(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        agent.followup("first")
        await agent.idle()
        with here.client() as client:
            await here.source.watch(agent.id, -1, client.feed)
            snapshot = (await client.until("session/snapshot"))["data"]
            assert snapshot["lastSeq"] == agent.session.tip
            assert snapshot["readOnly"] is None and snapshot["live"]["status"] == "idle"
            agent.followup("second")
            await agent.idle()
            assert client.events() == list(range(agent.session.tip + 1))


@pytest.mark.parametrize("seed", range(8))
async def test_nothing_is_lost_or_out_of_order_beside_a_busy_session(
    tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        agent.followup("first")
        await agent.idle()
        done = anyio.Event()

        async def append() -> None:
            for _ in range(60):
                filled(agent.session, dice.randrange(20))
                await anyio.sleep(0)
            done.set()

        async def look(client: Client) -> None:
            while not done.is_set():
                last = client.events()[-1] if client.events() else -1
                await here.source.watch(agent.id, last, client.feed)
                await anyio.sleep(0)
                here.hub.unwatch(agent.id, client.feed)
            await here.source.watch(agent.id, client.events()[-1], client.feed)

        with here.client() as one, here.client() as two:
            async with anyio.create_task_group() as group:
                group.start_soon(append)
                group.start_soon(look, one)
                group.start_soon(look, two)
            for client in (one, two):
                assert client.events() == list(range(agent.session.tip + 1))
        assert not here.hub.sessions


async def test_a_stored_session_is_looked_at_without_being_opened(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session_id = await here.stored()
        with here.client() as client:
            await here.source.watch(session_id, -1, client.feed)
            assert (await client.until("session/snapshot"))["data"]["readOnly"] is None
            assert session_id not in here.sessions.live
            with taken(here, session_id):
                pass


def taken(here: Room, session_id: str) -> Lock:
    """The session's lock, as another program would take it."""
    lock = locks.take(log_file(here, session_id).with_name(LOCK))
    assert isinstance(lock, Lock)
    return lock


async def test_a_session_that_crashed_is_closed_honestly_and_let_go(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        session_id = await crashed(here)
        with here.client() as client:
            await here.source.watch(session_id, -1, client.feed)
            snapshot = (await client.until("session/snapshot"))["data"]
            [end] = [e for e in snapshot["events"] if e["type"] == "turn/end"]
            assert end["data"]["reason"]["kind"] == "interrupted"
            assert snapshot["session"]["status"] == "idle"
            assert session_id not in here.sessions.live
            with taken(here, session_id):
                pass


async def test_a_session_of_another_program_is_followed_until_nobody_looks(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        session_id = await crashed(here)
        with taken(here, session_id), here.client() as client:
            await here.source.watch(session_id, -1, client.feed)
            snapshot = (await client.until("session/snapshot"))["data"]
            assert snapshot["readOnly"] and snapshot["session"]["status"] == "running"
            watching = here.sessions.live[session_id]
            title = Event(watching.tip + 1, "session/title", 1, TITLE, None, None)
            with watching.path.open("ab") as file:
                file.write(event_line(title))
            await client.until("session/event")
            assert client.events()[-1] == watching.tip
        await tidy(here)
        assert session_id not in here.sessions.live


async def tidy(here: Room) -> None:
    await here.source._watched.forget_unwatched()  # type: ignore[attr-defined]  # of the provider


async def test_two_clients_at_once_join_the_preset_of_a_session_once(
    tmp_path: Path,
) -> None:
    preset(tmp_path)
    async with room(tmp_path) as here:
        session_id = await here.stored("mine")
        assert users(here) == 0
        with here.client() as one, here.client() as two:
            async with anyio.create_task_group() as group:
                group.start_soon(here.source.watch, session_id, -1, one.feed)
                group.start_soon(here.source.watch, session_id, -1, two.feed)
            await one.until("session/snapshot")
            await two.until("session/snapshot")
            assert users(here) == 1
            await tidy(here)
            assert users(here) == 1
        await tidy(here)
        assert users(here) == 0
        for _ in range(20):
            with here.client() as client:
                await here.source.watch(session_id, -1, client.feed)
            await tidy(here)
        assert users(here) == 0


@pytest.mark.parametrize("first", ["looks", "works"])
async def test_no_session_is_taken_from_an_agent_that_is_being_made(
    tmp_path: Path, first: str
) -> None:
    async with room(tmp_path) as here:
        session_id = await crashed(here)
        with here.client() as client:
            async with anyio.create_task_group() as group:
                if first == "looks":
                    group.start_soon(here.source.watch, session_id, -1, client.feed)
                group.start_soon(here.agents.resume, session_id)
                if first == "works":
                    group.start_soon(here.source.watch, session_id, -1, client.feed)
            agent = here.agents.get(session_id)
            assert agent is not None
            await tidy(here)
            agent.followup("go on")
            await agent.idle()
            assert agent.session.read_only is None
            await eventually(lambda: client.events()[-1:] == [agent.session.tip])


@pytest.mark.parametrize(
    "session_id", ["nobody", "../../etc", "", "x" * 5_000, "a\0b", "\ud800", "用户"]
)
async def test_what_cannot_be_shown_is_said_and_the_client_stays(
    tmp_path: Path, session_id: str
) -> None:
    async with room(tmp_path) as here:
        other = await here.stored()
        with here.client() as client:
            if session_id != "\ud800":
                await here.source.watch(session_id, -1, client.feed)
                await client.until("session/unavailable")
            await here.source.watch(other, -1, client.feed)
            await client.until("session/snapshot")


async def test_a_log_that_vanishes_is_no_end_of_the_connection(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session_id = await here.stored()
        shutil.rmtree(log_file(here, session_id).parent)
        with here.client() as client:
            await here.source.watch(session_id, -1, client.feed)
            await client.until("session/unavailable")


async def test_a_client_that_leaves_while_it_is_told_anew_leaves_nothing(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        session_id = await here.stored()
        with here.client() as client:
            await here.source.watch(session_id, -1, client.feed)
            here.source._watched._send_anew(session_id)  # type: ignore[attr-defined]  # as above
            await anyio.sleep(0)  # it has begun
        await anyio.wait_all_tasks_blocked()
        await eventually(lambda: not here.hub.sessions)
        assert not client.feed._items


async def test_watchers_go_on_when_the_part_for_sessions_was_restarted(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        agent.followup("first")
        await agent.idle()
        with here.client() as client:
            await here.source.watch(agent.id, -1, client.feed)
            await client.until("session/snapshot")
            here.methods.restart()
            await here.methods.settled()
            await client.until("session/snapshot", 2)
            agent.followup("second")
            await agent.idle()
            assert client.events() == list(range(agent.session.tip + 1))


async def test_a_wish_from_before_sessions_were_there_is_granted(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session_id = await here.stored()
        await here.methods.close()
        with here.client() as client:
            here.hub.watch(session_id, client.feed)
            again = here.root.mount("again", session_methods)
            await again.settled()
            await client.until("session/snapshot")


async def test_a_result_is_shown_by_its_tool_when_its_call_came_before(
    tmp_path: Path,
) -> None:
    model = Scripted(calls(("echo", {"word": "x"})), says("Done."))
    async with room(tmp_path, model=model, tool=Echo()) as here:
        agent = await here.agents.create(here.folder)
        agent.followup("go")
        await agent.idle()
        events = await agent.session.read(0, 100)
        [call] = [event.seq for event in events if event.type == "tool/call"]
        await here.agents.close(agent.id)
        with here.client() as client:
            await here.source.watch(agent.id, call, client.feed)
            await client.until("session/queue")
            [shown] = [
                found["data"]["card"]
                for found in client.items()
                if found["type"] == "session/event"
                and found["data"]["type"] == "tool/result"
            ]
            assert shown["title"] == "echo"
        history = await here.call(
            "session/history", session_id=agent.id, before_seq=10**6
        )
        cards = [event.card.title for event in history.events if event.card is not None]
        assert cards == ["echo", "echo"]


async def test_more_than_a_snapshot_is_never_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RESUMABLE", 20)
    async with room(tmp_path) as here:
        agent = await here.agents.create(here.folder)
        filled(agent.session, 50)
        with here.client() as client:
            await here.source.watch(agent.id, 5, client.feed)
            await client.until("reset")
            await client.until("session/snapshot")
            assert client.events() == list(range(50))
