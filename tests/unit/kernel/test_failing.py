"""A plugin that fails says why and leaves the rest running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest
from pydantic import BaseModel, ValidationError

from dsh.kernel import Kernel, NotAPlugin, Plugin, plugin
from unit.kernel.parts import Problems, Shell, broken, chained, phase, provider

pytestmark = pytest.mark.anyio


class Volume(BaseModel, frozen=True):
    """A config."""

    level: int = 1


@plugin
async def wrong() -> AsyncIterator[Shell]:
    broken(OSError("no shell here"))
    yield Shell()


@plugin
async def exits() -> AsyncIterator[None]:
    broken(SystemExit(3))
    yield


@plugin
async def cancels_itself() -> AsyncIterator[None]:
    broken(asyncio.CancelledError())
    yield


@plugin
async def never() -> AsyncIterator[None]:
    if Volume().level == 0:
        yield


@plugin
async def other_type() -> AsyncIterator[Shell]:
    yield "sh"  # type: ignore[misc]  # that is the mistake


async def test_a_failing_plugin_leaves_the_rest_running_and_says_why(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []
    failed = kernel.root.mount("wrong", wrong)
    waiting = kernel.root.mount("tool", chained("tool", [Shell]))
    kernel.root.mount("lonely", chained("lonely", (), None, story))
    await kernel.settled()
    assert phase(failed) == "failed"
    assert str(failed.error) == "no shell here"
    assert problems == [("wrong", failed.error)]
    assert waiting.missing() == {"Shell": "wrong"}
    assert story == ["lonely up"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (exits, SystemExit),
        (cancels_itself, NotAPlugin),
        (never, RuntimeError),
        (other_type, NotAPlugin),
    ],
)
async def test_whatever_a_start_raises_is_kept_as_its_error(
    kernel: Kernel, problems: Problems, body: Plugin, kind: type[BaseException]
) -> None:
    mount = kernel.root.mount("odd", body)
    await mount.settled()
    assert phase(mount) == "failed"
    assert isinstance(mount.error, kind)
    assert problems == [("odd", mount.error)]


async def test_a_plugin_that_yields_twice_is_closed_and_told_so_when_it_stops(
    kernel: Kernel, problems: Problems
) -> None:
    closed_by: list[asyncio.Task[None] | None] = []

    @plugin
    async def twice() -> AsyncIterator[None]:
        yield
        try:
            yield
        finally:
            closed_by.append(asyncio.current_task())

    mount = kernel.root.mount("twice", twice)
    await kernel.settled()
    await mount.close()
    assert closed_by == [mount.task]
    assert problems.rows == ["twice"]
    assert isinstance(problems[0][1], RuntimeError)


async def test_a_failed_plugin_tries_again_only_when_something_changed(
    kernel: Kernel,
) -> None:
    starts: list[int] = []

    @plugin
    async def tool(shell: Shell, config: Volume) -> AsyncIterator[None]:
        starts.append(config.level)
        if config.level < 3:
            broken(OSError("too low"))
        yield

    shell = kernel.root.mount("shell", provider(Shell))
    mount = kernel.root.mount("tool", tool)
    await kernel.settled()
    kernel.root.mount("stranger", chained("stranger", ()))
    await kernel.settled()
    assert starts == [1]
    mount.restart()
    await mount.settled()
    assert starts == [1, 1]
    shell.restart()
    await kernel.settled()
    assert starts == [1, 1, 1]
    mount.update({"level": 3})
    await mount.settled()
    assert (phase(mount), mount.error, starts) == ("active", None, [1, 1, 1, 3])


async def test_a_failed_plugin_whose_need_left_waits_like_any_other(
    kernel: Kernel,
) -> None:
    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        broken(OSError("no use"))
        yield

    shell = kernel.root.mount("shell", provider(Shell))
    mount = kernel.root.mount("tool", tool)
    await kernel.settled()
    assert phase(mount) == "failed"
    await shell.close()
    await kernel.settled()
    assert phase(mount) == "waiting"


async def test_a_config_that_does_not_fit_the_schema_fails_the_mount(
    kernel: Kernel, problems: Problems
) -> None:
    @plugin
    async def tool(config: Volume) -> AsyncIterator[None]:
        yield

    mount = kernel.root.mount("tool", tool, {"level": "loud"})
    plain = kernel.root.mount("plain", provider(Shell), {"level": 1})
    await kernel.settled()
    assert isinstance(mount.error, ValidationError)
    assert isinstance(plain.error, NotAPlugin)
    mount.update({"level": 2})
    await mount.settled()
    assert phase(mount) == "active"


@pytest.mark.parametrize("library", ["asyncio", "anyio"])
async def test_a_task_of_the_plugin_that_fails_stops_it_after_its_consumers(
    kernel: Kernel, problems: Problems, library: str
) -> None:
    story: list[str] = []
    go = anyio.Event()

    async def fails() -> None:
        await go.wait()
        raise OSError("gone")

    @plugin
    async def shell() -> AsyncIterator[Shell]:
        served = Shell("shell")
        try:
            if library == "anyio":
                async with anyio.create_task_group() as group:
                    group.start_soon(fails)
                    yield served
            else:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(fails())
                    yield served
        finally:
            served.alive = False
            story.append("shell down")

    @plugin
    async def consumer(shell: Shell) -> AsyncIterator[None]:
        yield
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        story.append(f"tool down while shell is {shell.alive}")

    mount = kernel.root.mount("shell", shell)
    tool = kernel.root.mount("tool", consumer)
    await kernel.settled()
    go.set()
    await anyio.wait_all_tasks_blocked()
    assert phase(mount) == "failed"
    assert isinstance(mount.error, OSError)  # not the group that wrapped it
    assert phase(tool) == "waiting"
    assert story == ["tool down while shell is True", "shell down"]
    assert problems == [("shell", mount.error)]


async def test_a_plugin_that_ends_by_itself_has_failed(kernel: Kernel) -> None:
    go = anyio.Event()

    async def cancel(scope: anyio.CancelScope) -> None:
        await go.wait()
        scope.cancel()

    @plugin
    async def tool() -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(cancel, group.cancel_scope)
            yield

    mount = kernel.root.mount("tool", tool)
    await kernel.settled()
    go.set()
    await anyio.wait_all_tasks_blocked()
    assert phase(mount) == "failed"
    assert isinstance(mount.error, NotAPlugin)


async def test_a_failing_release_is_reported_and_does_not_prevent_the_next_life(
    kernel: Kernel, problems: Problems
) -> None:
    @plugin
    async def tool() -> AsyncIterator[None]:
        yield
        raise OSError("cannot let go")

    mount = kernel.root.mount("tool", tool)
    await kernel.settled()
    mount.restart()
    await mount.settled()
    assert phase(mount) == "active"
    assert problems.rows == ["tool"]


async def test_a_start_that_fails_because_it_was_cancelled_begins_anew(
    kernel: Kernel, problems: Problems
) -> None:
    starts: list[str] = []

    @plugin
    async def tool() -> AsyncIterator[None]:
        starts.append("tool")
        if len(starts) == 1:
            try:
                await anyio.sleep_forever()
            except BaseException as error:
                raise OSError("disturbed") from error
        yield

    mount = kernel.root.mount("tool", tool)
    await anyio.wait_all_tasks_blocked()
    mount.restart()
    await mount.settled()
    assert (phase(mount), len(starts)) == ("active", 2)
    assert problems.rows == ["tool"]
    mount.restart()  # no cancellation is left over from the first life
    await mount.settled()
    assert (phase(mount), len(starts)) == ("active", 3)


async def test_a_problem_that_nobody_asked_for_goes_to_the_loop() -> None:
    told: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
    try:
        async with Kernel() as kernel:
            mount = kernel.root.mount("wrong", wrong)
            await mount.settled()
            assert told == [mount.error]
    finally:
        loop.set_exception_handler(None)


def test_a_loop_that_ends_takes_its_plugins_with_it_consumers_first() -> None:
    story: list[str] = []

    @plugin
    async def shell() -> AsyncIterator[Shell]:
        try:
            yield Shell()
        finally:
            story.append("shell down")

    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await anyio.lowlevel.checkpoint()
            story.append("tool down")

    async def main() -> None:
        kernel = Kernel()
        kernel.root.mount("shell", shell)
        kernel.root.mount("tool", tool)
        await kernel.settled()

    asyncio.run(main())
    assert story == ["tool down", "shell down"]


def test_a_loop_that_ends_while_a_row_is_being_replaced_raises_nothing() -> None:
    told: list[object] = []

    @plugin
    async def slow() -> AsyncIterator[Shell]:
        try:
            yield Shell()
        finally:
            await anyio.sleep_forever()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context))
        kernel = Kernel()
        old = kernel.root.mount("shell", slow)
        await kernel.settled()
        old.discard()
        kernel.root.mount("shell", provider(Shell))
        await anyio.wait_all_tasks_blocked()

    asyncio.run(main())
    assert told == []
