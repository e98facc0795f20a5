"""Contributions are layered by scope and go with the block that made them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dsh.kernel import DuplicateContribution, Kernel, Registry, plugin
from unit.kernel.parts import Problems, kept, phase

pytestmark = pytest.mark.anyio


class Tools(Registry[str, str]):
    """A registry."""


async def test_a_contribution_goes_with_its_plugin(kernel: Kernel) -> None:
    @plugin
    async def bash(tools: Tools) -> AsyncIterator[None]:
        with tools.add("bash", "runs commands"):
            yield

    tools = Tools(kernel.root)
    with kernel.root.offered(Tools, tools):
        mount = kernel.root.mount("bash", bash)
        await mount.settled()
        assert tools.items() == {"bash": "runs commands"}
        await mount.close()
        assert kept(tools) == 0


async def test_the_same_key_twice_in_one_scope_fails_the_second_plugin(
    kernel: Kernel, problems: Problems
) -> None:
    @plugin
    async def bash(tools: Tools) -> AsyncIterator[None]:
        with tools.add("bash", "runs commands"):
            yield

    tools = Tools(kernel.root)
    with kernel.root.offered(Tools, tools):
        first = kernel.root.mount("first", bash)
        await first.settled()
        second = kernel.root.mount("second", bash)
        await second.settled()
        assert (phase(first), phase(second)) == ("active", "failed")
        assert isinstance(second.error, DuplicateContribution)
        assert tools.get("bash") == "runs commands"
        await kernel.close()
    assert problems.rows == ["second"]


async def test_nearer_layers_shadow_and_siblings_do_not_see_each_other(
    kernel: Kernel,
) -> None:
    tools = Tools(kernel.root)
    agent = tools.at(kernel.root.child("agent"))
    sibling = tools.at(kernel.root.child("sibling"))
    with (
        tools.add("bash", "global"),
        tools.add("read", "global"),
        agent.add("bash", "agent"),
        sibling.add("grep", "sibling"),
    ):
        assert agent.items() == {"bash": "agent", "read": "global"}
        assert agent.get("grep") is None
        assert tools.items() == {"bash": "global", "read": "global"}
        assert kept(tools) == 4
    assert kept(tools) == 0


async def test_a_contribution_from_a_group_belongs_to_whoever_keeps_the_key(
    kernel: Kernel,
) -> None:
    @plugin
    async def bash(tools: Tools) -> AsyncIterator[None]:
        with tools.add("bash", "runs commands"):
            yield

    tools = Tools(kernel.root)
    with kernel.root.offered(Tools, tools):
        group = kernel.root.child("group", frozenset({int}))
        mount = group.mount("bash", bash)
        await mount.settled()
        assert tools.get("bash") == "runs commands"
        await mount.close()


async def test_watchers_hear_of_changes_in_every_scope(
    kernel: Kernel, problems: Problems
) -> None:
    tools = Tools(kernel.root)
    agent = tools.at(kernel.root.child("agent"))
    heard: list[list[str]] = []

    @plugin
    async def clumsy() -> AsyncIterator[None]:
        def bad() -> None:
            raise ValueError("clumsy")

        with tools.watched(bad):
            yield

    await kernel.root.mount("clumsy", clumsy).settled()
    with (
        tools.watched(lambda: heard.append(sorted(agent.items()))),
        agent.add("bash", "agent"),
        tools.add("read", "global"),
    ):
        heard.append(["both"])
    with tools.add("late", "unheard"):
        pass
    assert heard == [["bash"], ["bash", "read"], ["both"], ["bash"], []]
    assert set(problems.rows) == {"clumsy"}
