"""Small files that only their owner may read, replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dsh.data import locks
from dsh.data.clock import monotonic
from dsh.errors import DataError

_PAUSE = 0.02  # seconds between two attempts


class FileBusy(DataError):
    """Another process has held the lock of a file for too long."""

    code = "FILE_BUSY"


def make_private(folder: Path) -> list[Path]:
    """Make a folder and its parents, for this user only; returns what is to be synced."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for new in reversed(missing):
        with suppress(FileExistsError):  # another process was faster, which is as good
            new.mkdir(mode=0o700)
    return [folder, *reversed(missing)] if missing else []


def write_private(path: Path, data: bytes) -> None:
    """Replace the file by ``data``, mode 0600; readers see the old or the new text.

    A link is followed, so that a file kept elsewhere stays there. Raises ``OSError``.
    """
    target = path.resolve()
    make_private(target.parent)
    # mkstemp makes the file with mode 0600, whatever the umask says.
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  # it is a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _replace(Path(name), target)
    except BaseException:
        with suppress(FileNotFoundError):  # already moved into place
            Path(name).unlink()
        raise


def _replace(source: Path, target: Path) -> None:
    # On Windows a reader that has the file open makes this fail for a moment.
    for _ in range(50):
        try:
            source.replace(target)
        except PermissionError:
            if os.name != "nt":
                raise
            time.sleep(_PAUSE)
        else:
            return
    source.replace(target)


@contextmanager
def edited_alone(path: Path, seconds: float = 10.0) -> Iterator[None]:
    """Keep every other process that uses this block away from ``path``.

    For worker threads: it blocks. Raises :class:`FileBusy` after ``seconds``.
    """
    make_private(path.parent)
    end = monotonic() + seconds
    lock = path.with_name(f".{path.name}.lock")
    while isinstance(held := locks.take(lock, path.name), locks.Holder):
        if monotonic() > end:
            message = f"{held} has been changing {path} for {seconds:g} s"
            raise FileBusy(message, remedy="End that program, then try again.")
        time.sleep(_PAUSE)
    with held:
        yield
