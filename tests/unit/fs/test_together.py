"""Several changes of one file at once."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from dsh.seams.fs import FsError, ReplaceIfVersion
from dsh_plugins.fs_local.provider import LocalFileSystem
from unit.fs.steps import edit

pytestmark = pytest.mark.anyio


async def test_ten_edits_at_once_all_land(fs: LocalFileSystem, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("".join(f"line {n} old\n" for n in range(10)))
    async with anyio.create_task_group() as group:
        for n in range(10):
            group.start_soon(edit, fs, file, f"line {n} old", f"line {n} new")
    assert file.read_text() == "".join(f"line {n} new\n" for n in range(10))
    assert fs._locks == {}


async def test_of_two_writes_over_one_version_exactly_one_wins(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("old\n")
    target = await fs.resolve(str(file))
    info = await fs.stat(target)
    assert info is not None
    guard = ReplaceIfVersion(info.version)
    outcomes: list[str] = []

    async def attempt(text: str) -> None:
        try:
            await fs.write_text(target, text, guard)
        except FsError as error:
            outcomes.append(error.code)
        else:
            outcomes.append(text)

    async with anyio.create_task_group() as group:
        group.start_soon(attempt, "one\n")
        group.start_soon(attempt, "two\n")
    assert sorted(outcomes)[0] == "FS_STALE_VERSION"
    assert file.read_text() in outcomes


async def test_two_sessions_lose_no_line_that_was_reported_written(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("end\n")

    async def session(name: str) -> None:
        for n in range(20):
            await edit(fs, file, "end\n", f"{name} {n}\nend\n")

    async with anyio.create_task_group() as group:
        group.start_soon(session, "a")
        group.start_soon(session, "b")
    lines = file.read_text().splitlines()
    assert sorted(lines) == sorted(
        ["end", *(f"{name} {n}" for name in "ab" for n in range(20))]
    )
