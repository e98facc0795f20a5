"""Facts are told to all, decisions pass through wrappers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from dsh.kernel import Events, Hook, Kernel, Mount, Next, Wrapper, plugin
from unit.kernel.parts import Problems, kept, phase

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Said:
    """A fact."""

    word: str


@dataclass(frozen=True)
class Shouted(Said):
    """Another fact."""


ALLOW: Hook[str, bool] = Hook("allow")
SPELL: Hook[str, str] = Hook("spell")


async def spelled(word: str) -> str:
    return word


def adding(letter: str) -> Wrapper[str, str]:
    async def wrapper(word: str, call_next: Next[str, str]) -> str:
        return f"{letter}{await call_next(word)}{letter}"

    return wrapper


async def test_a_fact_reaches_the_listeners_of_its_own_type_in_order(
    kernel: Kernel,
) -> None:
    heard: list[str] = []
    events = kernel.root.get(Events)
    with (
        events.on(Said, lambda fact: heard.append(f"first {fact.word}")),
        events.on(Said, lambda fact: heard.append(f"second {fact.word}")),
    ):
        events.emit(Said("hello"))
        events.emit(Shouted("HELLO"))
    events.emit(Said("bye"))
    assert heard == ["first hello", "second hello"]
    assert kept(events) == 0


async def test_a_listener_that_raises_starves_nobody_and_its_plugin_is_named(
    kernel: Kernel, problems: Problems
) -> None:
    heard: list[str] = []

    def bad(fact: Said) -> None:
        raise ValueError(fact.word)

    @plugin
    async def clumsy(events: Events) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as tasks:
            await tasks.create_task(listens(events))
            with events.on(Said, bad):
                yield

    async def listens(events: Events) -> None:
        with events.on(Said, bad):
            events.emit(Said("early"))

    @plugin
    async def speaker(events: Events) -> AsyncIterator[None]:
        with events.on(Said, lambda fact: heard.append(fact.word)):
            events.emit(Said("hello"))
            yield

    clumsy_mount = kernel.root.mount("clumsy", clumsy)
    await clumsy_mount.settled()
    kernel.root.mount("speaker", speaker)
    await kernel.settled()
    assert heard == ["hello"]
    assert phase(clumsy_mount) == "active"
    assert [(row, str(error)) for row, error in problems] == [
        *(("clumsy", "early"), ("clumsy", "hello"))
    ]


async def test_an_error_of_the_frames_own_listener_goes_to_the_loop(
    kernel: Kernel, problems: Problems
) -> None:
    told: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
    try:
        events = kernel.root.get(Events)

        def bad(fact: Said) -> None:
            raise ValueError(fact.word)

        with events.on(Said, bad):
            events.emit(Said("hello"))
    finally:
        loop.set_exception_handler(None)
    assert (told, problems) == (["hello"], [])


async def test_a_watcher_that_raises_does_not_disturb_the_plugin(kernel: Kernel) -> None:
    told: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))

    def bad(mount: Mount) -> None:
        raise ValueError(mount.phase.value)

    @plugin
    async def tool() -> AsyncIterator[None]:
        yield

    stop = kernel.watch(bad)
    mount = kernel.root.mount("tool", tool)
    await mount.settled()
    stop()
    await mount.close()
    loop.set_exception_handler(None)
    assert told == ["waiting", "starting", "active"]


async def test_facts_and_decisions_reach_their_own_scope_and_those_above(
    kernel: Kernel,
) -> None:
    heard: list[str] = []
    top = kernel.root.get(Events)
    agent = kernel.root.child("agent").get(Events)
    sibling = kernel.root.child("sibling").get(Events)
    with (
        top.on(Said, lambda fact: heard.append(f"top {fact.word}")),
        agent.on(Said, lambda fact: heard.append(f"agent {fact.word}")),
        sibling.on(Said, lambda fact: heard.append(f"sibling {fact.word}")),
        agent.wrap(SPELL, adding("a")),
        sibling.wrap(SPELL, adding("s")),
        top.wrap(SPELL, adding("t")),
        agent.wrap(SPELL, adding("b")),
    ):
        agent.emit(Said("hi"))
        top.emit(Said("all"))
        assert await agent.run(SPELL, "-", spelled) == "tab-bat"
        assert await top.run(SPELL, "-", spelled) == "t-t"
    assert heard == ["top hi", "agent hi", "top all"]


async def test_a_wrapper_may_decide_without_asking_further(kernel: Kernel) -> None:
    asked: list[str] = []

    async def core(line: str) -> bool:
        asked.append(line)
        return True

    async def no_rm(line: str, call_next: Next[str, bool]) -> bool:
        return not line.startswith("rm ") and await call_next(line)

    events = kernel.root.get(Events)
    with events.wrap(ALLOW, no_rm):
        assert not await events.run(ALLOW, "rm x", core)
        assert await events.run(ALLOW, "ls", core)
    assert await events.run(ALLOW, "rm y", core)
    assert asked == ["ls", "rm y"]


async def test_a_wrapper_may_change_what_the_next_one_decides_about(
    kernel: Kernel,
) -> None:
    async def longer(word: str, call_next: Next[str, str]) -> str:
        return await call_next(word * 2)

    events = kernel.root.get(Events)
    with events.wrap(SPELL, longer):
        assert await events.run(SPELL, "ab", spelled) == "abab"


async def test_an_error_in_a_decision_reaches_whoever_asked(
    kernel: Kernel, problems: Problems
) -> None:
    async def broken(line: str, call_next: Next[str, bool]) -> bool:
        raise PermissionError(line)

    async def core(line: str) -> bool:
        return True

    events = kernel.root.get(Events)
    with events.wrap(ALLOW, broken), pytest.raises(PermissionError, match="ls"):
        await events.run(ALLOW, "ls", core)
    assert problems == []
