"""The shell seam: defaults settled once, facts kept apart, never another folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dsh.errors import RunError
from dsh.seams.sandbox import (
    Mode,
    Policy,
    SandboxPolicy,
    SandboxUnavailable,
)
from dsh.seams.shell import ShellRequest, ShellResult
from dsh_plugins.sandbox_linux.plugin import LinuxSandbox, SandboxLinux
from dsh_plugins.sandbox_linux.probe import Verdicts
from dsh_plugins.shell_bash.confined import ConfinedBash
from dsh_plugins.shell_bash.local import BashConfig, LocalBash
from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from support.processes import World

pytestmark = pytest.mark.anyio


class FixedPolicy(SandboxPolicy):
    """One policy for everybody."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        return self.policy.widened(mode) if mode else self.policy

    def mode_of(self, session: object) -> Mode:
        return self.policy.mode


@pytest.fixture
async def world() -> AsyncIterator[World]:
    launcher = Supervised()
    try:
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/"}
        yield World(LocalSubprocess(launcher, environ), launcher)
    finally:
        await launcher.close()


@pytest.fixture
async def local(world: World) -> LocalBash:
    return LocalBash(world.subprocess, BashConfig())


def confined(world: World, root: Path, config: SandboxLinux, mode: Mode) -> ConfinedBash:
    workspace, temp = root / "workspace", root / "temp"
    workspace.mkdir(exist_ok=True)
    temp.mkdir(exist_ok=True)
    box = LinuxSandbox(world.subprocess, Verdicts(root / "v.json"), config)
    policies = FixedPolicy(Policy(mode, workspace, temp=temp))
    return ConfinedBash(world.subprocess, box, policies, BashConfig())


async def run(shell: LocalBash, command: str, workdir: Path) -> ShellResult:
    request = ShellRequest(command, workdir=workdir)
    return await asyncio.wait_for(shell.run(shell.resolve(request)), 30)


async def test_defaults_are_settled_by_resolve(local: LocalBash, tmp_path: Path) -> None:
    command = local.resolve(ShellRequest("x", workdir=tmp_path))
    assert (command.timeout, command.workdir, command.policy) == (60.0, tmp_path, None)
    longest = local.resolve(ShellRequest("x", workdir=tmp_path, timeout=1e9))
    assert longest.timeout == 600.0


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
async def test_a_timeout_is_a_positive_number(local: LocalBash, timeout: float) -> None:
    with pytest.raises(RunError) as refused:
        local.resolve(ShellRequest("x", workdir=Path("/"), timeout=timeout))
    assert refused.value.code == "BAD_TIMEOUT"


async def test_a_folder_that_is_none_is_refused(local: LocalBash, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, tmp_path / "gone", Path("relative")):
        with pytest.raises(RunError) as refused:
            local.resolve(ShellRequest("x", workdir=folder))
        assert refused.value.code == "BAD_WORKDIR"


async def test_a_folder_that_goes_meanwhile_is_not_replaced(
    world: World, tmp_path: Path
) -> None:
    shells = [
        LocalBash(world.subprocess, BashConfig()),
        confined(world, tmp_path, SandboxLinux(), "workspace-write"),
    ]
    for shell in shells:
        folder = tmp_path / "workspace" / "sub"
        folder.mkdir(parents=True, exist_ok=True)
        command = shell.resolve(ShellRequest("pwd; touch ran", workdir=folder))
        folder.rmdir()
        with pytest.raises(RunError):
            await shell.run(command)
    assert not list(tmp_path.rglob("ran"))


async def test_a_command_in_a_folder_outside_of_the_workspace_stays_there(
    world: World, tmp_path: Path
) -> None:
    beside = tmp_path / "beside"
    beside.mkdir()
    for config in (SandboxLinux(landlock=False), SandboxLinux(bubblewrap=[])):
        shell = confined(world, tmp_path, config, "workspace-write")
        result = await run(shell, "pwd; touch x", beside)
        assert result.stdout.text == f"{beside}\n"
        assert result.sandbox is not None
        assert result.sandbox.denied
    assert list(beside.iterdir()) == []


async def test_full_access_is_labelled_and_not_confined(
    world: World, tmp_path: Path
) -> None:
    nothing = SandboxLinux(bubblewrap=[], landlock=False)
    shell = confined(world, tmp_path, nothing, "danger-full-access")
    result = await run(shell, "touch beside", tmp_path)
    assert (tmp_path / "beside").exists()
    assert result.sandbox is not None
    facts = result.sandbox
    assert (facts.mode, facts.enforcement) == ("danger-full-access", None)


async def test_nothing_runs_where_nothing_can_confine(
    world: World, tmp_path: Path
) -> None:
    nothing = SandboxLinux(bubblewrap=[], landlock=False)
    for mode in ("read-only", "workspace-write"):
        shell = confined(world, tmp_path, nothing, mode)
        with pytest.raises(SandboxUnavailable):
            await run(shell, "touch ran", tmp_path / "workspace")
    assert not list(tmp_path.rglob("ran"))


async def test_a_runner_that_fails_is_not_taken_for_the_command(
    world: World, tmp_path: Path
) -> None:
    shell = confined(world, tmp_path, SandboxLinux(landlock=False), "workspace-write")
    gone = Policy("workspace-write", tmp_path / "gone", temp=tmp_path / "temp")
    request = ShellRequest("true", workdir=tmp_path, policy=gone)
    with pytest.raises(SandboxUnavailable):
        await shell.run(shell.resolve(request))


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("echo x > ../beside", True),
        ("echo x > ../beside; true", False),  # it went on and ended well
        ("echo 'Read-only file system'; exit 1", False),  # not an error message
        ("exit 125", False),
        ("kill -9 $$", False),
    ],
)
async def test_a_denial_is_an_error_message_of_a_command_that_failed(
    world: World, tmp_path: Path, command: str, denied: bool
) -> None:
    shell = confined(world, tmp_path, SandboxLinux(landlock=False), "workspace-write")
    result = await run(shell, command, tmp_path / "workspace")
    assert result.sandbox is not None
    assert result.sandbox.denied is denied


async def test_a_start_file_is_read_inside_the_sandbox(
    world: World, tmp_path: Path
) -> None:
    start = tmp_path / "start"
    start.write_text(f"touch {tmp_path}/escaped")
    shell = confined(world, tmp_path, SandboxLinux(landlock=False), "workspace-write")
    request = ShellRequest(
        "true", workdir=tmp_path / "workspace", env={"BASH_ENV": str(start)}
    )
    await shell.run(shell.resolve(request))
    assert not (tmp_path / "escaped").exists()
