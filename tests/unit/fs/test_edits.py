"""Literal edits: line endings, counting, and replacements that mean themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.seams.fs import FsEdit, Version
from dsh_plugins.fs_local.provider import LocalFileSystem
from unit.fs.steps import edit, refused, write

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
        (b"a\rb\rc", "a\nb", "x\ny", b"x\ry\rc"),
        (b"a\r\nb\nc\r\n", "b\n", "x\ny\n", b"a\r\nx\ny\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\nc\r\n"),
        (b"a\r\nb", "\nb", "", b"a"),
        (b"a\n\n\nb", "\n\n", "\n", b"a\n\nb"),
    ],
)
async def test_line_endings_match_across_forms_and_keep_the_files_own(
    fs: LocalFileSystem, tmp_path: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    file = tmp_path / "file"
    file.write_bytes(before)
    await edit(fs, file, old, new)
    assert file.read_bytes() == after


async def test_an_ambiguous_edit_says_how_often_the_text_stands_there(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("one.\none.\none.\nonex\n")
    with refused("FS_AMBIGUOUS_EDIT", file) as caught:
        await edit(fs, file, "one.", "two")
    assert "3 times" in str(caught.value)
    await edit(fs, file, "one.", "two", everywhere=True)
    assert file.read_text() == "two\ntwo\ntwo\nonex\n"


async def test_an_empty_or_absent_text_is_refused(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("content\n")
    with refused("FS_EDIT_NOT_FOUND", file):
        await edit(fs, file, "", "x", everywhere=True)
    with refused("FS_EDIT_NOT_FOUND", file):
        await edit(fs, file, "CONTENT", "x")


async def test_search_and_replacement_are_literal(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("f(.*)+[a]\nnext\n")
    await edit(fs, file, "(.*)+[a]\nn", r"$1 \1 \g<0> & \n" + "\nN")
    assert file.read_text() == r"f$1 \1 \g<0> & \n" + "\nNext\n"


async def test_the_version_is_checked_before_anything_is_matched(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("content\n")
    target = await fs.resolve(str(file))
    change = FsEdit("absent", "x", replace_all=False)
    with refused("FS_STALE_VERSION", file):
        await fs.edit_text(target, change, Version("1:2:3:4:5"))
    gone = await fs.resolve(str(tmp_path / "gone"))
    with refused("FS_STALE_VERSION"):
        await fs.edit_text(gone, change)


async def test_an_edit_gives_the_texts_for_a_diff_and_the_new_version(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a\r\nb\r\n")
    written = await edit(fs, file, "b", "c")
    assert (written.before, written.after) == ("a\nb\n", "a\nc\n")
    info = await fs.stat(await fs.resolve(str(file)))
    assert info is not None
    assert info.version == written.version
    second = await fs.edit_text(
        await fs.resolve(str(file)), FsEdit("c", "d", replace_all=False), written.version
    )
    assert second.version != written.version


async def test_a_whole_write_keeps_the_line_endings_of_a_crlf_file(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a\r\nb\r\n")
    await write(fs, file, "x\ny\n")
    assert file.read_bytes() == b"x\r\ny\r\n"
    await write(fs, file, "x\ny\r\n")  # what names its endings is taken as it is
    assert file.read_bytes() == b"x\ny\r\n"
