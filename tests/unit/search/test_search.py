"""Finding files and text with the real ripgrep over real, odd trees."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import ValidationError

from dsh.data.json import encode
from dsh.data.paths import Home
from dsh.kernel import Kernel, plugin
from dsh.runtime.prompt import Sections
from dsh.runtime.session import Session, Sessions
from dsh.runtime.session.plugin import sessions
from dsh.runtime.tools import Execution, Outcome, SearchCard, ToolError, Tools
from dsh.seams.sandbox import Mode, Policy, SandboxPolicy
from dsh.seams.subprocess import Collected, ProcessEnd
from dsh_plugins.fs_local import fs_confined
from dsh_plugins.spill_local import spill_local
from dsh_plugins.subprocess_local.plugin import subprocess_local
from dsh_plugins.tool_search import SearchConfig, tool_search
from dsh_plugins.tool_search.engine import bundled, judged

pytestmark = pytest.mark.anyio


class Kept(SandboxPolicy):
    """The home's own data is hidden."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        return Policy(
            mode or "workspace-write",
            self._root / "ws",
            temp=self._root / "temp",
            hidden=(self._root / "home/desktop",),
            read_only=(self._root / "home",),
        )

    def mode_of(self, session: object) -> Mode:
        return "workspace-write"


class Desk:
    def __init__(self, kernel: Kernel, session: Session, workspace: Path) -> None:
        self.tools = kernel.root.get(Tools)
        self.sections = kernel.root.get(Sections)
        self.session = session
        self.workspace = workspace

    async def call(self, tool_name: str, **arguments: object) -> Outcome:
        tool = self.tools.get(tool_name)
        assert tool is not None
        execution = Execution(
            self.session, "call-1", tool_name, "{}", arguments, 1, 1, lambda *_: None
        )
        return await tool.run(tool.arguments.model_validate(arguments), execution)

    async def paths(self, **arguments: object) -> list[str]:
        text = (await self.call("glob", **arguments)).text
        return [] if text == "No files found" else text.split("\n")

    def card(self, tool_name: str, outcome: Outcome) -> SearchCard:
        tool = self.tools.get(tool_name)
        assert tool is not None
        card = tool.present_result({}, outcome.text, outcome.meta, failed=False).model
        assert isinstance(card, SearchCard)
        return card


@asynccontextmanager
async def at_a_desk(root: Path, **config: int) -> AsyncIterator[Desk]:
    @plugin
    async def home() -> AsyncIterator[Home]:
        yield Home(root / "home")

    @plugin
    async def policies() -> AsyncIterator[SandboxPolicy]:
        yield Kept(root)

    workspace = root / "ws"
    for folder in (workspace, root / "temp", root / "home/desktop"):
        folder.mkdir(parents=True, exist_ok=True)
    async with Kernel() as kernel:
        with (
            kernel.root.offered(Tools, Tools(kernel.root)),
            kernel.root.offered(Sections, Sections(kernel.root)),
        ):
            plugins = (home, policies, sessions, fs_confined, subprocess_local)
            for body in (*plugins, spill_local):
                kernel.root.mount(body.name, body)
            kernel.root.mount("search", tool_search, SearchConfig(**config))
            await kernel.settled()
            session = await kernel.root.get(Sessions).create(workspace)
            yield Desk(kernel, session, workspace)
            await kernel.close()


def touch(root: Path, *names: str, content: str = "") -> None:
    for age, name in enumerate(reversed(names)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        os.utime(path, (1_000_000 + age, 1_000_000 + age))


async def test_files_are_found_by_name_newest_first(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(desk.workspace, "new.py", "src/a.py", "src/deep/b.py", "src/c.txt")
        touch(desk.workspace, ".git/x.py", "node_modules/m.py", ".hidden/h.py", "old.py")
        (desk.workspace / ".gitignore").write_text("node_modules\n")
        found = await desk.paths(pattern="*.py")
        assert set(found) == {
            "new.py",
            "src/a.py",
            "src/deep/b.py",
            "node_modules/m.py",
            ".hidden/h.py",
            "old.py",
        }
        assert await desk.paths(pattern="src/**/*.py") == ["src/a.py", "src/deep/b.py"]
        assert await desk.paths(pattern="*.py", path="src/deep") == ["src/deep/b.py"]
        assert await desk.paths(pattern=f"{desk.workspace}/src/*.txt") == ["src/c.txt"]
        assert await desk.paths(pattern="nothing*") == []
        (tmp_path / "outside").mkdir()
        touch(tmp_path / "outside", "o.py")
        assert await desk.paths(pattern="*.py", path="../outside") == [
            str(tmp_path / "outside/o.py")
        ]


async def test_text_is_found_by_file_and_line(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(desk.workspace, "b.py", content="import os\n\nprint(os.name)\n")
        touch(desk.workspace, "a.txt", content="an os\r\n")
        outcome = await desk.call("grep", pattern=r"\bos\b")
        assert outcome.text == (
            "Found 3 matches\n\na.txt\nLine 1: an os\n\n"
            "b.py\nLine 1: import os\nLine 3: print(os.name)"
        )
        card = desk.card("grep", outcome)
        assert [(f.path, [m.line for m in f.matches]) for f in card.files] == [
            ("a.txt", [1]),
            ("b.py", [1, 3]),
        ]
        one = await desk.call("grep", pattern="import", include="*.{py,ts}")
        assert one.text.startswith("Found 1 match\n")
        assert (await desk.call("grep", pattern="os", path="b.py")).text.startswith(
            "Found 2 matches"
        )
        none = await desk.call("grep", pattern="zebra")
        assert none.text == "No matches found"
        assert desk.card("grep", none).total == 0


@pytest.mark.parametrize("pattern", ["--files", "-e", "-- x", "$(touch evil)", "`id`;"])
async def test_a_hostile_pattern_is_only_a_pattern(tmp_path: Path, pattern: str) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(desk.workspace, "-flag", "a b", content=f"{pattern}\n")
        before = sorted(os.listdir(desk.workspace))  # noqa: PTH208  # names
        literal = "".join(f"\\{c}" if c in "$()`" else c for c in pattern)
        outcome = await desk.call("grep", pattern=literal)
        assert desk.card("grep", outcome).total == 2
        await desk.call("glob", pattern=pattern)
        assert sorted(os.listdir(desk.workspace)) == before  # noqa: PTH208  # names
        assert (await desk.call("grep", pattern=literal, path="-flag")).text.startswith(
            "Found 1 match"
        )


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("grep", {"pattern": "a("}, "SEARCH_INVALID_PATTERN"),
        ("glob", {"pattern": "a["}, "SEARCH_INVALID_PATTERN"),
        ("grep", {"pattern": "a", "include": "[z"}, "SEARCH_INVALID_PATTERN"),
        ("grep", {"pattern": "a", "path": "none"}, "FS_NOT_FOUND"),
        ("glob", {"pattern": "a", "path": "pipe"}, "FS_NOT_REGULAR_FILE"),
        ("grep", {"pattern": "a", "path": "/dev/zero"}, "FS_NOT_REGULAR_FILE"),
        ("grep", {"pattern": "a", "path": "../home/desktop"}, "FS_SANDBOX_DENIED"),
        ("grep", {"pattern": "a", "path": "link/f.yaml"}, "FS_SANDBOX_DENIED"),
        ("grep", {"pattern": "a", "path": "/proc/self/environ"}, "FS_SANDBOX_DENIED"),
    ],
)
async def test_what_cannot_be_searched_says_why(
    tmp_path: Path, name: str, arguments: dict[str, object], code: str
) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(desk.workspace, "file")
        touch(tmp_path / "home/desktop", "f.yaml", content="a\n")
        (desk.workspace / "link").symlink_to(tmp_path / "home/desktop")
        os.mkfifo(desk.workspace / "pipe")
        with pytest.raises(ToolError) as caught:
            await desk.call(name, **arguments)
        assert caught.value.code == code


@pytest.mark.parametrize("include", ["!*.py", "*.py,*.ts", " ", "a,b"])
async def test_include_is_one_positive_glob(tmp_path: Path, include: str) -> None:
    async with at_a_desk(tmp_path) as desk:
        with pytest.raises(ValidationError):
            await desk.call("grep", pattern="a", include=include)


async def test_the_programs_data_is_never_found(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(tmp_path / "home/desktop", "a.yaml", "sub/b.yaml", content="secret\n")
        touch(tmp_path / "home", "c.yaml", content="secret\n")
        for path in ("..", "../home", str(tmp_path)):
            found = await desk.call("grep", pattern="secret", path=path)
            assert desk.card("grep", found).total == 1, found.text
            named = await desk.paths(pattern="**/*.yaml", path=path)
            assert named == [str(tmp_path / "home/c.yaml")]
            included = await desk.call(
                "grep", pattern="secret", path=path, include="desktop/**"
            )
            assert included.text == "No matches found"


async def test_a_tree_with_anything_in_it_is_searched_to_its_end(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path) as desk:
        odd = desk.workspace / os.fsdecode(b"\xff\xfe.txt")
        odd.write_bytes(b"x \xff\n")
        (desk.workspace / 'a\n"b" 😀.txt').write_text("x 1\n")
        os.mkfifo(desk.workspace / "pipe")
        (desk.workspace / "zero").symlink_to("/dev/zero")
        (desk.workspace / "up").symlink_to("..")
        with (desk.workspace / "sparse").open("wb") as file:
            file.truncate(3 << 30)
        with anyio.fail_after(60):  # a guard against hanging, not a measurement
            found = await desk.call("grep", pattern="x")
            named = await desk.paths(pattern="**")
        assert found.text == (
            'Found 2 matches\n\na\\x0a"b" 😀.txt\nLine 1: x 1\n\n'
            "\\xff\\xfe.txt\nLine 1: (line is not valid UTF-8)"
        )
        assert set(named) == {"\\xff\\xfe.txt", 'a\\x0a"b" 😀.txt', "sparse"}
        encode([found.text, named])  # what the log must be able to hold


async def test_a_long_list_is_cut_and_kept_whole_for_the_agent(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path, glob_results=5, grep_matches=7) as desk:
        touch(desk.workspace, *(f"f{n:02}.txt" for n in range(20)), content="x\nx\n")
        outcome = await desk.call("glob", pattern="*.txt")
        card = desk.card("glob", outcome)
        assert (len(card.paths), card.total, card.truncated) == (5, 20, True)
        assert "(Showing 5 of 20 paths. All of it is stored at: " in outcome.text
        stored = Path(outcome.text.split("stored at: ")[1].split(". Use read")[0])
        assert len(stored.read_text().splitlines()) == 20
        found = await desk.call("grep", pattern="x")
        assert found.text.startswith("Found 7 of 40 matches\n\nf00.txt\n")
        card = desk.card("grep", found)
        assert sum(len(file.matches) for file in card.files) == 7
        assert (card.total, card.truncated) == (40, True)


async def test_long_lines_and_too_much_output_are_bounded(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path, grep_line_bytes=10, raw_bytes=5_000) as desk:
        touch(desk.workspace, "a", content="é" * 9 + "\n")
        outcome = await desk.call("grep", pattern="é")
        assert outcome.text.endswith("Line 1: ééééé (line truncated)")
        touch(desk.workspace, "b", content="é\n" * 1_000)
        with pytest.raises(ToolError) as caught:
            await desk.call("grep", pattern="é")
        assert caught.value.code == "SEARCH_RAW_OUTPUT_OVERFLOW"


async def test_a_place_that_cannot_be_opened_does_not_spoil_the_rest(
    tmp_path: Path,
) -> None:
    if os.getuid() != 0:  # root may open everything, so it is told what others see
        async with at_a_desk(tmp_path) as desk:
            touch(desk.workspace, "a.txt", "closed/b.txt", content="x\n")
            (desk.workspace / "closed").chmod(0)
            outcome = await desk.call("grep", pattern="x")
            assert outcome.text.endswith("(Places that could not be looked at: 1)")
            assert desk.card("grep", outcome).total == 1
    output = tmp_path / "output"
    output.write_bytes(b"found")
    said = "rg: ./closed: Permission denied (os error 13)\n"
    out, err = Collected("", 5, 0, output), Collected(said, len(said), 0, None)
    found = judged(ProcessEnd(2, None), out, err, 100)
    assert (found.output, found.skipped) == (b"found", 1)
    for fatal in ("rg: unrecognized flag --x\n", ""):
        with pytest.raises(ToolError) as caught:
            judged(ProcessEnd(2, None), out, Collected(fatal, 1, 0, None), 100)
        assert caught.value.code == "SEARCH_FAILED"
    with pytest.raises(ToolError):
        judged(ProcessEnd(None, "SIGKILL"), out, Collected("", 0, 0, None), 100)


async def test_a_cancelled_search_leaves_nothing_running(tmp_path: Path) -> None:
    async with at_a_desk(tmp_path) as desk:
        touch(desk.workspace, "a", content="x\n")
        with anyio.CancelScope() as scope:
            scope.cancel()
            await desk.call("grep", pattern="x")
        assert scope.cancelled_caught
        assert (await desk.call("grep", pattern="x")).text.startswith("Found 1 match")


async def test_both_tools_explain_themselves_and_bear_odd_replays(
    tmp_path: Path,
) -> None:
    async with at_a_desk(tmp_path) as desk:
        orders = {name: s.order for name, s in desk.sections.items().items()}
        assert orders == {"tool:glob": 103, "tool:grep": 104}
        for tool in desk.tools.items().values():
            assert tool.timeout == 30.0
            metas: list[Any] = [None, {}, {"total": "x"}]  # Any: what an old log holds
            for meta in metas:
                assert tool.present_result({"pattern": 3}, "odd", meta, failed=False)
                assert tool.present_result({}, "", meta, failed=True)
            assert tool.present_call({})


def test_the_program_that_came_along_is_found() -> None:
    found = bundled()
    assert found is not None
    assert found.name == "rg"
