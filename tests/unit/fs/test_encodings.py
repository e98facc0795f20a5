"""Files in any encoding: whole round trip, or refusal with every byte kept."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from dsh_plugins.fs_local.provider import LocalFileSystem
from unit.fs.steps import edit, read, refused, write

pytestmark = pytest.mark.anyio

CHINESE = (
    "#include <stdio.h>\r\n/* 读取配置文件 失败时返回错误 */\r\nint old_name = 1;\r\n"
)
FRENCH = "<?php\n// Le café est fermé à Noël, déjà ?\n$old_name = 'été';\n"
JAPANESE = "[設定]\r\n; これはコメントです\r\nold_name=日本語テキスト\r\n"
SMART = "He said \u201cold_name\u201d \u2013 it\u2019s fine\u2026\n"


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("gbk", CHINESE),
        ("gb18030", CHINESE + "// 𠮷 is beyond GBK\r\n"),
        ("iso-8859-1", FRENCH),
        ("cp1252", SMART),
        ("shift_jis", JAPANESE),
        ("utf-8", CHINESE + "déjà 😀\n"),
    ],
)
async def test_an_edit_changes_only_the_bytes_of_its_match(
    fs: LocalFileSystem, tmp_path: Path, codec: str, text: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(text.encode(codec))
    assert await read(fs, file) == text
    await edit(fs, file, "old_name", "new_name_2")
    assert file.read_bytes() == text.encode(codec).replace(b"old_name", b"new_name_2")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
async def test_utf16_with_its_mark_is_text(
    fs: LocalFileSystem, tmp_path: Path, codec: str
) -> None:
    bom = codecs.BOM_UTF16_LE if codec == "utf-16-le" else codecs.BOM_UTF16_BE
    file = tmp_path / "file.reg"
    file.write_bytes(bom + "a\r\nb 旧\r\n".encode(codec))
    assert await read(fs, file) == "a\r\nb 旧\r\n"
    await edit(fs, file, "b 旧\n", "新 😀\n")
    assert file.read_bytes() == bom + "a\r\n新 😀\r\n".encode(codec)


async def test_a_byte_order_mark_is_hidden_and_kept(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "module.vb"
    file.write_bytes(codecs.BOM_UTF8 + b"Option Explicit\r\nSub A\r\nEnd Sub\r\n")
    assert (await read(fs, file)).startswith("Option")
    await edit(fs, file, "Option Explicit", "Option Strict")
    await edit(fs, file, "End Sub\n", "End Sub\n' done\n")
    assert file.read_bytes() == (
        codecs.BOM_UTF8 + b"Option Strict\r\nSub A\r\nEnd Sub\r\n' done\r\n"
    )
    await write(fs, file, "Sub B\nEnd Sub\n")
    assert file.read_bytes() == codecs.BOM_UTF8 + b"Sub B\r\nEnd Sub\r\n"


async def test_inserted_text_takes_the_encoding_of_the_file(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "settings.ini"
    file.write_bytes(JAPANESE.encode("shift_jis"))
    await edit(fs, file, "[設定]\n", "[設定]\n新しい=値\n")
    assert file.read_bytes().decode("shift_jis").startswith("[設定]\r\n新しい=値\r\n")


@pytest.mark.parametrize(
    ("codec", "text", "foreign"),
    [
        ("gbk", CHINESE, "😀"),
        ("shift_jis", JAPANESE, "한국어"),
        ("iso-8859-1", FRENCH, "中"),
        ("utf-8", "old_name\n", "\ud800"),
    ],
)
async def test_characters_that_the_encoding_lacks_are_refused(
    fs: LocalFileSystem, tmp_path: Path, codec: str, text: str, foreign: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(text.encode(codec))
    with refused("FS_ENCODING", file):
        await edit(fs, file, "old_name", foreign)
    with refused("FS_ENCODING", file):
        await write(fs, file, foreign)


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00\x00old_name",
        b"text with a NUL\x00 old_name",
        b"\xff\xfe\x00\x00o\x00\x00\x00",  # UTF-32
        codecs.BOM_UTF8 + b"caf\xe9 old_name",
        codecs.BOM_UTF16_LE + b"o\x00d",  # half a character at the end
        codecs.BOM_UTF16_LE + b"\x00\xd8o\x00",  # a lone surrogate
        b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04\xff\xfe\xfd old_name",
        bytes(range(0x80, 0xA0)) + b" old_name",
    ],
)
async def test_what_is_not_text_is_refused_and_kept(
    fs: LocalFileSystem, tmp_path: Path, data: bytes
) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    with refused("FS_NOT_TEXT", file):
        await read(fs, file)
    with refused("FS_NOT_TEXT", file):
        await edit(fs, file, "old_name", "x")


async def test_a_stream_gives_the_same_text_in_pieces(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    for codec, text in (("gbk", CHINESE), ("utf-8", "😀é\n"), ("utf-16", "é😀\r\n")):
        file = tmp_path / codec
        whole = text * (700_000 // len(text.encode(codec)))
        file.write_bytes(whole.encode(codec))
        target = await fs.resolve(str(file))
        pieces = [piece async for piece in fs.stream_text(target)]
        assert len(pieces) > 1
        assert "".join(pieces) == whole


async def test_a_stream_that_turns_out_not_to_be_text_says_so(
    fs: LocalFileSystem, tmp_path: Path
) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"fine\n" * 100_000 + b"\xff\xff")
    with refused("FS_NOT_TEXT", file):
        async for _ in fs.stream_text(await fs.resolve(str(file))):
            pass
    empty = tmp_path / "empty"
    empty.touch()
    assert [p async for p in fs.stream_text(await fs.resolve(str(empty)))] == []
