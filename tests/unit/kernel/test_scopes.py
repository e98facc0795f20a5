"""Services resolve along the chain, nearest first; siblings never see each other."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dsh.kernel import Kernel, Scope, ServiceMissing, plugin
from unit.kernel.parts import Files, Problems, Shell, broken, chained, phase, provider

pytestmark = pytest.mark.anyio


def seen(scope: Scope) -> str | None:
    shell = scope.find(Shell)
    return shell.maker if shell is not None else None


async def test_a_nearer_offer_shadows_a_farther_one_and_siblings_see_neither(
    kernel: Kernel,
) -> None:
    preset = kernel.root.child("preset")
    agent, sibling = preset.child("agent"), preset.child("sibling")
    kernel.root.mount("shell", chained("global", (), Shell))
    agent.mount("shell", chained("near", (), Shell))
    await kernel.settled()
    assert [seen(scope) for scope in (kernel.root, preset, agent, sibling)] == [
        *("global", "global", "near", "global")
    ]


async def test_nothing_offered_below_is_seen_above(kernel: Kernel) -> None:
    agent = kernel.root.child("agent")
    agent.mount("shell", provider(Shell))
    tool = kernel.root.mount("tool", chained("tool", [Shell]))
    await kernel.settled()
    assert phase(tool) == "waiting"
    with pytest.raises(ServiceMissing):
        kernel.root.get(Shell)


async def test_a_consumer_moves_to_a_nearer_provider_and_back(kernel: Kernel) -> None:
    given: list[str] = []

    @plugin
    async def tool(shell: Shell) -> AsyncIterator[None]:
        given.append(shell.maker)
        yield

    agent = kernel.root.child("agent")
    kernel.root.mount("shell", chained("far", (), Shell))
    agent.mount("tool", tool)
    await kernel.settled()
    near = agent.mount("shell", chained("near", (), Shell))
    await kernel.settled()
    await near.close()
    await kernel.settled()
    assert given == ["far", "near", "far"]


async def test_a_failed_nearer_provider_still_shadows(
    kernel: Kernel, problems: Problems
) -> None:
    @plugin
    async def wrong() -> AsyncIterator[Shell]:
        broken(OSError("no shell here"))
        yield Shell()

    agent = kernel.root.child("agent")
    kernel.root.mount("shell", provider(Shell))
    agent.mount("shell", wrong)
    tool = agent.mount("tool", chained("tool", [Shell]))
    await kernel.settled()
    assert phase(tool) == "waiting"
    assert seen(agent) is None
    assert problems.rows == ["shell"]


async def test_only_isolated_keys_stay_inside_a_group(kernel: Kernel) -> None:
    group = kernel.root.child("group", frozenset({Files}))
    group.mount("shell", chained("shell", (), Shell))
    group.mount("files", chained("files", (), Files))
    await kernel.settled()
    assert group.find(Shell) is kernel.root.find(Shell) is not None
    assert group.find(Files) is not None
    assert kernel.root.find(Files) is None


async def test_closing_a_scope_closes_what_is_mounted_there_and_below(
    kernel: Kernel,
) -> None:
    story: list[str] = []
    kernel.root.mount("shell", provider(Shell, story))
    agent = kernel.root.child("agent")
    agent.mount("files", chained("files", [Shell], Files, story))
    agent.child("group").mount("tool", chained("tool", [Files], None, story))
    await kernel.settled()
    story.clear()
    await agent.close()
    assert story == ["tool down", "files down"]
    assert [report.row for report in kernel.report()] == ["shell"]
