"""Size and place of the window, kept between starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.data.paths import Home
from dsh.surfaces.window.geometry import MIN_SIZE, Geometry, load, save


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_what_was_saved_is_loaded(home: Home) -> None:
    geometry = Geometry(width=900, height=700, x=-20, y=0)
    save(home, geometry)
    assert load(home) == geometry
    assert [path.name for path in home.state.iterdir()] == ["window.json"]


def test_the_first_window_has_a_size_and_no_place(home: Home) -> None:
    first = load(home)
    assert first.width >= MIN_SIZE[0] and first.height >= MIN_SIZE[1]
    assert first.x is None and first.y is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"width": 1}',
        '{"width": 1e9}',
        '{"x": "left"}',
        '{"y": 99999}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_nonsense_gives_the_first_window(home: Home, text: str) -> None:
    home.state.mkdir(parents=True)
    (home.state / "window.json").write_bytes(text.encode("latin-1"))
    assert load(home) == Geometry()


def test_a_home_that_cannot_be_written_costs_the_memory_only(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    save(Home(tmp_path / "home"), Geometry())
    assert load(Home(tmp_path / "home")) == Geometry()
