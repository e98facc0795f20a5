"""When a plugin starts, and what it is given."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import anyio
import pytest

from dsh.kernel import Kernel, plugin
from unit.kernel.parts import (
    Files,
    Problems,
    Search,
    Service,
    Shell,
    broken,
    chained,
    phase,
    phases,
    provider,
)

pytestmark = pytest.mark.anyio


async def test_a_plugin_waits_for_its_need_and_starts_when_it_comes(
    kernel: Kernel,
) -> None:
    story: list[str] = []
    tool = kernel.root.mount("tool", chained("tool", [Shell], story=story))
    await kernel.settled()
    assert phase(tool) == "waiting"
    assert tool.missing() == {"Shell": ""}
    kernel.root.mount("shell", provider(Shell, story))
    await kernel.settled()
    assert phase(tool) == "active"
    assert story == ["shell up", "tool up"]


@pytest.mark.parametrize("seed", range(20))
async def test_any_order_of_mounting_ends_in_the_same_state(
    kernel: Kernel, seed: int
) -> None:
    story: list[str] = []
    rows = {
        "shell": provider(Shell, story),
        "files": chained("files", [Shell], Files, story),
        "search": chained("search", [Files, Shell], Search, story),
        "tool": chained("tool", [Search], None, story),
        "lonely": chained("lonely", [Service], None, story),
    }
    for row in random.Random(seed).sample(sorted(rows), len(rows)):
        kernel.root.mount(row, rows[row])
    await kernel.settled()
    assert phases(kernel).pop("lonely") == "waiting"
    assert list(phases(kernel).values()).count("active") == 4
    assert story == ["shell up", "files up", "search up", "tool up"]


async def test_an_optional_need_is_waited_for_while_it_is_coming(kernel: Kernel) -> None:
    given: list[Shell | None] = []

    @plugin
    async def tool(shell: Shell | None) -> AsyncIterator[None]:
        given.append(shell)
        yield

    kernel.root.mount("tool", tool)
    kernel.root.mount("shell", chained("shell", [Files], Shell))
    kernel.root.mount("files", provider(Files))
    await kernel.settled()
    assert [shell is not None for shell in given] == [True]


async def test_an_optional_need_that_cannot_come_is_done_without(kernel: Kernel) -> None:
    given: list[Shell | None] = []

    @plugin
    async def tool(shell: Shell | None) -> AsyncIterator[None]:
        given.append(shell)
        yield

    tools = kernel.root.mount("tool", tool)
    shell = kernel.root.mount("shell", chained("shell", [Files], Shell))
    await kernel.settled()
    assert (phase(tools), phase(shell)) == ("active", "waiting")
    kernel.root.mount("files", provider(Files))
    await kernel.settled()
    assert [shell is not None for shell in given] == [False, True]


async def test_an_optional_need_is_no_longer_waited_for_once_it_failed(
    kernel: Kernel, problems: Problems
) -> None:
    go = anyio.Event()

    @plugin
    async def shell() -> AsyncIterator[Shell]:
        await go.wait()
        broken(OSError("no shell here"))
        yield Shell()

    @plugin
    async def tool(shell: Shell | None) -> AsyncIterator[None]:
        assert shell is None
        yield

    tools = kernel.root.mount("tool", tool)
    kernel.root.mount("shell", shell)
    await anyio.lowlevel.checkpoint()
    assert phase(tools) == "waiting"
    assert tools.missing() == {"Shell": "shell"}
    go.set()
    await kernel.settled()
    assert phase(tools) == "active"
    assert problems.rows == ["shell"]


async def test_an_optional_need_is_given_up_when_what_it_hangs_on_fails(
    kernel: Kernel,
) -> None:
    go = anyio.Event()

    @plugin
    async def files() -> AsyncIterator[Files]:
        await go.wait()
        broken(OSError("no files here"))
        yield Files()

    @plugin
    async def tool(shell: Shell | None) -> AsyncIterator[None]:
        yield

    kernel.root.mount("files", files)
    kernel.root.mount("shell", chained("shell", [Files], Shell))
    tools = kernel.root.mount("tool", tool)
    await anyio.wait_all_tasks_blocked()
    assert tools.missing() == {"Shell": "shell"}
    go.set()
    await anyio.wait_all_tasks_blocked()
    assert phases(kernel) == {"files": "failed", "shell": "waiting", "tool": "active"}


async def test_two_plugins_that_would_like_each_other_both_start_without(
    kernel: Kernel,
) -> None:
    given: list[object] = []

    @plugin
    async def shell(files: Files | None) -> AsyncIterator[Shell]:
        given.append(files)
        yield Shell()

    @plugin
    async def files(shell: Shell | None) -> AsyncIterator[Files]:
        given.append(shell)
        yield Files()

    kernel.root.mount("shell", shell)
    kernel.root.mount("files", files)
    await kernel.settled()
    assert set(phases(kernel).values()) == {"active"}
    assert given == [None, None]


async def test_an_optional_need_behind_oneself_does_not_restart_for_ever(
    kernel: Kernel,
) -> None:
    starts: list[str] = []

    @plugin
    async def shell(files: Files | None) -> AsyncIterator[Shell]:
        starts.append("shell")
        yield Shell()

    @plugin
    async def files(shell: Shell) -> AsyncIterator[Files]:
        starts.append("files")
        yield Files()

    kernel.root.mount("shell", shell)
    kernel.root.mount("files", files)
    await kernel.settled()
    assert starts == ["shell", "files"]


async def test_plugins_that_need_each_other_wait_and_say_for_whom(
    kernel: Kernel,
) -> None:
    one = kernel.root.mount("one", chained("one", [Files], Shell))
    two = kernel.root.mount("two", chained("two", [Shell], Files))
    await kernel.settled()
    assert (one.missing(), two.missing()) == ({"Files": "two"}, {"Shell": "one"})


async def test_a_watcher_hears_of_each_mount_even_when_it_only_waits(
    kernel: Kernel,
) -> None:
    told: list[tuple[str, str]] = []
    stop = kernel.watch(lambda mount: told.append((mount.row, mount.phase.value)))
    kernel.root.mount("tool", chained("tool", [Shell]))
    assert told == [("tool", "waiting")]
    stop()
    kernel.root.mount("files", provider(Files))
    assert told == [("tool", "waiting")]


async def test_the_report_names_needs_and_who_meets_them(kernel: Kernel) -> None:
    kernel.root.mount("shell", provider(Shell))
    kernel.root.mount("tool", chained("tool", [Shell, Files]))
    await kernel.settled()
    shell, tool = kernel.report()
    assert (shell.phase, shell.offers, shell.missing) == ("active", "Shell", {})
    assert (tool.phase, tool.offers) == ("waiting", None)
    assert tool.needs == {"Shell": "shell", "Files": ""}
    assert tool.missing == {"Files": ""}
    assert tool.scope == "global"
    assert tool.seconds >= 0


async def test_a_value_of_the_frame_meets_a_need_while_its_block_is_open(
    kernel: Kernel,
) -> None:
    tool = kernel.root.mount("tool", chained("tool", [Shell]))
    with kernel.root.offered(Shell, Shell("frame")):
        await kernel.settled()
        assert phase(tool) == "active"
        assert kernel.root.get(Shell).maker == "frame"
    await kernel.settled()
    assert phase(tool) == "waiting"
    assert kernel.root.find(Shell) is None
