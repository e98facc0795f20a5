"""Small files that only their owner may read, replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dsh.data import locks
from dsh.data.clock import monotonic
from dsh.errors import DataError

PRIVATE_FOLDER = 0o700
_PAUSE = 0.02  # seconds between two attempts


class FileBusy(DataError):
    """Another process has held the lock of a file for too long."""

    code = "FILE_BUSY"


def private_folder(path: Path) -> None:
    """Create the folder and its parents; the innermost is only the owner's."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write_private(path: Path, data: bytes) -> None:
    """Replace the file by ``data``, mode 0600; readers see the old or the new text.

    A link is followed, so that a file kept elsewhere stays there. Raises ``OSError``.
    """
    target = path.resolve()
    private_folder(target.parent)
    # mkstemp makes the file with mode 0600, whatever the umask says.
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  # it is a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _replace(Path(name), target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):  # already moved into place
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
    private_folder(path.parent)
    end = monotonic() + seconds
    lock = path.with_name(f".{path.name}.lock")
    while isinstance(held := locks.take(lock, path.name), locks.Holder):
        if monotonic() > end:
            raise FileBusy(f"{held} has been changing {path} for {seconds:g} s")
        time.sleep(_PAUSE)
    with held:
        yield
