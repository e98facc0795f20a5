"""Bash command lines without confinement."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
from pydantic import BaseModel, Field

from dsh.data import clock
from dsh.errors import RunError
from dsh.kernel import plugin
from dsh.seams.sandbox import Confinement
from dsh.seams.shell import (
    Output,
    SandboxFacts,
    Shell,
    ShellCommand,
    ShellRequest,
    ShellResult,
)
from dsh.seams.subprocess import Process, ProcessEnd, SpawnFailed, SpawnSpec, Subprocess

# No colours, no pagers, no questions: there is no terminal.
_TERMINAL = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}


class BashConfig(BaseModel, frozen=True, defer_build=True):
    """Limits of a command. Times in seconds, sizes in bytes."""

    timeout: float = Field(default=60.0, gt=0)
    max_timeout: float = Field(default=600.0, gt=0)
    output_bytes: int = Field(default=64_000, ge=0)  # kept of each stream
    spill_bytes: int = Field(default=64 * 1024 * 1024, ge=0)  # stored of each stream
    grace: float = Field(default=3.0, ge=0)  # between the polite signal and the kill


class LocalBash(Shell):
    """``bash -c`` through the subprocess seam."""

    def __init__(self, subprocess: Subprocess, config: BashConfig) -> None:
        self._subprocess = subprocess
        self._config = config
        self._bash: Path | None = None

    def resolve(self, request: ShellRequest) -> ShellCommand:
        wanted = self._config.timeout if request.timeout is None else request.timeout
        if not math.isfinite(wanted) or wanted <= 0:
            raise RunError("the timeout must be a positive number", code="BAD_TIMEOUT")
        if "\0" in request.command:
            raise RunError("a command cannot contain NUL", code="BAD_COMMAND")
        return ShellCommand(
            request.command,
            _folder(request.workdir or Path.cwd()),
            min(wanted, self._config.max_timeout),
            dict(request.env or {}),
            request.policy,
            request.spill,
        )

    async def run(
        self, command: ShellCommand, output: Output | None = None
    ) -> ShellResult:
        argv = [str(await self._executable()), "-c", command.command]
        confinement = await self._confine(argv, command)
        begun = clock.monotonic()
        spec = self._spec(argv, command, confinement)
        async with self._subprocess.spawn(spec) as process:
            end, timed_out = await _to_the_end(process, command.timeout, output)
        if not end.ran and end.exit_code and not timed_out:
            raise await self._runner_failure()
        stdout, stderr = process.collected()
        denials = confinement.denials if confinement else ()
        denied = bool(end.exit_code) and _says(stderr.text, denials)
        return ShellResult(
            exit_code=end.exit_code,
            signal=end.signal,
            timed_out=timed_out,
            aborted=False,  # a cancelled run has no result
            timeout=command.timeout,
            seconds=clock.monotonic() - begun,
            stdout=stdout,
            stderr=stderr,
            sandbox=self._facts(command, confinement, denied=denied),
        )

    # -- for the provider that confines --------------------------------------------

    async def _confine(
        self, argv: list[str], command: ShellCommand
    ) -> Confinement | None:
        """How to confine the command; not at all here."""
        del argv, command
        return None

    async def _runner_failure(self) -> Exception:
        return SpawnFailed("the command could not be started")

    def _facts(
        self, command: ShellCommand, confinement: Confinement | None, *, denied: bool
    ) -> SandboxFacts | None:
        del command, confinement, denied
        return None

    # -------------------------------------------------------------------------------

    async def _executable(self) -> Path:
        if self._bash is None:
            self._bash = await self._subprocess.find("bash")
        if self._bash is None:
            raise SpawnFailed("bash is not installed", remedy="Install bash.")
        return self._bash

    def _spec(
        self, argv: list[str], command: ShellCommand, confinement: Confinement | None
    ) -> SpawnSpec:
        temp = {"TMPDIR": str(command.policy.temp)} if command.policy else {}
        own = {"DSH_SHELL": "1", **temp}
        return SpawnSpec(
            confinement.argv if confinement else argv,
            command.workdir,
            self._subprocess.environment({**_TERMINAL, **command.env, **own}),
            stdout_max=self._config.output_bytes,
            stderr_max=self._config.output_bytes,
            grace=self._config.grace,
            spill=command.spill,
            spill_max=self._config.spill_bytes,
            confine=confinement.rules if confinement else None,
        )


async def _to_the_end(
    process: Process, timeout: float, output: Output | None
) -> tuple[ProcessEnd, bool]:
    """Wait for the command, at most ``timeout`` seconds; whether it ran out of time."""
    timed_out = False
    async with anyio.create_task_group() as tasks:
        if output is not None:
            tasks.start_soon(_watch, process, output)
        with anyio.move_on_after(timeout) as scope:
            await process.wait()
        if scope.cancelled_caught:
            timed_out = True
            await process.terminate()
        end = await process.wait()
    return end, timed_out


async def _watch(process: Process, output: Output) -> None:
    async for stream, text in process.output():
        output(stream, text)


def _folder(path: Path) -> Path:
    """The folder to run in. Never another one instead: a command must not hit what it
    was not meant for.
    """
    if not path.is_absolute():
        raise RunError(f"{path} is not an absolute path", code="BAD_WORKDIR")
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise RunError(f"the working folder {path} {what}", code="BAD_WORKDIR")
    return path


def _says(text: str, signatures: tuple[str, ...]) -> bool:
    lowered = text.lower() if signatures else ""
    return any(signature in lowered for signature in signatures)


@plugin
async def bash_local(subprocess: Subprocess, config: BashConfig) -> AsyncIterator[Shell]:
    """Offer bash with all the rights of the person."""
    yield LocalBash(subprocess, config)
