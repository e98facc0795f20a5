"""Text in the encoding that a file already has.

A guess is only ever used when the text, encoded again, gives the very bytes of the file;
so a wrong guess can show a wrong character but never change a byte.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Final, Literal

from dsh.seams.fs import FsError
from dsh_plugins.fs_local.failures import refused

Newline = Literal["\n", "\r\n", "\r"]

BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF32: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# Control characters that no text in an old encoding has; with them it is a binary file.
_CONTROLS: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_C1: Final = re.compile(rb"[\x80-\x9f]")
_HIGH: Final = re.compile(rb"[\x80-\xff]+")
_NAMES: Final = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "gbk": "GBK",
    "gb18030": "GB18030",
    "shift_jis": "Shift-JIS",
    "cp932": "Shift-JIS",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
}


class Encoding:
    """How a file spells its text: codec, byte order mark and line endings."""

    __slots__ = ("bom", "codec", "newline")

    def __init__(self, codec: str, bom: bytes = b"", newline: Newline = "\n") -> None:
        self.codec = codec
        self.bom = bom
        self.newline: Newline = newline

    def encode(self, text: str, shown: str) -> bytes:
        """``text`` without BOM. Raises FS_ENCODING for characters that it lacks."""
        try:
            return text.encode(self.codec)
        except UnicodeEncodeError as error:
            odd = text[error.start]
            name = _NAMES.get(self.codec, "UTF-8")
            message = f"{shown} is {name} text, which has no U+{ord(odd):04X}"
            remedy = "leave that character out, or convert the file to UTF-8 first"
            raise refused("FS_ENCODING", message, remedy) from error

    def spelled(self, text: str) -> str:
        """LF text with the line endings of the file."""
        return text if self.newline == "\n" else text.replace("\n", self.newline)


UTF_8: Final = Encoding("utf-8")


class Text:
    """A decoded file: its characters exactly as they stand, line endings included."""

    __slots__ = ("encoding", "raw")

    def __init__(self, raw: str, encoding: Encoding) -> None:
        self.raw = raw
        self.encoding = encoding

    @property
    def plain(self) -> str:
        """The text with LF line endings."""
        return plain(self.raw)


def plain(text: str) -> str:
    """``text`` with LF line endings; a lone CR ends a line where there is no LF."""
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if "\n" not in text else text


def decoded(data: bytes, shown: str) -> Text:
    """Decode a whole file. Raises FS_NOT_TEXT when no encoding fits exactly."""
    encoding = sniffed(data, shown)
    body = data[len(encoding.bom) :]
    try:
        raw = body.decode(encoding.codec)
    except UnicodeDecodeError as error:
        raise not_text(shown) from error
    if "\0" in raw or raw.encode(encoding.codec) != body:
        raise not_text(shown)
    return Text(raw, Encoding(encoding.codec, encoding.bom, newline_of(raw)))


def newline_of(text: str) -> Newline:
    """The line ending that ``text`` uses most; LF when it has none."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    if crlf == lf == 0 and "\r" in text:
        return "\r"
    return "\r\n" if crlf > lf else "\n"


def sniffed(data: bytes, shown: str, *, whole: bool = True) -> Encoding:
    """The encoding of ``data``, which may be only the beginning of a file."""
    if data.startswith(_UTF32):
        raise not_text(shown)
    for bom, codec in BOMS:
        if data.startswith(bom):
            return Encoding(codec, bom)
    if b"\0" in data:
        raise not_text(shown)
    if _fits(data, "utf-8", whole=whole) is not None:
        return UTF_8
    guess = _legacy(data, whole=whole)
    if guess is None:
        raise not_text(shown)
    return Encoding(guess)


def not_text(shown: str) -> FsError:
    """FS_NOT_TEXT, ready to raise."""
    message = f"{shown} is not text in an encoding that can be changed safely"
    return refused("FS_NOT_TEXT", message)


def _fits(data: bytes, codec: str, *, whole: bool) -> str | None:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        text = decoder.decode(data, final=whole)
    except UnicodeDecodeError:
        return None
    return text if not whole or text.encode(codec) == data else None


def _legacy(data: bytes, *, whole: bool) -> str | None:
    """The old encoding whose usual characters these bytes are."""
    if _CONTROLS.search(data):
        return None
    best: tuple[float, str] | None = None
    for codec, usual in _USUAL:
        sample = _fits(data, codec, whole=whole)
        if sample is None:
            continue
        score = usual(data, sample)
        if best is None or score > best[0]:
            best = (score, codec)
    return best[1] if best and best[0] >= 0 else None


def _share(text: str, usual: Callable[[str], bool]) -> float:
    beyond = [char for char in text if char > "\x7f"]
    return sum(map(usual, beyond)) / len(beyond) if beyond else 0.0


def _common_chinese(_: bytes, text: str) -> float:
    def usual(char: str) -> bool:
        try:
            return len(char.encode("gb2312")) == 2
        except UnicodeEncodeError:
            return False

    return _share(text, usual)


def _common_japanese(_: bytes, text: str) -> float:
    def usual(char: str) -> bool:
        return "\u3000" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff"

    return _share(text, usual)


def _western(data: bytes, _: str) -> float:
    """How many bytes beyond ASCII stand alone or in twos beside ASCII letters."""
    total = lonely = 0
    for run in _HIGH.finditer(data):
        start, end = run.span()
        total += end - start
        around = data[max(0, start - 1) : start] + data[end : end + 1]
        if end - start <= 2 and around and (around.isalpha() or end - start == 1):
            lonely += end - start
    return 0.95 * lonely / total if total else 0.0


def _western_windows(data: bytes, text: str) -> float:
    return _western(data, text) if _C1.search(data) else -1.0


def _western_iso(data: bytes, text: str) -> float:
    return -1.0 if _C1.search(data) else _western(data, text)


# In order of preference for equal marks.
_USUAL: Final[tuple[tuple[str, Callable[[bytes, str], float]], ...]] = (
    ("gbk", _common_chinese),
    ("gb18030", _common_chinese),
    ("shift_jis", _common_japanese),
    ("cp932", _common_japanese),
    ("latin-1", _western_iso),
    ("cp1252", _western_windows),
)
