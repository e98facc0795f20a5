"""The icon files of every system hold the same drawing, whole."""

from __future__ import annotations

import struct

from unit.repository.tracked import ROOT

ICONS = ROOT / "icons"
PNG = b"\x89PNG\r\n\x1a\n"


def side(png: bytes) -> int:
    """Pixels of a picture's edge, read from its header."""
    assert png.startswith(PNG)
    width, height = struct.unpack(">II", png[16:24])
    assert width == height
    return int(width)


def test_a_png_has_the_size_that_its_name_says() -> None:
    files = sorted(ICONS.glob("dsh-*.png"))
    assert {f.stem: side(f.read_bytes()) for f in files} == {
        f"dsh-{size}": size for size in (16, 24, 32, 48, 64, 128, 256, 512)
    }


def test_the_windows_icon_holds_the_png_pictures() -> None:
    data = (ICONS / "dsh.ico").read_bytes()
    reserved, kind, count = struct.unpack("<HHH", data[:6])
    assert (reserved, kind) == (0, 1)
    for row in range(count):
        entry = struct.unpack("<BBBBHHII", data[6 + 16 * row : 22 + 16 * row])
        length, offset = entry[6:]
        picture = data[offset : offset + length]
        assert picture == (ICONS / f"dsh-{entry[0] or 256}.png").read_bytes()


def test_the_macos_icon_is_a_chain_of_whole_pictures() -> None:
    data = (ICONS / "dsh.icns").read_bytes()
    assert struct.unpack(">4sI", data[:8]) == (b"icns", len(data))
    sizes, at = set(), 8
    while at < len(data):
        _, length = struct.unpack(">4sI", data[at : at + 8])
        sizes.add(side(data[at + 8 : at + length]))
        at += length
    assert at == len(data)
    assert sizes == {16, 32, 64, 128, 256, 512, 1024}
