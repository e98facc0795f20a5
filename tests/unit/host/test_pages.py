"""The page's files: a fixed list, and the index with this run's facts in it."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path

import pytest

from dsh import __version__
from dsh.data.paths import Home
from dsh.surfaces.host.pages import Pages

INDEX = """<!doctype html>
<html lang="en">
<head>
<meta name="dsh-page-token" content="">
<meta name="dsh-boot" content="{}">
<script type="module" src="./assets/main.js"></script></head><body></body></html>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "static"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text(INDEX)
    (built / "assets" / "main.js").write_text("let a = 1;\n" * 100)
    (built / "assets" / "font.woff2").write_bytes(bytes(range(256)))
    (built / "icon.svg").write_text("<svg/>")
    return built


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def remembered(home: Home, text: str) -> None:
    home.state.mkdir(parents=True, exist_ok=True)
    (home.state / "ui.json").write_text(text)


def metas(page: str) -> dict[str, str]:
    found = re.findall(r'<meta name="([^"]+)" content="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in found}


def test_only_listed_names_are_files(folder: Path) -> None:
    (folder.parent / "secret").write_text("x")
    pages = Pages(folder)
    assert pages.file("assets/main.js") and pages.file("icon.svg")
    for name in (
        "",
        ".",
        "../secret",
        "assets",
        "assets/",
        "index.html",
        "assets/../icon.svg",
    ):
        assert pages.file(name) is None, name


def test_a_file_goes_out_packed_where_that_helps(folder: Path) -> None:
    pages = Pages(folder)
    script, font = pages.file("assets/main.js"), pages.file("assets/font.woff2")
    assert script is not None and font is not None
    assert script.media_type == "text/javascript; charset=utf-8"
    packed = script.packed()
    assert packed is not None and gzip.decompress(packed) == script.body
    assert packed is script.packed(), "it is made once"
    assert font.packed() is None
    icon = pages.file("icon.svg")
    assert icon is not None and icon.packed() is not None
    assert script.immutable and not icon.immutable


def test_the_index_carries_token_and_facts_where_the_script_looks(
    folder: Path, home: Home
) -> None:
    page = Pages(folder).index(home, 'to"ken', native=True)
    found = metas(page)
    assert found["dsh-page-token"] == 'to"ken'
    assert json.loads(found["dsh-boot"]) == {
        "version": __version__,
        "locale": "system",
        "theme": "system",
        "native": True,
    }
    assert page.count("dsh-page-token") == 1 and page.count("<html") == 1
    assert '<html lang="en">' in page and "./assets/main.js" in page


def test_language_and_theme_are_there_before_the_script_runs(
    folder: Path, home: Home
) -> None:
    remembered(home, '{"locale": "zh", "theme": "dark"}')
    page = Pages(folder).index(home, "t", native=False)
    assert '<html lang="zh" data-theme="dark">' in page


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        "[]",
        "{",
        '{"theme": "\\"><script>alert(1)</script>", "locale": ["zh"]}',
        '{"theme": {"dark": 1}}',
        "[" * 100_000,
    ],
)
def test_a_state_that_makes_no_sense_costs_the_preferences_only(
    folder: Path, home: Home, text: str
) -> None:
    remembered(home, text)
    page = Pages(folder).index(home, "t", native=False)
    assert '<html lang="en">' in page and "alert" not in page


def test_without_a_built_page_it_says_how_to_build_it(tmp_path: Path, home: Home) -> None:
    page = Pages(tmp_path / "nothing").index(home, "t", native=False)
    assert "dev.py build" in page and metas(page)["dsh-page-token"] == "t"
