"""Tools as the model sees them, and when that may change."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import BaseModel, Field

from dsh.kernel import plugin
from dsh.runtime.tools import Execution, Outcome, Tool, Tools
from dsh.runtime.tools.schema import schemas_of
from support.agents import Echo, runtime
from support.scripted import Scripted, calls, says

pytestmark = pytest.mark.anyio


class Nested(BaseModel):
    """An inner thing."""

    title: str = Field(description="what it is called")


class Given(BaseModel):
    """Never shown to a model."""

    title: str
    parts: list[Nested] = []
    count: int | None = None


class Other(Tool[Given]):
    """A tool with a richer schema."""

    name: ClassVar[str] = "other"
    description: ClassVar[str] = "Other."

    @property
    def arguments(self) -> type[Given]:
        return Given

    async def run(self, arguments: Given, execution: Execution) -> Outcome:
        return Outcome("")


def test_schemas_are_sorted_and_lose_only_made_up_titles() -> None:
    first, second = schemas_of({"other": Other(), "echo": Echo()})  # type: ignore[dict-item]  # tools of any arguments
    assert [first["name"], second["name"]] == ["echo", "other"]
    assert second["parameters"] == {
        "type": "object",
        "required": ["title"],
        "properties": {
            "title": {"type": "string"},
            "parts": {
                "type": "array",
                "default": [],
                "items": {"$ref": "#/$defs/Nested"},
            },
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        },
        "$defs": {
            "Nested": {
                "type": "object",
                "description": "An inner thing.",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string", "description": "what it is called"}
                },
            }
        },
    }


async def test_the_tools_of_a_turn_do_not_change_while_it_runs(tmp_path: Path) -> None:
    @plugin
    async def late(tools: Tools):  # type: ignore[no-untyped-def]  # noqa: ANN202  # made inside the test
        with tools.add("other", Other()):  # type: ignore[arg-type]  # a tool of any arguments
            yield

    async def body(word: str, execution: Execution) -> Outcome:
        if word == "load":
            mount = host.root.mount("late", late)
            await mount.settled()
        return Outcome("done")

    model = Scripted(calls(("echo", {"word": "load"})), says("1"), says("2"))
    async with runtime(tmp_path, model, tool=Echo(body)) as host:
        agent = await host.agent()
        await host.say(agent, "a")
        await host.say(agent, "b")
    names = [[tool["name"] for tool in request.tools] for request in model.requests]
    assert names == [["echo"], ["echo"], ["echo", "other"]]
