"""The files that belong to the repository, whether or not they are committed yet."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def tracked(*patterns: str) -> list[Path]:
    """Files that match git's patterns; all of them when none is given."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            *patterns,
        ],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def text_of(file: Path) -> str | None:
    """The file's text; None for pictures and the like."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
