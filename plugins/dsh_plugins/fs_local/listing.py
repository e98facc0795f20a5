"""One level of a folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dsh.seams.fs import FileType, FsEntry, FsTarget
from dsh_plugins.fs_local.failures import refused, translated
from dsh_plugins.fs_local.fence import Fence
from dsh_plugins.fs_local.folder import Folder, identity, is_file
from dsh_plugins.fs_local.names import escaped
from dsh_plugins.fs_local.paths import real_path
from dsh_plugins.fs_local.place import Place


def entries(target: FsTarget, fence: Fence | None) -> list[FsEntry]:
    """The children in name order, without what the policy hides."""
    path = Path(target.key)
    with translated(target.display):
        try:
            folder = Folder.open(path)
        except NotADirectoryError as error:
            message = f"{target.display} is not a folder"
            raise refused("FS_NOT_DIRECTORY", message) from error
        with folder:
            if fence is not None:
                fence.check_read(Place(path, target.display, folder, []))
            names = sorted(os.listdir(path))  # noqa: PTH208  # names, not paths
    found = (_entry(path, target.display, name, fence) for name in names)
    return [entry for entry in found if entry is not None]


def _entry(folder: Path, shown: str, name: str, fence: Fence | None) -> FsEntry | None:
    path = folder / name
    display = escaped(str(Path(shown)) + os.sep + name)
    with translated(display):
        try:
            info = path.stat()
        except FileNotFoundError:  # a link to nowhere, or just removed
            return FsEntry(escaped(name), "other", None, FsTarget(str(path), display))
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            return FsEntry(escaped(name), "other", None, FsTarget(str(path), display))
        if fence is not None and fence.hides(identity(info)):
            return None
        real = real_path(path) if path.is_symlink() else path
    kind: FileType = "other"
    if is_file(info):
        kind = "file"
    elif path.is_dir():
        kind = "directory"
    size = info.st_size if kind == "file" else None
    return FsEntry(escaped(name), kind, size, FsTarget(str(real), display))
