"""Short ways to say what the tests do again and again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsh.runtime.session import Session
from dsh.runtime.tools import Execution
from dsh.seams.fs import FileSystem, FsEdit, FsError, FsWritten
from dsh.seams.sandbox import Policy


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def edit(
    fs: FileSystem,
    path: Path | str,
    old: str,
    new: str,
    *,
    everywhere: bool = False,
    policy: Policy | None = None,
) -> FsWritten:
    target = await fs.resolve(str(path))
    return await fs.edit_text(
        target, FsEdit(old, new, replace_all=everywhere), policy=policy
    )


async def write(
    fs: FileSystem, path: Path | str, content: str, policy: Policy | None = None
) -> FsWritten:
    return await fs.write_text(await fs.resolve(str(path)), content, policy=policy)


async def read(fs: FileSystem, path: Path | str, policy: Policy | None = None) -> str:
    return await fs.read_text(await fs.resolve(str(path)), policy)


@contextmanager
def refused(code: str, *untouched: Path) -> Iterator[pytest.ExceptionInfo[FsError]]:
    """The block is refused with this code, and these files keep every byte."""
    before = [digest(path) for path in untouched]
    with pytest.raises(FsError) as caught:
        yield caught
    assert caught.value.code == code
    assert [digest(path) for path in untouched] == before


def leftovers(folder: Path) -> list[str]:
    """What a write should have cleaned up."""
    return [path.name for path in folder.rglob(".dsh-*")]


def execution(session: Session, name: str, arguments: dict[str, object]) -> Execution:
    """A call on its way to the tool ``name``."""
    return Execution(session, "call-1", name, "{}", arguments, 1, 1, lambda *_: None)
