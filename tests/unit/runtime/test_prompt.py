"""The system prompt and the snapshot of the runtime context."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from dsh.runtime.prompt import Context, Contexts, Section, Sections
from dsh_plugins.persona import persona
from support.agents import Echo, Runtime, log_of, runtime
from support.scripted import Scripted, calls, says, texts

pytestmark = pytest.mark.anyio


async def system(host: Runtime) -> str:
    agent = await host.agent()
    await host.say(agent, "hi")
    return host.model.requests[-1].system


async def test_sections_are_sorted_and_empty_ones_left_out(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        sections = host.root.get(Sections)
        with ExitStack() as stack:
            for order, text in ((5, "last"), (-1, "first"), (3, " ")):
                stack.enter_context(sections.add(f"s{order}", Section(order, text)))
            own = Section(1, lambda session: f"in {session.cwd.name}")
            stack.enter_context(sections.add("own", own))
            found = await system(host)
    expected = ["first", f"You are tested in {host.folder} as model.", "in work", "last"]
    assert found == "\n\n".join(expected)


async def test_an_agent_sees_the_nearest_section_of_a_name(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        nearer = host.root.get(Sections).at(agent.scope)
        with nearer.add("test", Section(0, "only for you")):
            await host.say(agent, "hi")
    assert host.model.requests[0].system == "only for you"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{cwd}} {{provider}}", "{work} scripted"),
        ("a {{ b { c }", "a {{ b { c }"),
        ("{{unknown}}", None),
        ("{{Bad-name}}", None),
    ],
)
async def test_variables_are_strict_and_stray_braces_stay(
    tmp_path: Path, text: str, expected: str | None
) -> None:
    async with runtime(tmp_path, Scripted(says("ok"))) as host:
        agent = await host.agent()
        sections = host.root.get(Sections).at(agent.scope)
        with sections.add("test", Section(0, text)):
            await host.say(agent, "hi")
        last = (await log_of(agent.session))[-1].data["reason"]
    if expected is None:
        assert last["error"]["code"] == "PROMPT_VARIABLE"
    else:
        wanted = expected.replace("{work}", str(host.folder))
        assert host.model.requests[0].system == wanted


async def test_the_runtime_context_is_sent_again_only_when_it_changed(
    tmp_path: Path,
) -> None:
    mode = "writable"
    rounds = [calls(("echo", {})), *[says("ok")] * 4]
    async with runtime(tmp_path, Scripted(*rounds), tool=Echo()) as host:
        contexts = host.root.get(Contexts)
        agent = await host.agent()
        with contexts.add("sandbox", Context(110, lambda _: mode)):
            await host.say(agent, "a")
            await host.say(agent, "b")
            mode = "read-only"
            await host.say(agent, "c")
            mode = ""
            await host.say(agent, "d")
        shown = texts(host.model.requests[-1].messages)
        session_id = agent.id
    assert shown[:2] == ["a", "The state of things from here on:\n\nwritable"]
    assert len([text for text in shown if "The state of things" in text]) == 2
    assert shown[-1].startswith("The runtime context given earlier")
    model = Scripted(says("ok"), says("ok"))
    async with runtime(tmp_path, model) as host:
        agent = await host.agents.resume(session_id)
        await host.say(agent, "e")
        assert texts(model.requests[0].messages)[-1] == "e"


async def test_the_persona_names_model_and_folder(tmp_path: Path) -> None:
    async with runtime(tmp_path, Scripted(says("ok")), persona) as host:
        found = await system(host)
    assert found.startswith("You are the agent in DSH Desktop")
    assert "the model model of scripted" in found
    assert str(host.folder) in found
    assert "{{" not in found
