"""The tools read, write and edit, mounted in a real kernel over real files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from pydantic import BaseModel, ValidationError

from dsh.data.paths import Home
from dsh.kernel import Kernel, plugin
from dsh.runtime.prompt import Sections
from dsh.runtime.session import Session, Sessions
from dsh.runtime.session.plugin import sessions
from dsh.runtime.tools import DiffCard, Outcome, ReadCard, Tool, ToolError, Tools
from dsh.seams.approval import Answer, Approvals
from dsh.seams.sandbox import SandboxPolicy
from dsh_plugins.fs_local import fs_confined
from dsh_plugins.fs_observation import fs_observation
from dsh_plugins.tool_fs import tool_fs
from unit.fs.conftest import OnePolicy, Rooms
from unit.fs.steps import execution

pytestmark = pytest.mark.anyio

PLUGINS = (sessions, fs_confined, fs_observation, tool_fs)


class Person(Approvals):
    """Answers the same to every question, and remembers the questions."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[dict[str, object]] = []

    async def request(
        self,
        session: object,
        tool: str,
        shown: dict[str, object],
        *,
        call_id: str | None = None,
        reason: str | None = None,
    ) -> Answer:
        self.asked.append(shown)
        return self.answer


class Desk:
    """The mounted tools and one session."""

    def __init__(self, kernel: Kernel, session: Session, person: Person) -> None:
        self.tools = kernel.root.get(Tools)
        self.sections = kernel.root.get(Sections)
        self.sessions = kernel.root.get(Sessions)
        self.session = session
        self.person = person

    async def call(self, tool_name: str, **arguments: object) -> Outcome:
        tool = self.tools.get(tool_name)
        assert tool is not None
        model = tool.arguments.model_validate(arguments)
        return await tool.run(model, execution(self.session, tool_name, arguments))


@asynccontextmanager
async def at_a_desk(rooms: Rooms, answer: Answer | None = None) -> AsyncIterator[Desk]:
    person = Person(answer or Answer("unavailable"))

    @plugin
    async def home() -> AsyncIterator[Home]:
        yield Home(rooms.home)

    @plugin
    async def policies() -> AsyncIterator[SandboxPolicy]:
        yield OnePolicy(rooms.policy())

    @plugin
    async def approvals() -> AsyncIterator[Approvals]:
        yield person

    @plugin
    async def tools() -> AsyncIterator[Tools]:
        yield Tools(kernel.root)

    @plugin
    async def sections() -> AsyncIterator[Sections]:
        yield Sections(kernel.root)

    async with Kernel() as kernel:
        for body in (home, policies, approvals, tools, sections, *PLUGINS):
            kernel.root.mount(body.name, body)
        await kernel.settled()
        assert {r.row: r.error for r in kernel.report() if r.error} == {}
        session = await kernel.root.get(Sessions).create(rooms.workspace)
        yield Desk(kernel, session, person)


async def test_a_file_is_read_edited_and_written(rooms: Rooms) -> None:
    file = rooms.workspace / "src/a.py"
    async with at_a_desk(rooms) as desk:
        made = await desk.call("write", file_path="src/a.py", content="one\ntwo\n")
        assert made.text == (
            f"<path>{file}</path>\n<type>file</type>\n<content>\nCreated file\n</content>"
        )
        await desk.call("edit", file_path=str(file), old_string="two", new_string="2")
        seen = await desk.call("read", file_path="src/a.py")
        assert seen.text == (
            f"<path>{file}</path>\n<type>file</type>\n<content>\n1: one\n2: 2\n\n"
            "(End of file - total 2 lines)\n</content>"
        )
        await desk.call("write", file_path="src/a.py", content="three\n")
    assert file.read_text() == "three\n"


async def test_what_was_not_read_is_not_changed(rooms: Rooms) -> None:
    file = rooms.workspace / "a.txt"
    file.write_text("theirs\n")
    async with at_a_desk(rooms) as desk:
        for name, extra in (
            ("edit", {"old_string": "theirs", "new_string": "x"}),
            ("write", {"content": "x"}),
        ):
            with pytest.raises(ToolError, match="read the file, then retry") as caught:
                await desk.call(name, file_path="a.txt", **extra)
            assert caught.value.code == "FS_NOT_OBSERVED"
        await desk.call("read", file_path="a.txt", limit=1)
        file.write_text("changed by somebody\n")
        with pytest.raises(ToolError, match="re-read the file") as caught:
            await desk.call("write", file_path="a.txt", content="x")
        assert caught.value.code == "FS_STALE_VERSION"
        assert file.read_text() == "changed by somebody\n"
        desk.session = await desk.sessions.create(rooms.workspace)
        with pytest.raises(ToolError) as caught:
            await desk.call("write", file_path="a.txt", content="x")
        assert caught.value.code == "FS_NOT_OBSERVED"


async def test_a_file_seen_absent_may_be_made_but_not_edited(rooms: Rooms) -> None:
    file = rooms.workspace / "a.txt"
    file.write_text("old\n")
    async with at_a_desk(rooms) as desk:
        await desk.call("read", file_path="a.txt")
        file.unlink()
        with pytest.raises(ToolError) as caught:
            await desk.call("read", file_path="a.txt")
        assert caught.value.code == "FS_NOT_FOUND"
        with pytest.raises(ToolError) as caught:
            await desk.call("edit", file_path="a.txt", old_string="old", new_string="x")
        assert caught.value.code == "FS_NOT_FOUND"
        await desk.call("write", file_path="a.txt", content="new\n")
    assert file.read_text() == "new\n"


async def test_a_denied_write_says_how_to_ask_and_lands_when_allowed(
    rooms: Rooms,
) -> None:
    secret = rooms.outside / "new.txt"
    async with at_a_desk(rooms, Answer("allowed-once")) as desk:
        with pytest.raises(ToolError, match="sandbox_permissions") as caught:
            await desk.call("write", file_path=str(secret), content="x")
        assert caught.value.code == "FS_SANDBOX_DENIED"
        assert not secret.exists()
        await desk.call(
            "write",
            file_path=str(secret),
            content="x",
            sandbox_permissions="danger-full-access",
            justification="the person wants it there",
        )
        assert secret.read_text() == "x"
        assert desk.person.asked == [
            {
                "title": f"Write {secret}",
                "path": str(secret),
                "content": "x",
                "justification": "the person wants it there",
                "cwd": str(rooms.workspace),
                "mode": "danger-full-access",
            }
        ]


@pytest.mark.parametrize("outcome", ["rejected", "cancelled", "unavailable"])
async def test_without_consent_nothing_happens(rooms: Rooms, outcome: str) -> None:
    answer = Answer(cast("object", outcome), "not there")  # type: ignore[arg-type]  # one of the literals
    async with at_a_desk(rooms, answer) as desk:
        with pytest.raises(ToolError, match="not there") as caught:
            await desk.call(
                "write",
                file_path=str(rooms.outside / "new.txt"),
                content="x",
                sandbox_permissions="danger-full-access",
                justification="please",
            )
        assert caught.value.code == f"APPROVAL_{outcome.upper()}"
    assert not (rooms.outside / "new.txt").exists()


async def test_a_mode_that_is_not_wider_is_refused_before_anybody_is_asked(
    rooms: Rooms,
) -> None:
    async with at_a_desk(rooms, Answer("allowed-once")) as desk:
        with pytest.raises(ToolError) as caught:
            await desk.call(
                "write",
                file_path="a.txt",
                content="x",
                sandbox_permissions="workspace-write",
                justification="please",
            )
        assert caught.value.code == "ESCALATION_NOT_WIDER"
        assert desk.person.asked == []


async def test_a_long_text_is_asked_about_with_a_mark_of_the_whole(rooms: Rooms) -> None:
    async with at_a_desk(rooms, Answer("rejected")) as desk:
        with pytest.raises(ToolError):
            await desk.call(
                "write",
                file_path=str(rooms.outside / "new.txt"),
                content="x" * 30_000 + "; rm -rf /",
                sandbox_permissions="danger-full-access",
                justification="please",
            )
        shown = desk.person.asked[0]
        assert shown["contentHidden"] == 10_010
        assert len(str(shown["contentSha256"])) == 64


async def test_hidden_files_are_not_offered_for_escalation(rooms: Rooms) -> None:
    async with at_a_desk(rooms) as desk:
        with pytest.raises(ToolError) as caught:
            await desk.call("read", file_path=str(rooms.hidden / "credentials.yaml"))
        assert caught.value.code == "FS_SANDBOX_DENIED"
        assert "sandbox_permissions" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "", "new_string": "x"},
        {"old_string": "x", "new_string": "x"},
        {"old_string": "x"},
        {"old_string": "x", "new_string": "y", "justification": "alone"},
        {
            "old_string": "x",
            "new_string": "y",
            "sandbox_permissions": "danger-full-access",
            "justification": "  ",
        },
    ],
)
async def test_arguments_that_make_no_sense_never_reach_the_body(
    rooms: Rooms, arguments: dict[str, object]
) -> None:
    async with at_a_desk(rooms) as desk:
        with pytest.raises(ValidationError):
            await desk.call("edit", file_path="a.txt", **arguments)


async def test_a_diff_card_shows_the_changed_places_with_context(rooms: Rooms) -> None:
    file = rooms.workspace / "a.txt"
    file.write_text("".join(f"line {n}\n" for n in range(1, 41)))
    async with at_a_desk(rooms) as desk:
        await desk.call("read", file_path="a.txt")
        arguments = {
            "file_path": "a.txt",
            "old_string": "0\n",
            "new_string": "0!\n",
            "replace_all": True,
        }
        outcome = await desk.call("edit", **arguments)
        assert "All occurrences" in outcome.text
        card = model_of(desk.tools, "edit", arguments, outcome)
        assert isinstance(card, DiffCard)
        assert [diff.line for diff in card.diffs] == [7, 17, 27, 37]
        assert card.diffs[0].oldText == "".join(f"line {n}\n" for n in range(7, 14))
        assert card.diffs[-1].newText == "line 37\nline 38\nline 39\nline 40!\n"
        odds: list[Any] = [  # Any: what an old log may hold
            None,
            {},
            {"diffs": [3]},
            {"diffs": [{"newText": 1}]},
            {"diffs": "x"},
        ]
        for odd in odds:
            tool = desk.tools.get("edit")
            assert tool is not None
            replayed = tool.present_result(arguments, "", odd, failed=False)
            assert isinstance(replayed.model, DiffCard)
            assert tool.present_result({}, "", odd, failed=False)
            assert tool.present_result({}, "", odd, failed=True)


async def test_a_read_card_is_made_from_what_the_model_saw(rooms: Rooms) -> None:
    (rooms.workspace / "a.py").write_text("import os\n\n\n12: not a number\n")
    async with at_a_desk(rooms) as desk:
        arguments: dict[str, object] = {"file_path": "a.py", "offset": 2, "limit": 3}
        outcome = await desk.call("read", **arguments)
        card = model_of(desk.tools, "read", arguments, outcome)
        assert isinstance(card, ReadCard)
        assert [(row.line, row.text) for row in card.lines] == [
            (2, ""),
            (3, ""),
            (4, "12: not a number"),
        ]
        assert (card.totalLines, card.lang) == (4, "python")


async def test_each_tool_explains_itself_in_order(rooms: Rooms) -> None:
    async with at_a_desk(rooms) as desk:
        orders = {name: s.order for name, s in desk.sections.items().items()}
        assert orders == {"tool:read": 100, "tool:write": 101, "tool:edit": 102}
        read = desk.tools.get("read")
        assert read is not None
        schema = read.arguments.model_json_schema()
        assert schema["properties"]["limit"]["maximum"] == 2000
        assert read.parallel_safe(read.arguments(file_path="a", limit=1))


def model_of(
    registry: Tools, name: str, arguments: dict[str, object], outcome: Outcome
) -> BaseModel:
    tool: Tool[BaseModel] | None = registry.get(name)
    assert tool is not None
    card = tool.present_result(arguments, outcome.text, outcome.meta, failed=False)
    return card.model
