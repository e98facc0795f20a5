"""What every test shares."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The program runs on asyncio only."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a screen, a browser or the built program run one after the other."""
    for item in items:
        if any(
            item.get_closest_marker(name) for name in ("window", "browser", "shipped")
        ):
            item.add_marker(pytest.mark.xdist_group("screen"))
