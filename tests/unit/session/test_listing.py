"""Lists of sessions: current, complete, rebuilt when need be."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh.data.catalogue import peek
from dsh.data.paths import Home
from dsh.errors import DataError
from dsh.kernel import Events, Kernel
from dsh.runtime.session import Sessions, SessionStopped
from unit.session.story import golden_turn, sessions_in, stored, tell, user

pytestmark = pytest.mark.anyio


async def test_a_live_session_is_listed_as_it_is_now(tmp_path: Path) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path, id="s1", preset="code")
        assert (await sessions.list()).rows == []
        tell(session, golden_turn()[:17])
        (row,) = (await sessions.list()).rows
        assert (row.id, row.cwd, row.status) == ("s1", str(tmp_path), "waiting")
        assert (row.events, row.blank, row.preset) == (17, False, "code")
        assert (row.provider, row.model, row.effort) == ("p", "m", None)
        tell(session, golden_turn()[17:])
        (row,) = (await sessions.list()).rows
        assert (row.status, row.events) == ("idle", 22)


async def test_the_row_of_a_live_session_is_the_row_its_log_gives(
    tmp_path: Path,
) -> None:
    for size in range(1, 23):
        folder = tmp_path / str(size)
        folder.mkdir()
        path = await stored(folder, golden_turn()[:size])
        async with sessions_in(folder) as sessions:
            row = await sessions.row("s1")
        assert row == peek(path.parent)


async def test_the_list_survives_the_loss_of_its_index(tmp_path: Path) -> None:
    await stored(tmp_path, golden_turn())
    for file in tmp_path.glob("desktop/index.db*"):
        file.unlink()
    async with sessions_in(tmp_path) as sessions:
        (row,) = (await sessions.list(cwd=tmp_path)).rows
        assert (row.id, row.events) == ("s1", 22)
        session = await sessions.open("s1")
        assert session.tip == 21


async def test_a_session_without_events_is_forgotten(tmp_path: Path) -> None:
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path)
        assert await sessions.find(session.id) is not None
        await sessions.close(session)
        assert await sessions.find(session.id) is None
        assert await sessions.row(session.id) is None


async def test_an_unusable_index_stops_no_session(tmp_path: Path) -> None:
    Home(tmp_path).index.mkdir(parents=True)
    path = await stored(tmp_path, golden_turn())
    async with sessions_in(tmp_path, strict=False) as sessions:
        with pytest.raises(DataError):
            await sessions.list()
        session = await sessions.open("s1")
        session.append("user/message", user("x"))
        assert session.tip == 23
    assert b'"seq":23' in path.read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
async def test_a_full_disk_stops_the_session_and_everybody_is_told(
    tmp_path: Path,
) -> None:
    path = await stored(tmp_path, golden_turn())
    async with Kernel() as kernel:
        events = kernel.root.get(Events)
        told: list[SessionStopped] = []
        with events.on(SessionStopped, told.append):
            async with Sessions.running(Home(tmp_path), events) as sessions:
                session = await sessions.open("s1")
                path.rename(tmp_path / "kept")
                path.symlink_to("/dev/full")
                session.append("user/message", user("lost"))
                with pytest.raises(DataError) as caught:
                    await session.flush()
                assert caught.value.code == "SESSION_WRITE_FAILED"
                with pytest.raises(DataError) as caught:
                    session.append("user/message", user("refused"))
                assert caught.value.code == "SESSION_WRITE_FAILED"
                with anyio.fail_after(10):
                    while not told:
                        await anyio.sleep(0)
                assert [fact.session for fact in told] == [session]
                assert session.read_only
                with pytest.raises(DataError):
                    await sessions.close(session)
                assert sessions.live == {}
