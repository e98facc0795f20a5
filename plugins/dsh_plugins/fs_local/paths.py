"""From the text of a path to the identity of a file."""

from __future__ import annotations

from pathlib import Path

from dsh.seams.fs import FsTarget
from dsh_plugins.fs_local.failures import refused, translated
from dsh_plugins.fs_local.names import escaped, objection, unescaped


def absolute(path: str, cwd: Path) -> Path:
    """The path as it was meant, links not followed. Raises FS_NOT_FOUND for nonsense."""
    wrong = objection(path)
    if wrong is not None:
        raise refused("FS_NOT_FOUND", f"{escaped(path[:200])}: {wrong}")
    home = path == "~" or path.startswith(("~/", "~\\"))
    literal = Path.home() / path[2:] if home else cwd / path
    other = unescaped(path)
    if other is not None and not _exists(literal):
        meant = cwd / other
        if _exists(meant):
            return meant
    return literal


def resolved(path: str, cwd: Path) -> FsTarget:
    """Follow every link; the part that does not exist stays as it is."""
    spelled = absolute(path, cwd)
    real = real_path(spelled)
    if ".." in spelled.parts:
        spelled = real
    shown = escaped(spelled)
    blocking = _file_above(real)
    if blocking is not None:
        message = f"{shown} does not exist: {escaped(blocking)} is not a folder"
        raise refused("FS_NOT_FOUND", message)
    return FsTarget(str(real), shown)


def _file_above(path: Path) -> Path | None:
    for folder in path.parents:
        try:
            if folder.is_dir():
                return None
        except OSError:  # not ours to look at: opening it will say so
            return None
        if _exists(folder):
            return folder
    return None


def real_path(path: Path) -> Path:
    """``path`` without links and dots. Raises FS_IO_ERROR when links form a circle."""
    try:
        with translated(escaped(path)):
            return path.resolve()
    except RuntimeError as error:  # what pathlib says about a circle
        message = f"{escaped(path)} is a symbolic link that leads in a circle"
        raise refused("FS_IO_ERROR", message) from error


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except (OSError, ValueError):  # unreachable is as good as absent here
        return False
    return True
