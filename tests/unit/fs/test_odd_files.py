"""Pipes, devices, endless and huge files, and names that are not text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dsh.data.json import decode, encode
from dsh_plugins.fs_local.names import escaped, objection, unescaped
from dsh_plugins.fs_local.provider import LocalFileSystem
from unit.fs.steps import edit, read, refused, write

pytestmark = pytest.mark.anyio


async def test_special_files_are_refused_without_being_opened(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "zero").symlink_to("/dev/zero")
    for special in (pipe, tmp_path / "zero", tmp_path, Path("/dev/tty")):
        with refused("FS_NOT_REGULAR_FILE"):
            await read(fs, special)
        with refused("FS_NOT_REGULAR_FILE"):
            await edit(fs, special, "a", "b")
        with refused("FS_NOT_REGULAR_FILE"):
            await write(fs, special, "b")
        with refused("FS_NOT_REGULAR_FILE"):
            await fs.read_bytes(await fs.resolve(str(special)), 10)


async def test_a_huge_file_is_refused_whole_and_bounded_in_pieces(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "huge"
    with file.open("wb") as stream:
        stream.write(b"first line\n")
        stream.truncate(3 << 30)
    target = await fs.resolve(str(file))
    with refused("FS_TOO_LARGE"):
        await fs.read_text(target)
    with refused("FS_TOO_LARGE"):
        await edit(fs, file, "first", "last")
    with refused("FS_TOO_LARGE"):
        await fs.read_bytes(target, 1000)
    with refused("FS_NOT_TEXT"):  # a hole is full of NULs
        async for _ in fs.stream_text(target):
            pass


async def test_bytes_are_bounded_at_the_exact_size(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    target = await fs.resolve(str(file))
    assert await fs.read_bytes(target, 5) == b"12345"
    with refused("FS_TOO_LARGE"):
        await fs.read_bytes(target, 4)
    proc = await fs.resolve("/proc/self/status")  # says that its size is 0
    with refused("FS_TOO_LARGE"):
        await fs.read_bytes(proc, 10)
    assert b"Name:" in await fs.read_bytes(proc, 100_000)


async def test_a_name_that_is_not_utf8_is_shown_escaped_and_can_be_used(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    for name in (b"\xff\xfe.txt", b'new\nline "and" \xf0\x9f\x98\x80', b"plain"):
        (tmp_path / os.fsdecode(name)).write_text("content\n")
    entries = await fs.list_dir(await fs.resolve(str(tmp_path)))
    names = [entry.name for entry in entries]
    assert sorted(names) == sorted([r"\xff\xfe.txt", r'new\x0aline "and" 😀', "plain"])
    for entry in entries:
        assert decode(encode(entry.target.display)) == entry.target.display
        target = await fs.resolve(entry.name, tmp_path)
        assert target.key == entry.target.key
        assert await fs.read_text(target) == "content\n"


async def test_a_literal_backslash_name_comes_first(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / r"\xff").write_text("literal\n")
    (tmp_path / os.fsdecode(b"\xff")).write_text("byte\n")
    assert await read(fs, tmp_path / r"\xff") == "literal\n"


@pytest.mark.parametrize(
    "name", ["plain", "é😀", "a\nb", os.fsdecode(b"\xff\xfe"), "\x85"]
)
def test_an_escaped_name_means_the_same_file(name: str) -> None:
    shown = escaped(name)
    assert (unescaped(shown) or shown) == name
    shown.encode()


async def test_a_listing_survives_whatever_is_in_the_folder(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/up").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").write_text("12")
    entries = await fs.list_dir(await fs.resolve(str(tmp_path)))
    assert [(e.name, e.type, e.size) for e in entries] == [
        ("circle", "other", None),
        ("dangling", "other", None),
        ("file", "file", 2),
        ("pipe", "other", None),
        ("sub", "directory", None),
    ]
    with refused("FS_NOT_DIRECTORY"):
        await fs.list_dir(await fs.resolve(str(tmp_path / "file")))
    with refused("FS_NOT_FOUND"):
        await fs.list_dir(await fs.resolve(str(tmp_path / "none")))


async def test_metadata_never_follows_a_link_unless_asked(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("file")
    assert await fs.stat(await fs.resolve(str(tmp_path / "link"))) is None
    link = await fs.lstat("link", tmp_path)
    assert link is not None
    assert link.type == "symlink"
    assert await fs.lstat("none", tmp_path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "  ",
        "a\0b",
        "file:///etc/passwd",
        "http://x/y",
        "C:\\Windows\\win.ini",
        "a/" * 10_000,
    ],
)
async def test_what_is_no_path_here_is_not_found(
    fs: LocalFileSystem, tmp_path: Path, path: str
) -> None:
    with refused("FS_NOT_FOUND"):
        await fs.resolve(path, tmp_path)


@pytest.mark.parametrize("name", ["CON", "nul.txt", "a.", "a ", "file.txt:stream"])
def test_names_that_windows_bends_are_refused_there(name: str) -> None:
    assert objection(f"folder\\{name}", windows=True)
    assert objection("C:\\folder\\..\\file.txt", windows=True) is None


async def test_urls_and_containment_go_by_components(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj-evil").mkdir()
    proj = await fs.resolve(str(tmp_path / "proj"))
    evil = await fs.resolve(str(tmp_path / "proj-evil/x y"))
    assert fs.contains(proj, await fs.resolve("proj/a/b", tmp_path))
    assert not fs.contains(proj, evil)
    assert fs.file_url(evil) == (tmp_path / "proj-evil/x y").as_uri()
    assert fs.process_path(proj) == tmp_path / "proj"
