"""From the path of a call to the place to search, and back to paths worth reading."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import anyio.to_thread

from dsh.runtime.tools import Execution, ToolError
from dsh.seams.fs import FileSystem, FsError
from dsh.seams.sandbox import Policy, SandboxPolicy
from dsh_plugins.tool_search.engine import Root, hides, left_out

_ODD: Final = re.compile("[\x00-\x1f\x7f-\x9f\udc80-\udcff]")


class Places:
    """The folders of a session as searches see them."""

    def __init__(self, fs: FileSystem, policies: SandboxPolicy | None) -> None:
        self._fs = fs
        self._policies = policies

    async def root(self, path: str | None, execution: Execution) -> Root:
        """Where a call searches. Raises :class:`ToolError` with a code of the fs seam."""
        try:
            target = await self._fs.resolve(path or ".", execution.session.cwd)
            info = await self._fs.stat(target)
        except FsError as error:
            raise ToolError(str(error), code=error.code) from error
        shown = target.display
        if info is None:
            raise ToolError(f"{shown} does not exist", code="FS_NOT_FOUND")
        real = self._fs.process_path(target)
        policy = self._policy(execution)
        if await anyio.to_thread.run_sync(hides, policy, real):
            message = f"{shown} is hidden from this session"
            raise ToolError(message, code="FS_SANDBOX_DENIED")
        if info.type == "file":
            return Root(real.parent, real.name, ())
        if info.type != "directory":
            message = f"{shown} is neither a folder nor a regular file"
            raise ToolError(message, code="FS_NOT_REGULAR_FILE")
        hidden = await anyio.to_thread.run_sync(left_out, policy, real)
        return Root(real, None, hidden)

    def _policy(self, execution: Execution) -> Policy | None:
        if self._policies is None or not self._fs.confines:
            return None
        return self._policies.resolve(execution.session)


def shown(found: bytes, root: Root, execution: Execution) -> str:
    """A path that ripgrep gave: from the session's folder when it lies in it.

    Bytes that are not UTF-8 and control characters come as ``\\xNN``.
    """
    path = root.folder / os.fsdecode(found.removeprefix(b"./"))
    cwd = execution.session.cwd
    inside = path.is_relative_to(cwd)
    return escaped(str(path.relative_to(cwd) if inside else path))


def escaped(text: str) -> str:
    """``text`` without anything that is not plain, valid text."""

    def spelled(odd: re.Match[str]) -> str:
        return "".join(f"\\x{byte:02x}" for byte in os.fsencode(odd[0]))

    return _ODD.sub(spelled, text)


def split_absolute(pattern: str) -> tuple[str | None, str]:
    """The folder that an absolute pattern begins with, and the pattern below it."""
    if not Path(pattern).is_absolute():
        return None, pattern
    parts = Path(pattern).parts
    wild = next(
        (n for n, p in enumerate(parts) if re.search(r"[*?\[{]", p)), len(parts) - 1
    )
    return str(Path(*parts[:wild])), "/".join(parts[wild:])
