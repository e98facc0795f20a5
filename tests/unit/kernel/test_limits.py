"""Plugins that hang: they are cancelled, named and left behind; the rest goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest

from dsh.errors import code_of
from dsh.kernel import Kernel, Limits, StartTimedOut, plugin
from unit.kernel.parts import SHORT, Problems, Shell, chained, phase, provider

pytestmark = pytest.mark.anyio


async def test_a_hung_start_is_cancelled_and_says_so(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []

    @plugin
    async def hung() -> AsyncIterator[None]:
        async with anyio.create_task_group():
            try:
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.lowlevel.checkpoint()
                story.append("cleaned up")
        yield

    mount = kernel.mount(kernel.root, "hung", hung, limits=SHORT)
    await mount.settled()
    assert phase(mount) == "failed"
    assert isinstance(mount.error, StartTimedOut)
    assert problems == [("hung", mount.error)]
    assert story == ["cleaned up"]


async def test_closing_does_not_wait_for_a_start(kernel: Kernel) -> None:
    @plugin
    async def hung() -> AsyncIterator[None]:
        await anyio.sleep_forever()
        yield

    mount = kernel.root.mount("hung", hung)
    await anyio.wait_all_tasks_blocked()
    await mount.close()
    assert phase(mount) == "gone"


async def test_a_hung_stop_is_named_and_does_not_hold_up_its_siblings(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []
    never = anyio.Event()

    @plugin
    async def hung(shell: Shell) -> AsyncIterator[None]:
        try:
            yield
            await never.wait()
        finally:
            await anyio.lowlevel.checkpoint()  # the cancellation is delivered once
            story.append("hung released")

    kernel.root.mount("shell", provider(Shell, story))
    kernel.mount(kernel.root, "hung", hung, limits=SHORT)
    kernel.root.mount("sibling", chained("sibling", [Shell], None, story))
    await kernel.settled()
    await kernel.close()
    assert story.index("sibling down") < story.index("hung released")
    assert "shell down" in story
    assert problems.rows == ["hung"]
    assert code_of(problems[0][1]) == "STOP_TIMED_OUT"


async def test_who_overruns_its_grace_holds_up_its_provider_no_longer(
    kernel: Kernel, problems: Problems
) -> None:
    shell_down = anyio.Event()

    @plugin
    async def shell() -> AsyncIterator[Shell]:
        yield Shell()
        shell_down.set()

    @plugin
    async def hung(shell: Shell) -> AsyncIterator[None]:
        try:
            yield
            await anyio.sleep_forever()
        finally:
            await shell_down.wait()

    kernel.root.mount("shell", shell)
    kernel.mount(kernel.root, "hung", hung, limits=Limits(grace=0.05, abandon=30))
    await kernel.settled()
    with anyio.fail_after(10):
        await kernel.close()
    assert problems.rows == ["hung"]


async def test_grace_begins_when_the_last_lease_is_back(
    kernel: Kernel, problems: Problems
) -> None:
    grace = asyncio.Event()

    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        yield
        await grace.wait()

    shell = kernel.mount(kernel.root, "shell", provider(Shell), limits=SHORT)
    kernel.mount(kernel.root, "tool", tool, limits=Limits(grace=30))
    await kernel.settled()
    shell.discard()
    asyncio.get_running_loop().call_later(SHORT.grace * 3, grace.set)
    await shell.gone()
    assert problems == []


async def test_a_plugin_that_ignores_its_cancellation_is_left_behind(
    kernel: Kernel, problems: Problems
) -> None:
    end = anyio.Event()
    ended = anyio.Event()

    @plugin
    async def deaf(shell: Shell) -> AsyncIterator[None]:
        yield
        while not end.is_set():
            try:
                await end.wait()
            except asyncio.CancelledError:  # it is deaf
                continue
        ended.set()

    story: list[str] = []
    kernel.root.mount("shell", provider(Shell, story))
    mount = kernel.mount(kernel.root, "deaf", deaf, limits=SHORT)
    await kernel.settled()
    await kernel.close()
    assert phase(mount) == "gone"
    assert problems.rows == ["deaf"]
    assert code_of(problems[0][1]) == "STOP_TIMED_OUT"
    assert story == ["shell up", "shell down"]
    end.set()
    await ended.wait()


async def test_a_start_that_ignores_its_cancellation_fails_and_recovers_when_it_ends(
    kernel: Kernel, problems: Problems
) -> None:
    ends = [anyio.Event()]

    @plugin
    async def deaf(shell: Shell) -> AsyncIterator[None]:
        while ends and not ends[0].is_set():
            try:
                await ends[0].wait()
            except asyncio.CancelledError:  # it is deaf
                continue
        yield

    story: list[str] = []
    shell = kernel.root.mount("shell", provider(Shell, story))
    mount = kernel.mount(kernel.root, "deaf", deaf, limits=SHORT)
    await anyio.wait_all_tasks_blocked()
    shell.restart()
    await mount.settled()
    assert phase(mount) == "failed"
    assert problems.rows == ["deaf"]
    await shell.settled()
    assert story == ["shell up", "shell down", "shell up"]
    ends.pop().set()
    await kernel.settled()
    await anyio.wait_all_tasks_blocked()
    assert phase(mount) == "active"


async def test_a_deaf_start_is_given_up_however_often_it_is_disturbed(
    kernel: Kernel, problems: Problems
) -> None:
    end = anyio.Event()
    loop = asyncio.get_running_loop()

    @plugin
    async def deaf() -> AsyncIterator[None]:
        disturb()
        while not end.is_set():
            try:
                await end.wait()
            except asyncio.CancelledError:  # it is deaf
                continue
        yield

    def disturb() -> None:
        if not end.is_set():
            mount.restart()
            loop.call_later(SHORT.abandon / 2, disturb)

    mount = kernel.mount(kernel.root, "deaf", deaf, limits=SHORT)
    with anyio.fail_after(5):
        await mount.settled()
    assert problems.rows == ["deaf"]
    end.set()


async def test_a_deaf_start_does_not_keep_the_kernel_from_closing(
    kernel: Kernel, problems: Problems
) -> None:
    end = anyio.Event()

    @plugin
    async def deaf() -> AsyncIterator[None]:
        while not end.is_set():
            try:
                await end.wait()
            except asyncio.CancelledError:  # it is deaf
                continue
        yield

    mount = kernel.mount(kernel.root, "deaf", deaf, limits=SHORT)
    await mount.settled()
    assert phase(mount) == "failed"
    await kernel.close()
    assert problems.rows == ["deaf"]
    end.set()
    await anyio.wait_all_tasks_blocked()
