"""One browser for each module: it must be gone before other tests run a loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from support.browser import Desk, chromium, desk


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def guided(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """The program with the offline guide and one folder."""
    with desk(browser, tmp_path) as opened:
        yield opened
