"""Real folders, and the providers over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.seams.sandbox import Mode, Policy, SandboxPolicy
from dsh_plugins.fs_local.provider import ConfinedFileSystem, LocalFileSystem
from dsh_plugins.fs_local.writing import Limits

LIMITS = Limits(text=64 << 20, compared=10 << 20)


class Rooms:
    """A workspace with a program's home and a stranger's folder beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace = root / "ws"
        self.outside = root / "outside"
        self.temp = root / "temp"
        self.home = root / "home"
        self.hidden = self.home / "desktop"
        for folder in (self.workspace, self.outside, self.temp, self.hidden):
            folder.mkdir(parents=True)
        (self.outside / "secret.txt").write_text("outside\n")
        (self.hidden / "credentials.yaml").write_text("key: hidden\n")
        (self.home / "AGENTS.md").write_text("home\n")

    def policy(
        self, mode: Mode = "workspace-write", workspace: Path | None = None
    ) -> Policy:
        return Policy(
            mode,
            workspace or self.workspace,
            temp=self.temp,
            hidden=(self.hidden,),
            read_only=(self.home,),
        )


class OnePolicy(SandboxPolicy):
    """The policy of a session that chose a mode."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def resolve(self, session: object | None, mode: Mode | None = None) -> Policy:
        return self._policy.widened(mode) if mode else self._policy

    def mode_of(self, session: object) -> Mode:
        return self._policy.mode


@pytest.fixture
def rooms(tmp_path: Path) -> Rooms:
    return Rooms(tmp_path)


@pytest.fixture
def fs() -> LocalFileSystem:
    return LocalFileSystem(LIMITS)


@pytest.fixture
def confined(rooms: Rooms) -> ConfinedFileSystem:
    return ConfinedFileSystem(LIMITS, OnePolicy(rooms.policy()))
