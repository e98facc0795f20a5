"""Draws every icon file from dsh.svg; run it after changing the drawing, and commit.

    .venv/bin/python icons/make.py [path of a Chromium]

Windows and macOS containers hold PNG pictures, so a few struct calls write them.
"""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
PNG_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Apple's four-letter names for a picture of so many pixels (the second of a pair is the
# picture of half that size on a screen of twice the density).
ICNS = {
    "icp4": 16,
    "icp5": 32,
    "ic11": 32,
    "ic12": 64,
    "ic07": 128,
    "ic08": 256,
    "ic13": 256,
    "ic09": 512,
    "ic14": 512,
    "ic10": 1024,
}


def draw(chromium: str, sizes: set[int]) -> dict[int, bytes]:
    """PNG pictures of the drawing, on a transparent ground."""
    svg = (HERE / "dsh.svg").read_text()
    pictures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for size in sorted(sizes):
            page = browser.new_page(viewport={"width": size, "height": size})
            style = f"margin:0;background:transparent;width:{size}px;height:{size}px"
            page.set_content(f'<body style="{style}">{svg}</body>')
            pictures[size] = page.screenshot(omit_background=True)
            page.close()
        browser.close()
    return pictures


def ico(pictures: dict[int, bytes]) -> bytes:
    """A Windows icon: a header, a directory of 16 bytes a picture, the pictures."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    offset = len(head) + 16 * len(pictures)
    body = b""
    for size, png in sorted(pictures.items()):
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(png), offset)
        body += png
        offset += len(png)
    return head + body


def icns(pictures: dict[str, bytes]) -> bytes:
    """A macOS icon: chunks of a name, a length (its own head counts), and a picture."""
    chunks = b"".join(
        name.encode() + struct.pack(">I", len(png) + 8) + png
        for name, png in pictures.items()
    )
    return b"icns" + struct.pack(">I", len(chunks) + 8) + chunks


def main() -> int:
    chromium = sys.argv[1] if sys.argv[1:] else shutil.which("chromium")
    if chromium is None:
        print("no Chromium found: give its path")
        return 1
    drawn = draw(chromium, {*PNG_SIZES, *ICNS.values()})
    for size in PNG_SIZES:
        (HERE / f"dsh-{size}.png").write_bytes(drawn[size])
    (HERE / "dsh.ico").write_bytes(ico({size: drawn[size] for size in ICO_SIZES}))
    (HERE / "dsh.icns").write_bytes(icns({n: drawn[size] for n, size in ICNS.items()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
