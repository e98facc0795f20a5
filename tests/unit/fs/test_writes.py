"""Atomic publishing: rights, links, failures in the middle."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from dsh.seams.fs import CreateIfAbsent, ReplaceIfVersion, Version
from dsh_plugins.fs_local import publishing
from dsh_plugins.fs_local.folder import Folder
from dsh_plugins.fs_local.provider import LocalFileSystem
from dsh_plugins.fs_local.publishing import publish
from unit.fs.steps import digest, edit, leftovers, read, refused, write

pytestmark = pytest.mark.anyio


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_new_file_comes_with_its_folders_and_the_usual_rights(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    umask = os.umask(0o027)
    try:
        file = tmp_path / "new/deep/file.txt"
        written = await write(fs, file, "hello\n")
    finally:
        os.umask(umask)
    assert written.operation == "create"
    assert written.before is None
    assert file.read_bytes() == b"hello\n"
    assert mode_of(file) == 0o640
    assert leftovers(tmp_path) == []


async def test_without_nameless_files_it_is_the_same(
    fs: LocalFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "_unnamed", lambda *_: None)
    file = tmp_path / "a/file"
    await write(fs, file, "one\n")
    await edit(fs, file, "one", "two")
    assert file.read_text() == "two\n"
    refuse = OSError(errno.EPERM, "no hard links here")
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", raising(refuse))
        await write(fs, tmp_path / "b", "three\n")
        (tmp_path / "c").write_text("theirs\n")
        with (
            Folder.open(tmp_path) as folder,
            refused("FS_NOT_OBSERVED", tmp_path / "c"),
        ):
            publish(folder, "c", b"mine\n", None)
    assert (tmp_path / "b").read_text() == "three\n"
    assert leftovers(tmp_path) == []


def raising(error: OSError) -> Callable[..., None]:
    def call(*_: object, **__: object) -> None:
        raise error

    return call


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4755])
async def test_a_changed_file_keeps_its_rights(
    fs: LocalFileSystem, tmp_path: Path, mode: int
) -> None:
    file = tmp_path / "script.sh"
    file.write_text("old\n")
    file.chmod(mode)
    await edit(fs, file, "old", "new")
    assert mode_of(file) == mode
    await write(fs, file, "newer\n")
    assert mode_of(file) == mode


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
async def test_a_changed_file_keeps_its_owner(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "theirs"
    file.write_text("old\n")
    os.chown(file, 12345, 54321)
    await edit(fs, file, "old", "new")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


async def test_a_read_only_file_is_reported_not_replaced(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "locked"
    file.write_text("old\n")
    file.chmod(0o444)
    with refused("FS_PERMISSION_DENIED", file):
        await edit(fs, file, "old", "new")
    with refused("FS_PERMISSION_DENIED", file):
        await write(fs, file, "new\n")
    assert mode_of(file) == 0o444


async def test_a_link_stays_a_link_and_its_target_changes(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.write_text("old\n")
    link = tmp_path / "link"
    link.symlink_to("real")
    await edit(fs, link, "old", "new")
    await write(fs, link, await read(fs, link) + "more\n")
    assert link.is_symlink()
    assert real.read_text() == "new\nmore\n"
    one, other = await fs.resolve(str(link)), await fs.resolve(str(real))
    assert one.key == other.key


async def test_a_write_to_a_dangling_link_makes_its_target(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to("later")
    target = await fs.resolve(str(link))
    await fs.write_text(target, "now\n", CreateIfAbsent())
    assert link.is_symlink()
    assert (tmp_path / "later").read_text() == "now\n"


async def test_a_circle_of_links_is_an_error_not_a_hang(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with refused("FS_IO_ERROR"):
        await read(fs, tmp_path / "a")


async def test_guards_are_kept(fs: LocalFileSystem, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("theirs\n")
    target = await fs.resolve(str(file))
    with refused("FS_NOT_OBSERVED", file):
        await fs.write_text(target, "mine\n", CreateIfAbsent())
    with refused("FS_STALE_VERSION", file):
        await fs.write_text(target, "mine\n", ReplaceIfVersion(Version("1:2:3:4:5")))
    info = await fs.stat(target)
    assert info is not None
    await fs.write_text(target, "mine\n", ReplaceIfVersion(info.version))
    gone = await fs.resolve(str(tmp_path / "gone"))
    with refused("FS_STALE_VERSION"):
        await fs.write_text(gone, "mine\n", ReplaceIfVersion(info.version))


async def test_a_file_of_the_same_size_and_time_has_another_version(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("one\n")
    target = await fs.resolve(str(file))
    first, times = await fs.stat(target), file.stat()
    file.write_text("two\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    second = await fs.stat(target)
    assert first is not None
    assert second is not None
    assert first.version != second.version


def test_a_competitor_between_look_and_publish_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("competitor\n")
    (tmp_path / "link").symlink_to("nowhere")
    with Folder.open(tmp_path) as folder:
        for name in ("file", "link"):
            with refused("FS_NOT_OBSERVED", tmp_path / "file"):
                publish(folder, name, b"mine\n", None)
        before = (tmp_path / "file").stat()
        (tmp_path / "file").write_text("changed again\n")
        with refused("FS_STALE_VERSION", tmp_path / "file"):
            publish(folder, "file", b"mine\n", before)
    assert (tmp_path / "link").is_symlink()
    assert leftovers(tmp_path) == []


async def test_a_write_that_fails_in_the_middle_leaves_the_old_file(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("x" * 1_000_000)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limits[1]))
    try:
        with refused("FS_IO_ERROR", file):
            await write(fs, file, "y" * 5_000_000)
        with refused("FS_IO_ERROR", file):
            await write(fs, tmp_path / "a/b/new", "y" * 5_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert leftovers(tmp_path) == []
    assert not (tmp_path / "a").exists()


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    file = tmp_path / "file"
    versions = [b"a" * 300_000, b"b" * 200_000]
    file.write_bytes(versions[0])
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from dsh_plugins.fs_local.folder import Folder
        from dsh_plugins.fs_local.publishing import publish
        file = Path(sys.argv[1])
        with Folder.open(file.parent) as folder:
            print("ready", flush=True)
            for round in range(100_000):
                data = [b"a" * 300_000, b"b" * 200_000][round % 2]
                publish(folder, file.name, data, folder.look(file.name))
                if round % 40 == 39:
                    print(round, flush=True)
    """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for killed in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", script, str(file)],
            stdout=subprocess.PIPE,
            env=environment,
        ) as child:
            assert child.stdout is not None
            for _ in range(2 + killed):  # 40 whole writes between two lines
                assert child.stdout.readline()
            child.kill()
        assert file.read_bytes() in versions


async def test_a_refused_write_makes_no_folders(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    for odd in (tmp_path / "file/below", tmp_path / "new" / ("n" * 300)):
        with refused("FS_NOT_FOUND", tmp_path / "file"):
            await write(fs, odd, "y")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert digest(tmp_path / "file")
