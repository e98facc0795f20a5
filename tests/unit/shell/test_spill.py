"""Private folders that commands and file tools share, and that do not pile up."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dsh.data import clock
from dsh_plugins.spill_local import folders
from dsh_plugins.spill_local.plugin import LocalSpill, _sweep

pytestmark = pytest.mark.anyio


async def test_a_folder_is_private_and_stays_the_same(tmp_path: Path) -> None:
    spill = LocalSpill(tmp_path)
    folder = spill.folder(None)
    assert spill.folder(None) == folder
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.parent.stat().st_mode & 0o777 == 0o700


async def test_a_folder_that_a_command_removed_is_made_again(tmp_path: Path) -> None:
    spill = LocalSpill(tmp_path)
    folder = spill.folder(None)
    folder.rmdir()
    assert spill.folder(None).is_dir()


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a b\u00e9/\0", "x" * 500])
async def test_any_name_stays_inside(tmp_path: Path, name: str) -> None:
    spill = LocalSpill(tmp_path)
    paths = [await spill.save_text(None, name, "some \u00e9 \udc80 text") for _ in "ab"]
    assert len(set(paths)) == 2
    for path in paths:
        assert path.parent == spill.folder(None)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_text().startswith("some \u00e9")


async def test_what_holds_nothing_is_removed_at_the_end(tmp_path: Path) -> None:
    empty, used = LocalSpill(tmp_path), LocalSpill(tmp_path)
    (empty.folder(None) / "mount/point").mkdir(parents=True)
    kept = await used.save_text(None, "name", "text")
    empty.close()
    used.close()
    assert kept.exists()
    assert len(list(tmp_path.iterdir())) == 1


def test_only_folders_of_runs_long_ago_are_swept(tmp_path: Path) -> None:
    runs: dict[str, Path] = {}
    long_ago = clock.now_ms() / 1000 - 8 * 24 * 3600
    for name, pid, old in (
        ("old", 0, True),
        ("alive", os.getpid(), True),
        ("new", 0, False),
    ):
        runs[name] = tmp_path / f"run-{pid}-{name}"
        runs[name].mkdir()
        (runs[name] / "file").touch()
        if old:
            os.utime(runs[name], (long_ago, long_ago))
    (tmp_path / "run-0-empty/session").mkdir(parents=True)
    folders.sweep(tmp_path)
    assert not (tmp_path / "run-0-empty").exists()
    assert {name: run.exists() for name, run in runs.items()} == {
        "old": False,
        "alive": True,
        "new": True,
    }


def test_many_programs_that_tidy_at_once_do_not_disturb_each_other(
    tmp_path: Path,
) -> None:
    for n in range(1_000):
        (tmp_path / f"run-0-{n}").mkdir()
    with ThreadPoolExecutor(8) as pool:
        sweeps = [pool.submit(folders.sweep, tmp_path) for _ in range(8)]
        assert [sweep.result() for sweep in sweeps] == [None] * 8
    assert list(tmp_path.iterdir()) == []


async def test_tidying_that_fails_does_not_end_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    monkeypatch.setattr("dsh_plugins.spill_local.plugin._SWEEP_AFTER", 0)
    await _sweep()


def test_a_folder_that_somebody_else_prepared_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"dsh-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"dsh-{os.getuid()}").chmod(0o777)
    root = folders.user_root()
    assert root.name != f"dsh-{os.getuid()}"
    assert root.stat().st_mode & 0o777 == 0o700
