"""Opening: torn, damaged, newer, held by another process, or simply there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, Popen

import anyio
import pytest

from dsh.data.events import Event, Header
from dsh.data.log import event_line, header_line, verify
from dsh.errors import DataError
from unit.session.story import golden_turn, sessions_in, stored, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("strict", [True, False])
async def test_a_torn_tail_is_cut_at_every_byte_and_the_session_goes_on(
    tmp_path: Path, strict: bool
) -> None:
    path = await stored(tmp_path, golden_turn())
    whole = path.read_bytes()
    last_two = len(b"\n".join(whole.split(b"\n")[-3:]))
    async with sessions_in(tmp_path, strict=strict) as sessions:
        for size in range(len(whole) - last_two + 1, len(whole) + 1, 7):
            path.write_bytes(whole[:size])
            session = await sessions.open("s1")
            session.append("user/message", user("next"))
            await sessions.close(session)
            assert verify(path) == []
            complete = whole[:size].rpartition(b"\n")[0]
            assert path.read_bytes().startswith(complete)
    torn = [p.read_bytes() for p in path.parent.glob("log.torn-*")]
    assert torn
    assert all(piece in whole for piece in torn)


def flipped(lines: list[bytes]) -> list[bytes]:
    lines[8] = lines[8].replace(b"assistant", b"assistent")
    return lines


def without_one(lines: list[bytes]) -> list[bytes]:
    return lines[:8] + lines[9:]


def doubled(lines: list[bytes]) -> list[bytes]:
    return lines[:9] + lines[8:]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("damage", "line"), [(flipped, 9), (without_one, 9), (doubled, 10)]
)
async def test_damage_in_the_middle_leaves_a_readable_session_and_an_untouched_file(
    tmp_path: Path, damage: Callable[[list[bytes]], list[bytes]], line: int, strict: bool
) -> None:
    path = await stored(tmp_path, golden_turn())
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    before = path.read_bytes()
    async with sessions_in(tmp_path, strict=strict) as sessions:
        session = await sessions.open("s1")
        assert f"line {line}" in (session.read_only or "")
        events = await session.read(0, 99)
        assert [event.seq for event in events] == list(range(line - 2))
        assert session.surface.messages()
        with pytest.raises(DataError) as caught:
            session.append("user/message", user("x"))
        assert caught.value.code == "SESSION_READ_ONLY"
    assert path.read_bytes() == before


async def test_a_damaged_session_goes_on_after_an_explicit_repair(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    path.write_bytes(b"".join(flipped(path.read_bytes().splitlines(keepends=True))))
    before = path.read_bytes()
    async with sessions_in(tmp_path) as sessions:
        await sessions.open("s1")
        backup = await sessions.repair("s1")
        assert backup.read_bytes() == before
        session = await sessions.open("s1")
        assert session.read_only is None
        session.append("user/message", user("x"))
    assert verify(path) == []


async def test_a_newer_format_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    path.write_bytes(header_line(Header(9, "s1", 1, "/w")))
    before = path.read_bytes()
    async with sessions_in(tmp_path) as sessions:
        for way in (sessions.open, sessions.inspect):
            with pytest.raises(DataError) as caught:
                await way("s1")
            assert caught.value.code == "FORMAT_NEWER"
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["absent", "..", "a/b", ""])
async def test_what_is_not_there_cannot_be_opened(tmp_path: Path, name: str) -> None:
    async with sessions_in(tmp_path) as sessions:
        for way in (sessions.open, sessions.inspect):
            with pytest.raises(DataError) as caught:
                await way(name)
            assert caught.value.code == "SESSION_NOT_FOUND"


async def test_an_id_is_given_away_once(tmp_path: Path) -> None:
    await stored(tmp_path, golden_turn())
    async with sessions_in(tmp_path) as sessions:
        await sessions.create(tmp_path, id="s2")
        for taken in ("s1", "s2"):
            with pytest.raises(DataError) as caught:
                await sessions.create(tmp_path, id=taken)
            assert caught.value.code == "SESSION_EXISTS"


async def test_opening_twice_gives_the_same_session(tmp_path: Path) -> None:
    await stored(tmp_path, golden_turn())
    async with sessions_in(tmp_path) as sessions:
        first = await sessions.open("s1")
        assert await sessions.open("s1") is first
        assert await sessions.inspect("s1") is first


async def test_looking_at_a_session_writes_nothing(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn()[:10])
    before = path.read_bytes()
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.inspect("s1")
        assert session.open_turn == 1
        assert sessions.live == {}
        assert await sessions.inspect("s1") is session
        with path.open("ab") as log:
            log.write(event_line(Event(10, "session/end-seed", 1, {})))
        assert (await sessions.inspect("s1")).tip == 10
        before = path.read_bytes()
        with pytest.raises(DataError):
            session.append("user/message", user("x"))
    assert path.read_bytes() == before


@pytest.mark.parametrize("strict", [True, False])
async def test_folded_states_are_the_same_from_log_and_snapshot(
    tmp_path: Path, strict: bool
) -> None:
    story = golden_turn()
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.create(tmp_path, id="s1")
        for type_, data, sources in story:
            session.append(type_, data, sources=sources)
        states, messages = session.states(), session.surface.messages()
    async with sessions_in(tmp_path, strict=strict) as sessions:
        session = await sessions.open("s1")
        assert session.states() == states
        assert session.surface.messages() == messages
        assert [e.seq for e in await session.read(3, 4)] == [3, 4, 5, 6]


HOLD = """
import anyio, sys, pathlib
from unit.session.story import golden_turn, sessions_in, tell, user

async def main():
    home = pathlib.Path(sys.argv[1])
    async with sessions_in(home) as sessions:
        session = await sessions.create(home, id="s1")
        tell(session, golden_turn())
        await session.flush()
        print("ready", flush=True)
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            session.append("user/message", user(line.strip()))
            await session.flush()
            print("said", flush=True)

anyio.run(main)
"""


def holder(home: Path) -> Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(home)]
    return Popen(command, env=environment, stdin=PIPE, stdout=PIPE, text=True)


def say(process: Popen[str], words: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(words + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "said\n"


async def test_another_process_gets_a_live_view_until_the_writer_is_gone(
    tmp_path: Path,
) -> None:
    with holder(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.open("s1")
            assert str(process.pid) in (session.read_only or "")
            assert session.tip == 21
            with pytest.raises(DataError) as caught:
                session.append("user/message", user("mine"))
            assert caught.value.code == "SESSION_READ_ONLY"
            seen: list[Event] = []
            with session.listen(seen.append):
                say(process, "hello")
                say(process, "world")
                await session.refresh()
                assert await session.refresh() == 0
            assert [event.data["content"][0]["text"] for event in seen] == [
                "hello",
                "world",
            ]
            assert (
                session.surface.messages()[-1]["content"][0] == seen[1].data["content"][0]
            )
            assert await session.read(22, 9) == seen
            process.kill()
            process.wait()
            mine = await sessions.open("s1")
            assert mine is not session
            assert mine.read_only is None
            assert mine.append("user/message", user("mine")).seq == 25
    assert verify(mine.path) == []


async def test_a_live_view_follows_by_itself(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.open("s1")
            say(process, "hello")
            with anyio.fail_after(20):
                while session.tip < 22:
                    await anyio.sleep(0.01)
            assert (await sessions.list()).rows[0].id == "s1"
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a POSIX matter")
async def test_a_folder_that_cannot_be_written_gives_a_view(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    lock = path.with_name("log.lock")
    lock.unlink()
    lock.mkdir()
    async with sessions_in(tmp_path) as sessions:
        session = await sessions.open("s1")
        assert "cannot be written" in (session.read_only or "")
        assert session.tip == 21


async def test_a_torn_tail_is_told_to_the_person_once(tmp_path: Path) -> None:
    path = await stored(tmp_path, golden_turn())
    with path.open("ab") as log:
        log.write(b'{"seq":22')
    for notice in ("9 bytes", None):
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.open("s1")
            if notice is None:
                assert session.notice is None
            else:
                assert notice in (session.notice or "")


async def test_a_live_view_waits_for_the_rest_of_a_line(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.open("s1")
            line = event_line(Event(22, "session/end-seed", 1, {}))
            for half in (line[:20], line[20:]):
                with session.path.open("ab") as log:
                    log.write(half)
                await session.refresh()
            assert session.tip == 22
        process.kill()
