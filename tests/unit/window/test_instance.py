"""Handing over to the first start: with the home's password, and in nobody's way."""

from __future__ import annotations

import json
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from dsh.data.locks import Holder, Lock
from dsh.data.paths import Home
from dsh.surfaces.window import instance as module
from dsh.surfaces.window.instance import (
    AlreadyRunning,
    Arguments,
    LockUnusable,
    Reply,
    answer_later_starts,
    claim,
    claim_or_hand_over,
    hand_over,
)

pytestmark = pytest.mark.anyio

REPLY = Reply(window=True, url="http://127.0.0.1:1/boot?t=x", origin="o", pid=7)
Answer = Callable[[Arguments], Awaitable[Reply]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.desktop.mkdir()
    return home


class First:
    """A first start that notes what later ones ask."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.asked: list[Arguments] = []

    async def answer(self, arguments: Arguments) -> Reply:
        self.asked.append(arguments)
        return REPLY

    @asynccontextmanager
    async def answering(self, answer: Answer | None = None) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(answer_later_starts, self.home, answer or self.answer)
            while not self.address.exists():
                await anyio.sleep(0.005)
            yield
            group.cancel_scope.cancel()

    @property
    def address(self) -> Path:
        return self.home.state / "instance.json"

    async def ask(self, arguments: Arguments | None = None) -> Reply | None:
        asked = arguments or Arguments()
        return await anyio.to_thread.run_sync(hand_over, self.home, asked)


async def test_a_later_start_hands_over_what_it_was_given(home: Home) -> None:
    first = First(home)
    arguments = Arguments(folder="/folders/用户 🚀", headless=True)
    async with first.answering():
        for _ in range(3):
            assert await first.ask(arguments) == REPLY
    assert first.asked == [arguments] * 3


async def test_nothing_is_left_when_it_stops(home: Home) -> None:
    first = First(home)
    async with first.answering():
        pass
    assert not list(home.state.iterdir())
    assert await first.ask() is None


async def test_address_and_socket_are_for_this_person_only(home: Home) -> None:
    first = First(home)
    async with first.answering():
        path = Path(json.loads(first.address.read_text())["path"])
        for each in (first.address, path):
            assert each.stat().st_mode & 0o077 == 0, each
        assert stat.S_ISSOCK(path.stat().st_mode)


async def send(first: First, request: bytes) -> bytes:
    """What comes back for a request as it stands."""
    path = json.loads(first.address.read_text())["path"]
    async with await anyio.connect_unix(path) as stream:
        await stream.send(request)
        await stream.send_eof()
        try:
            return await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return b""


@pytest.mark.parametrize(
    "request_",
    [
        b'{"password":"guess","arguments":{}}\n',
        b'{"password":"","arguments":{}}\n',
        '{"password":"密码","arguments":{}}\n'.encode(),
        b'{"arguments":{}}\n',
        b'{"folder":null,"headless":true}\n',
        b"\n",
        b"",
        b"[" * 50_000 + b"\n",
        b"\xff\n",
        b"x" * 100_000 + b"\n",
    ],
)
async def test_without_the_password_nobody_is_answered(
    home: Home, request_: bytes
) -> None:
    first = First(home)
    async with first.answering():
        assert await send(first, request_) == b""
        assert not first.asked
        assert await first.ask() == REPLY


async def test_a_window_that_cannot_be_raised_ends_nothing(home: Home) -> None:
    first = First(home)
    faults = 0

    async def fails(arguments: Arguments) -> Reply:
        nonlocal faults
        faults += 1
        if faults == 1:
            raise RuntimeError("the toolkit is not ready")
        return await first.answer(arguments)

    async with first.answering(fails):
        with pytest.raises(AlreadyRunning):
            await first.ask()
        assert await first.ask() == REPLY


async def test_who_connects_and_says_nothing_is_in_nobodys_way(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = First(home)
    async with first.answering():
        path = json.loads(first.address.read_text())["path"]
        idle = [socket.socket(socket.AF_UNIX) for _ in range(50)]
        for each in idle:
            each.connect(path)
        assert await first.ask() == REPLY
        for each in idle:
            each.close()


async def test_a_silent_first_is_said_to_be_silent(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HANDOVER_SECONDS", 0.1)
    first = First(home)

    async def never(_: Arguments) -> Reply:
        await anyio.sleep_forever()
        raise AssertionError

    async with first.answering(never):
        with pytest.raises(AlreadyRunning) as refusal:
            await first.ask()
    assert str(home.root) in str(refusal.value) and refusal.value.remedy


@pytest.mark.parametrize("depth", [1, 12])
async def test_a_home_with_a_long_path_is_no_obstacle(tmp_path: Path, depth: int) -> None:
    root = tmp_path.joinpath(*["very-long-folder-name"] * depth)
    home = Home(root)
    home.desktop.mkdir(parents=True)
    before = set(Path(tempfile.gettempdir()).glob("dsh-*"))
    first = First(home)
    async with first.answering():
        assert await first.ask() == REPLY
    assert set(Path(tempfile.gettempdir()).glob("dsh-*")) <= before


async def test_what_a_killed_program_left_is_no_obstacle(home: Home) -> None:
    home.state.mkdir()
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(home.state / "instance.sock"))
    dead.close()
    address = {"path": str(home.state / "instance.sock"), "password": "old"}
    (home.state / "instance.json").write_text(json.dumps(address))
    first = First(home)
    assert await first.ask() is None
    async with anyio.create_task_group() as group:
        group.start_soon(answer_later_starts, home, first.answer)
        with anyio.fail_after(10):
            while await first.ask() is None:
                await anyio.sleep(0.005)
        group.cancel_scope.cancel()
    assert first.asked


@pytest.mark.parametrize("text", ["", "{}", "7", '{"path": "/nowhere"}', "\udcff"])
async def test_an_address_that_makes_no_sense_is_none(home: Home, text: str) -> None:
    home.state.mkdir()
    (home.state / "instance.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert await First(home).ask() is None


async def test_a_home_that_holds_no_socket_costs_the_hand_over_only(home: Home) -> None:
    home.state.write_text("a file in its place")
    with anyio.fail_after(10):
        await answer_later_starts(home, First(home).answer)


def test_one_start_has_the_lock_and_the_next_hears_who(home: Home) -> None:
    first = claim(home)
    assert isinstance(first, Lock)
    with first:
        assert isinstance(claim(home), Holder)
    assert isinstance(claim(home), Lock)


async def test_who_waits_for_a_start_that_dies_becomes_the_first(home: Home) -> None:
    dying = claim(home)
    assert isinstance(dying, Lock)
    async with anyio.create_task_group() as group:
        won: list[Lock | Reply] = []

        async def start() -> None:
            won.append(
                await anyio.to_thread.run_sync(claim_or_hand_over, home, Arguments())
            )

        group.start_soon(start)
        await anyio.sleep(0.1)
        assert not won
        dying.release()
    [lock] = won
    assert isinstance(lock, Lock)
    lock.release()


def test_a_start_that_never_comes_up_is_not_waited_for_for_ever(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START_SECONDS", 0.1)
    hung = claim(home)
    assert isinstance(hung, Lock)
    with hung, pytest.raises(AlreadyRunning):
        claim_or_hand_over(home, Arguments())


def test_a_lock_that_cannot_be_opened_is_one_message_with_a_remedy(home: Home) -> None:
    home.lock.mkdir()
    with pytest.raises(LockUnusable, match="lock cannot be used") as refusal:
        claim_or_hand_over(home, Arguments())
    assert refusal.value.remedy is not None and "--home" in refusal.value.remedy
