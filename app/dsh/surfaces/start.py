"""What keeps the start short; each part is measured by the benchmarks."""

from __future__ import annotations

import gc
import os


def begin() -> None:
    """Call before anything large is imported.

    Imports make tens of thousands of objects that stay: looking among them for garbage
    took a tenth of the start. And no plugin of pydantic's belongs to this program;
    looking for them reads the metadata of every installed package.
    """
    gc.disable()
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def over() -> None:
    """The program is up: from now on garbage is collected among what comes later."""
    gc.freeze()
    gc.enable()
