"""Adds the program to the desktop's applications menu (freedesktop.org entries)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

from dsh.errors import SurfaceError

NAME = "dsh-desktop"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
State = Literal["installed", "absent", "unsupported"]


class EntryFailed(SurfaceError):
    """The entry cannot be written; the path is in the message."""

    code = "DESKTOP_ENTRY_FAILED"


def entry_path() -> Path:
    """Where the person's own entry lies."""
    return _data_home() / "applications" / f"{NAME}.desktop"


def state() -> State:
    """Whether the menu has an entry that starts this very program."""
    if sys.platform != "linux":
        return "unsupported"
    try:
        text = os.fsdecode(entry_path().read_bytes())
    except OSError:
        return "absent"
    return "installed" if _command() in text else "absent"


def install() -> Path:
    """Write entry and icons for this person; again when the program moved.

    Raises :class:`EntryFailed`.
    """
    if sys.platform != "linux":
        message = "the applications menu is managed by the system here"
        raise EntryFailed(message, code="DESKTOP_ENTRY_UNSUPPORTED")
    path = entry_path()
    try:
        _install_icons()
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_suffix(".new")
        staged.write_bytes(os.fsencode(_template().replace("@EXEC@", _command())))
        staged.chmod(0o755)
        staged.replace(path)
    except OSError as error:
        message = f"{path} cannot be written: {error}"
        raise EntryFailed(message, remedy="check its permissions") from error
    return path


def _data_home() -> Path:
    chosen = Path(os.environ.get("XDG_DATA_HOME", "").strip())
    # The base directory specification: what is not absolute is ignored.
    return chosen if chosen.is_absolute() else Path.home() / ".local" / "share"


def _command() -> str:
    """What the menu starts, quoted as the specification asks for."""
    if getattr(sys, "frozen", False):
        words = [sys.executable]
    else:
        script = shutil.which("dsh", path=str(Path(sys.executable).parent))
        words = [script] if script else [sys.executable, "-m", "dsh"]
    return " ".join(_quoted(word) for word in words) + " %f"


def _quoted(word: str) -> str:
    if word.isascii() and all(c.isalnum() or c in "/._-+=" for c in word):
        return word
    escaped = word
    for character in ("\\", '"', "`", "$"):
        escaped = escaped.replace(character, f"\\{character}")
    # Once more, as in every value: it is unescaped before the quotes are looked at.
    for character, sign in (("\\", "\\"), ("\n", "n"), ("\t", "t"), ("\r", "r")):
        escaped = escaped.replace(character, f"\\{sign}")
    return '"' + escaped.replace("%", "%%") + '"'


def _template() -> str:
    return (_shipped("packaging") / "dsh.desktop").read_text(encoding="utf-8")


def _install_icons() -> None:
    icons = _data_home() / "icons" / "hicolor"
    for size in SIZES:
        picture = _shipped("icons") / f"dsh-{size}.png"
        if picture.is_file():
            target = icons / f"{size}x{size}" / "apps" / f"{NAME}.png"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, target)


def _shipped(folder: str) -> Path:
    """A folder of the source tree; the built program carries it inside."""
    bundle = getattr(sys, "_MEIPASS", None)
    root = Path(bundle) if bundle else Path(__file__).resolve().parents[3]
    return root / folder
