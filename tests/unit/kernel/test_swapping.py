"""What happens when a provider, a config or a row is replaced."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
import pytest
from pydantic import BaseModel

from dsh.kernel import Kernel, Mount, plugin
from unit.kernel.parts import Files, Problems, Search, Shell, chained, phase, provider

pytestmark = pytest.mark.anyio


class Colour(BaseModel, frozen=True):
    """A config."""

    name: str = "red"


def standing(kernel: Kernel, story: list[str]) -> Mount:
    """shell → files → tool, and search beside them; returns the shell."""
    shell = kernel.root.mount("shell", provider(Shell, story))
    kernel.root.mount("files", chained("files", [Shell], Files, story))
    kernel.root.mount("tool", chained("tool", [Files], None, story))
    kernel.root.mount("search", chained("search", (), Search, story))
    return shell


async def test_a_swapped_provider_restarts_its_dependants_and_nobody_else(
    kernel: Kernel,
) -> None:
    story: list[str] = []
    shell = standing(kernel, story)
    await kernel.settled()
    story.clear()
    shell.discard()
    kernel.root.mount("other", chained("other", (), Shell, story))
    await kernel.settled()
    # A consumer that finds its provider stopped would say "down without".
    assert story == [
        *("tool down", "files down", "shell down"),
        *("other up", "files up", "tool up"),
    ]


async def test_a_consumer_can_still_call_its_provider_while_it_stops(
    kernel: Kernel,
) -> None:
    answers: list[str] = []
    asked = anyio.Event()

    @plugin
    async def shell() -> AsyncIterator[Shell]:
        served = Shell("shell")
        yield served
        served.alive = False

    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        yield
        await asked.wait()
        answers.append(f"{shell.maker} {shell.alive}")

    mount = kernel.root.mount("shell", shell)
    kernel.root.mount("tool", tool)
    await kernel.settled()
    mount.discard()
    await anyio.wait_all_tasks_blocked()
    assert phase(mount) == "stopping"
    asked.set()
    await mount.gone()
    assert answers == ["shell True"]


async def test_another_config_restarts_the_plugin_and_its_dependants(
    kernel: Kernel,
) -> None:
    story: list[str] = []

    @plugin
    async def shell(config: Colour) -> AsyncIterator[Shell]:
        story.append(f"{config.name} up")
        yield Shell()
        story.append(f"{config.name} down")

    mount = kernel.root.mount("shell", shell)
    kernel.root.mount("tool", chained("tool", [Shell], None, story))
    await kernel.settled()
    mount.update({"name": "blue"})
    await kernel.settled()
    assert story == [
        *("red up", "tool up", "tool down", "red down"),
        *("blue up", "tool up"),
    ]


async def test_a_replacement_waits_until_the_old_mount_is_gone(kernel: Kernel) -> None:
    story: list[str] = []
    release = anyio.Event()

    @plugin
    async def slow() -> AsyncIterator[Shell]:
        yield Shell()
        await release.wait()
        story.append("old gone")

    kernel.root.mount("shell", slow)
    await kernel.settled()
    kernel.root.mounts["shell"].discard()
    new = kernel.root.mount("shell", provider(Shell, story))
    await anyio.wait_all_tasks_blocked()
    assert (phase(new), story) == ("waiting", [])
    release.set()
    await new.settled()
    assert (phase(new), story) == ("active", ["old gone", "shell up"])


async def test_an_optional_consumer_waits_for_the_replacement(kernel: Kernel) -> None:
    given: list[str] = []

    @plugin
    async def tool(shell: Shell | None) -> AsyncIterator[None]:
        given.append(shell.maker if shell else "nothing")
        yield

    old = kernel.root.mount("old", chained("old", (), Shell))
    kernel.root.mount("tool", tool)
    await kernel.settled()
    old.discard()
    new = kernel.root.mount("new", chained("new", (), Shell))
    await kernel.settled()
    new.discard()
    await kernel.settled()
    assert given == ["old", "new", "nothing"]


async def test_a_start_that_became_stale_is_cancelled_and_begins_anew(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []
    go = anyio.Event()

    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        story.append(f"begins with {shell.maker}")
        try:
            await go.wait()
        except BaseException:
            story.append(f"cancelled with {shell.alive}")
            raise
        yield

    old = kernel.root.mount("old", chained("old", (), Shell))
    mount = kernel.root.mount("tool", tool)
    await anyio.wait_all_tasks_blocked()
    old.discard()
    kernel.root.mount("new", chained("new", (), Shell))
    await anyio.wait_all_tasks_blocked()
    go.set()
    await kernel.settled()
    assert story == ["begins with old", "cancelled with True", "begins with new"]
    assert phase(mount) == "active"
    assert problems == []


async def test_an_interrupt_that_comes_too_late_skips_no_release(kernel: Kernel) -> None:
    story: list[str] = []

    @plugin
    async def tool() -> AsyncIterator[None]:
        kernel.root.mounts["tool"].discard()  # without an await before the yield
        yield
        await anyio.lowlevel.checkpoint()
        story.append("released")

    await kernel.root.mount("tool", tool).gone()
    assert story == ["released"]


async def test_closing_the_kernel_stops_consumers_first(
    kernel: Kernel, problems: Problems
) -> None:
    story: list[str] = []
    standing(kernel, story)
    await kernel.settled()
    story.clear()
    await kernel.close()
    story.remove("search down")
    assert story == ["tool down", "files down", "shell down"]
    await kernel.close()
    assert kernel.report() == []
    assert problems == []
