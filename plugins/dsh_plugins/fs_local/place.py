"""Where a file is or will be: its open folder, and the folders still to be made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from dsh.seams.fs import FsTarget
from dsh_plugins.fs_local.failures import translated
from dsh_plugins.fs_local.folder import Folder


class Place:
    """``folder`` is the deepest that exists above ``path``; ``missing`` come below it."""

    __slots__ = ("folder", "missing", "name", "path", "shown")

    def __init__(
        self, path: Path, shown: str, folder: Folder, missing: list[str]
    ) -> None:
        self.path = path
        self.shown = shown
        self.folder = folder
        self.missing = missing
        self.name = path.name or "."

    def info(self) -> os.stat_result | None:
        """Facts about the file itself; ``None`` while it does not exist."""
        return None if self.missing else self.folder.look(self.name)

    @contextmanager
    def made(self) -> Iterator[Folder]:
        """The file's own folder, made as far as it was missing.

        What was made goes again when the block fails.
        """
        made: list[tuple[Folder, str]] = []
        with ExitStack() as stack:
            folder = self.folder
            try:
                for name in self.missing:
                    os.mkdir(folder.name(name), dir_fd=folder.fd)
                    made.append((folder, name))
                    folder = stack.enter_context(folder.child(name))
                yield folder
            except BaseException:  # whatever it is: nothing may have been changed
                for above, name in reversed(made):
                    with suppress(OSError):  # somebody put something in: it stays
                        os.rmdir(above.name(name), dir_fd=above.fd)
                raise


@contextmanager
def place_of(target: FsTarget) -> Iterator[Place]:
    """The place of a target. Errors of the system in the block come out translated."""
    path = Path(target.key)
    with translated(target.display), ExitStack() as stack:
        missing: list[str] = []
        above = path.parent
        while True:
            try:
                folder = stack.enter_context(Folder.open(above))
            except FileNotFoundError:
                missing.insert(0, above.name)
                above = above.parent
            else:
                break
        yield Place(path, target.display, folder, missing)
