"""`dsh desktop-entry install`: adds the program to the applications menu."""

from __future__ import annotations

import sys

from dsh.surfaces.cli.arguments import Options
from dsh.surfaces.desktop_entry import install


def execute(options: Options) -> int:
    """Write the entry and say where."""
    del options  # there is one action only
    sys.stdout.write(f"{install()}\n")
    return 0
