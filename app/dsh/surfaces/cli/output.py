"""Standard output kept for the program's own answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO


@contextmanager
def own_output() -> Iterator[TextIO]:
    """Standard output while the block is open; what plugins print meanwhile goes to
    standard error, so that who reads the answer finds nothing else in it.
    """
    output = sys.stdout
    with redirect_stdout(sys.stderr):
        yield output
