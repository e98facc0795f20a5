"""A real provider with its supervisor."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from dsh_plugins.subprocess_local.linux import Supervised
from dsh_plugins.subprocess_local.plugin import LocalSubprocess
from support.processes import World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    launcher = Supervised()
    try:
        yield World(LocalSubprocess(launcher, os.environ), launcher)
    finally:
        await launcher.close()
