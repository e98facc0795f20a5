"""How agents come to be and go: a transaction at one end, order at the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from dsh.errors import CompositionError, DataError
from dsh.kernel import Scope
from dsh.runtime.agent import (
    AgentCreated,
    AgentDisposed,
    Agents,
    AgentStatus,
)
from dsh.runtime.models import Route
from dsh.runtime.presets import AgentPresets
from dsh.runtime.session import Session, Sessions
from dsh.runtime.tools import Tools
from support.agents import Echo, Runtime, kinds, log_of, runtime
from support.scripted import Scripted, calls, says, texts

pytestmark = pytest.mark.anyio


class Presets(AgentPresets):
    """Two presets with a scope each, and one that cannot be applied."""

    default = "standard"

    def __init__(self) -> None:
        self.scopes: dict[str, Scope] = {}
        self.joins = 0

    def joined(self, preset: str | None) -> AbstractAsyncContextManager[Scope]:
        return self._joined(preset or self.default)

    @asynccontextmanager
    async def _joined(self, preset: str) -> AsyncIterator[Scope]:
        if preset == "broken":
            raise CompositionError("its file is not a list of rows")
        self.joins += 1
        try:
            yield self.scopes[preset]
        finally:
            self.joins -= 1


@asynccontextmanager
async def with_presets(
    folder: Path, model: Scripted
) -> AsyncIterator[tuple[Runtime, Presets]]:
    presets = Presets()
    services = ((AgentPresets, presets),)
    async with runtime(folder, model, services=services) as host:
        for name in ("standard", "minimal"):
            presets.scopes[name] = host.root.child(f"preset {name}")
        yield host, presets


async def test_agents_have_the_tools_of_their_preset_and_no_others(
    tmp_path: Path,
) -> None:
    model = Scripted(says("1"), says("2"))
    async with with_presets(tmp_path, model) as (host, presets):
        of_standard = host.root.get(Tools).at(presets.scopes["standard"])
        with of_standard.add("echo", Echo()):  # type: ignore[arg-type]  # a tool of any arguments
            first = await host.agents.create(host.folder)
            second = await host.agents.create(host.folder, preset="minimal")
            await host.say(first, "a")
            await host.say(second, "b")
        assert [bool(request.tools) for request in model.requests] == [True, False]
        assert first.session.header.preset == "standard"
        assert presets.joins == 2
        await host.agents.close(first.id)
        assert presets.joins == 1


async def test_a_preset_that_cannot_be_applied_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    async with with_presets(tmp_path, Scripted()) as (host, _):
        with pytest.raises(CompositionError):
            await host.agents.create(host.folder, preset="broken")
        assert host.agents.live() == []
        assert host.sessions.live == {}
    assert not [*tmp_path.rglob("log.jsonl")]


async def test_a_new_agent_takes_the_model_and_mode_it_is_given(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        route = Route("scripted", "special")
        agent = await host.agents.create(host.folder, route=route, mode="read-only")
        assert agent.route == route
        assert agent.session.sandbox_mode == "read-only"
        await host.say(agent, "hi")
        assert host.model.requests[0].model == "special"


async def test_listeners_follow_an_agent_through_its_life(tmp_path: Path) -> None:
    told: list[tuple[object, ...]] = []
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        with (
            host.events.on(AgentCreated, lambda f: told.append(("created", f.source))),
            host.events.on(AgentDisposed, lambda f: told.append(("disposed",))),
            host.events.on(
                AgentStatus, lambda f: told.append((f.status, f.turn, f.step))
            ),
        ):
            agent = await host.agent()
            await host.say(agent, "hi")
            await host.agents.close(agent.id)
    assert told == [
        ("created", "startup"),
        ("running", None, None),
        ("running", 1, None),
        ("running", 1, 1),
        ("idle", None, None),
        ("disposed",),
    ]


async def test_unloading_the_service_stops_every_agent_and_frees_its_session(
    tmp_path: Path,
) -> None:
    running = asyncio.Event()

    async def forever() -> None:
        running.set()
        await asyncio.Event().wait()

    async with runtime(tmp_path, Scripted([forever])) as host:
        before = asyncio.all_tasks()
        agent = await host.agent()
        idle = await host.agent()
        agent.followup("go")
        await running.wait()
        await host.root.mounts["agents"].close()
        assert host.root.find(Agents) is None
        assert asyncio.all_tasks() <= before
        assert host.sessions.live == {}
        stored = await host.sessions.inspect(agent.id)
        assert stored.ended == "aborted"
        with pytest.raises(DataError):
            await host.sessions.inspect(idle.id)


async def test_a_session_that_cannot_be_found_has_no_agent(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted()) as host:
        with pytest.raises(DataError) as caught:
            await host.agents.resume("session-nowhere")
        assert caught.value.code == "SESSION_NOT_FOUND"
        assert host.agents.live() == []


async def test_a_session_held_by_another_program_is_refused(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as first:
        agent = await first.agent()
        await first.say(agent, "hi")
        await agent.session.flush()
        async with runtime(tmp_path, Scripted()) as second:
            with pytest.raises(DataError) as caught:
                await second.agents.resume(agent.id)
            assert caught.value.code == "SESSION_READ_ONLY"
        await first.agents.close(agent.id)
        async with runtime(tmp_path, Scripted(says("yes"))) as third:
            again = await third.agents.resume(agent.id)
            await third.say(again, "still there?")
            assert texts(again.session.surface.messages())[-1] == "yes"


async def test_a_log_that_fails_in_mid_turn_ends_the_turn_and_not_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Scripted(calls(("echo", {})), says("ok"), says("fine"))
    async with runtime(tmp_path, model, tool=Echo()) as host:
        agent = await host.agent()
        real = Session.append

        def failing(session: Session, type_: str, data: dict[str, object]) -> object:
            if type_ in ("tool/call", "step/end", "turn/end"):
                raise DataError("no space left", code="SESSION_WRITE_FAILED")
            return real(session, type_, data)

        monkeypatch.setattr(Session, "append", lambda s, t, d, **_: failing(s, t, d))
        await host.say(agent, "go")
        assert agent.status == "idle"
        monkeypatch.undo()
        other = await host.agent()
        await host.say(other, "hi")
        assert kinds(await log_of(other.session))[-1] == "turn/end"
        assert host.root.get(Sessions).live.keys() == {agent.id, other.id}
