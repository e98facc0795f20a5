"""A kernel, and a record of what it was told to report."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dsh.kernel import Kernel
from unit.kernel.parts import Problems


@pytest.fixture
def problems() -> Problems:
    """What the kernel reports."""
    return Problems()


@pytest.fixture
async def kernel(problems: Problems) -> AsyncIterator[Kernel]:
    """A kernel that is closed at the end."""
    async with Kernel(problems.told) as kernel:
        yield kernel
