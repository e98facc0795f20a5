"""One choice sets sandbox mode and approval policy, and the model is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from dsh.data.paths import Home
from dsh.kernel import Kernel, plugin
from dsh.runtime.prompt import Contexts, context_texts
from dsh.runtime.session import Session, Sessions
from dsh.runtime.session.plugin import sessions
from dsh.seams.permissions import Permissions
from dsh.seams.sandbox import Mode, Policy, SandboxPolicy
from dsh_plugins.permissions import permissions

pytestmark = pytest.mark.anyio


class Modes(SandboxPolicy):
    """The session's own mode, else the one that protects."""

    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        return Policy(mode or "workspace-write", Path("/ws"), temp=Path("/tmp/none"))

    def mode_of(self, session: object) -> Mode:
        stored = cast("Session", session).sandbox_mode
        return cast("Mode", stored or "workspace-write")


async def test_a_mode_is_three_facts_in_the_log(tmp_path: Path) -> None:
    @plugin
    async def place() -> AsyncIterator[Home]:
        yield Home(tmp_path / "home")

    @plugin
    async def policies() -> AsyncIterator[SandboxPolicy]:
        yield Modes()

    async with Kernel() as kernel:
        with kernel.root.offered(Contexts, Contexts(kernel.root)):
            for body in (place, policies, sessions, permissions):
                kernel.root.mount(body.name, body)
            await kernel.settled()
            session = await kernel.root.get(Sessions).create(tmp_path)
            provider = kernel.root.get(Permissions)
            contexts = kernel.root.get(Contexts)
            assert provider.mode_of(session) == "workspace-write"
            asking = context_texts(contexts, session)["approval:policy"]
            provider.set_mode(session, "danger-full-access")
            provider.set_mode(session, "danger-full-access")  # is so already
            assert context_texts(contexts, session)["approval:policy"] != asking
            provider.set_mode(session, "read-only")
            assert context_texts(contexts, session)["approval:policy"] == asking
            assert [(e.type, *e.data.values()) for e in await session.read(0, 10)] == [
                ("sandbox/mode", "danger-full-access"),
                ("approval/policy", "never"),
                ("permission/preset", "danger-full-access"),
                ("sandbox/mode", "read-only"),
                ("approval/policy", "ask"),
                ("permission/preset", "read-only"),
            ]
            await kernel.close()
