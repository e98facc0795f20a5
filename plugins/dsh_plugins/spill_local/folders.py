"""Temporary folders that nobody else can enter, and that do not pile up."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from dsh.data import clock

_KEPT_MS = 7 * 24 * 3600 * 1000  # paths in a session's history stay good for a week


def user_root() -> Path:
    """The folder of this user's runs, 0700. One that somebody else prepared under its
    name is not used.
    """
    root = Path(tempfile.gettempdir()).resolve() / f"dsh-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    facts = root.lstat()
    if root.is_symlink() or facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        return Path(tempfile.mkdtemp(prefix=f"dsh-{os.getuid()}-"))
    return root


def new_run(root: Path) -> Path:
    """A fresh folder for one run of the program."""
    return Path(tempfile.mkdtemp(prefix=f"run-{os.getpid()}-", dir=root))


def sweep(root: Path) -> None:
    """Remove the folders of runs that ended more than a week ago, and empty ones of
    runs that were killed. Other programs of this user may do the same at this moment.
    """
    for run in list(root.glob("run-*")):
        if _alive(run):
            continue
        try:
            age = clock.now_ms() - run.lstat().st_mtime_ns // 1_000_000
        except FileNotFoundError:
            continue  # another program was faster
        if age > _KEPT_MS:
            shutil.rmtree(run, ignore_errors=True)
        else:
            remove_if_empty(run)


def remove_if_empty(run: Path) -> None:
    """Remove what holds no file; commands leave empty folders behind."""
    for folder, _, _ in os.walk(run, topdown=False):
        try:
            Path(folder).rmdir()
        except OSError:
            continue  # something is in it


def _alive(run: Path) -> bool:
    number = run.name.split("-")[1]
    return number.isdigit() and Path(f"/proc/{number}").exists()
