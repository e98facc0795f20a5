"""Children get the person's environment, without secrets and without the bundle's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dsh_plugins.subprocess_local import environment
from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.login import login_path, looks_bare
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from support.processes import World

BUNDLE = Path("/opt/bundle")


def test_secrets_and_our_own_names_stay_here() -> None:
    given = {
        "DEEPSEEK_API_KEY": "x",
        "GITHUB_TOKEN": "x",
        "my_password": "x",
        "CLIENT_SECRET_2": "x",
        "DSH_HOME": "x",
        "dsh_x": "x",
        "PATH": "/bin",
        "HOME": "/h",
        "LANG": "C",
    }
    kept = environment.inherited(given, None)
    assert kept == {"PATH": "/bin", "HOME": "/h", "LANG": "C"}


def test_what_the_bundle_changed_is_changed_back() -> None:
    given = {
        "LD_LIBRARY_PATH": "/opt/bundle",
        "LD_LIBRARY_PATH_ORIG": "/usr/local/lib",
        "DYLD_LIBRARY_PATH": "/opt/bundle",
        "_PYI_ARCHIVE_FILE": "x",
        "_MEIPASS2": "x",
        "PYDANTIC_DISABLE_PLUGINS": "__all__",
        "GI_TYPELIB_PATH": "/opt/bundle/gi_typelibs",
        "XDG_DATA_DIRS": "/opt/bundle/share:/usr/share",
    }
    kept = environment.inherited(given, BUNDLE)
    assert kept == {"LD_LIBRARY_PATH": "/usr/local/lib", "XDG_DATA_DIRS": "/usr/share"}


def test_without_a_bundle_the_same_names_are_the_persons_own() -> None:
    given = {"LD_LIBRARY_PATH": "/mine", "GI_TYPELIB_PATH": "/mine"}
    assert environment.inherited(given, None) == given


def test_the_login_shells_path_comes_first_and_nothing_twice() -> None:
    assert environment.merged_path("/a:/b", "/b:/c:") == "/a:/b:/c"


@pytest.mark.anyio
async def test_children_do_not_see_secrets_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "hunter2")
    launcher = Supervised()
    try:
        provider = LocalSubprocess(launcher, {"PATH": "/bin:/usr/bin", "A_TOKEN": "x"})
        world = World(provider, launcher)
        command = "env; tr '\\0' '\\n' </proc/$PPID/environ"
        run = await world.run(world.spec(command))
        assert "hunter2" not in run.out.text
        assert "A_TOKEN" not in run.out.text
        assert "PATH=/bin:/usr/bin" in run.out.text
    finally:
        await launcher.close()


@pytest.mark.anyio
@pytest.mark.parametrize("behaviour", ["prints", "hangs", "reads", "is missing"])
async def test_the_login_shell_is_asked_but_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    shell = tmp_path / "shell"
    body = {
        "prints": 'echo "PATH=/wrong"; export PATH=/right:$PATH; exec sh -c "$2"',
        "hangs": "sleep 300",
        "reads": 'read answer; export PATH=/right:$PATH; exec sh -c "$2"',
        "is missing": None,
    }[behaviour]
    if body is not None:
        shell.write_text(f"#!/bin/sh\n{body}\n")
        shell.chmod(0o755)
    monkeypatch.setenv("SHELL", str(shell))
    monkeypatch.setattr("dsh_plugins.subprocess_local.login._PATIENCE", 1.0)
    launcher = Supervised()
    try:
        found = await login_path(LocalSubprocess(launcher, {"PATH": "/bin:/usr/bin"}))
        wanted = behaviour in ("prints", "reads")
        assert found == ("/right:/bin:/usr/bin" if wanted else None)
    finally:
        await launcher.close()


def test_a_terminals_environment_is_complete_already() -> None:
    assert not looks_bare({"SHLVL": "1", "PATH": "/bin"})
    assert not looks_bare({"PATH": "/home/me/bin:/usr/bin"})
    assert looks_bare({"PATH": "/usr/local/bin:/usr/bin:/bin:/snap/bin"})


@pytest.mark.anyio
async def test_a_bare_name_is_found_on_the_childrens_path(
    world: World, tmp_path: Path
) -> None:
    found = await world.subprocess.find("bash")
    assert found is not None
    assert found.is_absolute()
    assert await world.subprocess.find("no-such-program-anywhere") is None
    assert sys.platform == "linux"
