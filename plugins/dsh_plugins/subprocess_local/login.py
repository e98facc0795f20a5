"""The PATH that a person's login shell sets up.

A program started from an icon gets the session's bare PATH, without what the person's
shell start files add (node, cargo, pyenv …).
"""

from __future__ import annotations

import os
import pwd
import secrets
from collections.abc import Mapping
from pathlib import Path

import anyio

from dsh.seams.subprocess import SpawnFailed, SpawnSpec, Subprocess

_PATIENCE = 3.0  # seconds; start files may wait for anything
_MOST = 256 * 1024
_BARE = frozenset(
    f"{root}/{name}"
    for root in ("", "/usr", "/usr/local")
    for name in ("bin", "sbin", "games")
) | {"/snap/bin"}


def looks_bare(environ: Mapping[str, str]) -> bool:
    """Whether PATH is a session's own: no shell was in between, and nothing added."""
    entries = set(environ.get("PATH", "").split(":")) - {""}
    return not environ.get("SHLVL") and entries <= _BARE


async def login_path(subprocess: Subprocess) -> str | None:
    """Ask the login shell for its PATH; ``None`` when it does not answer in time.

    Start files may print, read or hang: the answer stands between two marks, input is
    empty, and the shell is ended with its whole tree.
    """
    mark = secrets.token_hex(12)
    question = f"printf %s {mark}; env; printf %s {mark}"  # the same in every shell
    spec = SpawnSpec(
        [_login_shell(), "-ilc", question],
        Path.home(),
        subprocess.environment(),
        stdout_max=_MOST,
        stderr_max=0,
        grace=0.25,
    )
    try:
        with anyio.move_on_after(_PATIENCE):
            async with subprocess.spawn(spec) as process:
                await process.wait()
                return _answer(process.collected()[0].text, mark)
    except SpawnFailed:
        pass  # the account's shell does not exist: there is nothing to ask
    return None


def _login_shell() -> str:
    shell = os.environ.get("SHELL") or pwd.getpwuid(os.getuid()).pw_shell
    return shell or "/bin/sh"


def _answer(text: str, mark: str) -> str | None:
    parts = text.split(mark)
    if len(parts) != 3:
        return None
    for line in parts[1].splitlines():
        name, _, value = line.partition("=")
        if name == "PATH" and value:
            return value
    return None
