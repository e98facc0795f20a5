"""Rooms to break out of, for root and for a plain user."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsh.seams.sandbox import Mode, Policy
from dsh_plugins.sandbox_linux import probe
from dsh_plugins.subprocess_local.linux import Supervised, supervisor_argv
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from support.processes import World

NOBODY = 65534
trial_folders = probe._trial_folders
SYSTEM_PYTHON = "/usr/bin/python3"


class Rooms:
    """A workspace, a stranger's folder, a temp and a program's home, side by side."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workspace, self.outside = root / "workspace", root / "outside"
        self.home, self.temp = root / "home", root / "temp"
        for folder in (self.workspace, self.outside, self.temp, self.home / "desktop"):
            folder.mkdir(parents=True)
        (self.home / "desktop/credentials.yaml").write_text("secret")
        for folder in (self.workspace, self.outside):
            (folder / "file").write_text("original")
        (self.home / "AGENTS.md").write_text("home")

    def policy(self, mode: Mode = "workspace-write", *, network: bool = True) -> Policy:
        return Policy(
            mode,
            self.workspace,
            temp=self.temp,
            network=network,
            hidden=(self.home / "desktop",),
            read_only=(self.home,),
        )

    def untouched(self) -> bool:
        """Whether everything outside the workspace is as it was."""
        names = [p.name for p in (*self.outside.iterdir(), *self.home.iterdir())]
        secret = (self.home / "desktop/credentials.yaml").read_text()
        return (
            sorted(names) == ["AGENTS.md", "desktop", "file"]
            and (self.outside / "file").read_text() == "original"
            and (self.home / "AGENTS.md").read_text() == "home"
            and secret == "secret"
        )


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    """Not below pytest's own folder, which a plain user may not enter."""
    root = Path(tempfile.mkdtemp(prefix="rooms-"))
    root.chmod(0o755)
    try:
        yield Rooms(root)
    finally:
        shutil.rmtree(root)


def give_to(uid: int, root: Path) -> None:
    """Make a folder and all in it somebody's own."""
    for folder, _, files in os.walk(root):
        for name in ("", *files):
            os.chown(Path(folder) / name, uid, uid)


@contextmanager
def their_trial() -> Iterator[Path]:
    """The folders of a probe, owned by the user that the probe runs as."""
    with trial_folders() as root:
        give_to(NOBODY, root)
        yield root


def plain_user_argv() -> list[str]:
    """A supervisor that runs as nobody."""
    argv = supervisor_argv()
    if shutil.which("setpriv") is None or not Path(SYSTEM_PYTHON).exists():
        pytest.skip("another user cannot be had here")
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    return [*drop, SYSTEM_PYTHON, *argv[1:]]


@pytest.fixture(params=["own user", "plain user"])
async def world(
    request: pytest.FixtureRequest, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """The provider, as whoever runs the tests, and from root also as nobody."""
    if request.param == "own user":
        launcher = Supervised()
    elif os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    else:
        launcher = Supervised(plain_user_argv())
        monkeypatch.setattr(probe, "_trial_folders", their_trial)
        give_to(NOBODY, rooms.root)
    environ = {"PATH": os.environ.get("PATH", os.defpath), "HOME": "/"}
    try:
        yield World(LocalSubprocess(launcher, environ), launcher)
    finally:
        await launcher.close()


def python_for(world: World) -> str:
    """An interpreter that the account of this world may run. Not a link in a checkout:
    that may lie in the machine's own temp, which confined commands do not see.
    """
    own = str(Path(sys.executable).resolve())
    return SYSTEM_PYTHON if world.supervised._argv[0] == "setpriv" else own
