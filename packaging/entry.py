"""The built program's first lines.

The one file is two processes: a launcher, which unpacks it into a temporary folder and
removes that at the end, and the program itself. Killed outright, the launcher does
neither; so the program ends with it, and the next start removes what it left.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

PARENT_DEATH_SIGNAL = 1  # of prctl(2)
UNPACKED = "_MEI"  # then eight hexadecimal digits of the launcher's process id


def end_with_launcher() -> None:
    """Ask the kernel for SIGTERM when the launcher is gone: everything then closes."""
    import ctypes  # only here: it costs helpers their quick start

    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def remove_leftovers() -> None:
    """Remove the folders of launchers that were killed."""
    own = Path(getattr(sys, "_MEIPASS", ""))
    for folder in Path(tempfile.gettempdir()).glob(f"{UNPACKED}*"):
        digits = folder.name[len(UNPACKED) :][:8]
        # Other programs are packed the same way: theirs lack our menu entry.
        if folder == own or not (folder / "packaging/dsh.desktop").is_file():
            continue
        try:
            os.kill(int(digits, 16), 0)
        except (ValueError, PermissionError):
            continue  # not our naming, or somebody else's process
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    # A worker process of a plugin starts this program again and must end in here.
    multiprocessing.freeze_support()
    helper = sys.argv[1:2] == ["--dsh-supervisor"]  # ends with its socket, not by signal
    if sys.platform == "linux" and not helper:
        end_with_launcher()
        remove_leftovers()

    from dsh.__main__ import main

    main()
