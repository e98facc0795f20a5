"""Private files: whole or not at all, and one writer at a time."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from dsh.data.private_files import FileBusy, edited_alone, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_may_read_it_even_if_others_could_before(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "file"
    write_private(file, b"one")
    assert (mode(file.parent), mode(file)) == (0o700, 0o600)
    file.chmod(0o644)
    write_private(file, b"two")
    assert (file.read_bytes(), mode(file)) == (b"two", 0o600)
    assert list(file.parent.iterdir()) == [file]


def test_every_folder_on_the_way_is_the_owners_whoever_writes_first(
    tmp_path: Path,
) -> None:
    file = tmp_path / "home" / "state" / "file"
    write_private(file, b"x")
    assert (mode(file.parent), mode(file.parent.parent)) == (0o700, 0o700)


def test_a_failed_write_leaves_the_old_text_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.mkdir()  # cannot be replaced by a file
    with pytest.raises(OSError, match="file"):
        write_private(file, b"x")
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_is_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(kept)
    write_private(link, b"new")
    assert link.is_symlink()
    assert kept.read_bytes() == b"new"


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    file = tmp_path / "count"
    write_private(file, b"0")

    def add() -> None:
        for _ in range(10):
            with edited_alone(file):
                write_private(file, str(int(file.read_bytes()) + 1).encode())

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() == b"40"


def test_who_waits_too_long_is_told_by_whom(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with (
        edited_alone(file),
        pytest.raises(FileBusy, match="process"),
        edited_alone(file, seconds=0.05),
    ):
        pass
