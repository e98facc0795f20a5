"""Edits of the person's patch file: one line is added, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.composition.documents import parse
from dsh.composition.edits import disable_row
from dsh.composition.profiles import PATCH_TEMPLATE
from dsh.data.paths import Home
from dsh.errors import CompositionError


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def patch(home: Home) -> Path:
    folder = home.profiles / "desktop"
    folder.mkdir(parents=True)
    return folder / "patch.yaml"


OFF = {"id": "retry", "disabled": True}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# a comment\n",
        "[]",
        "# see also []\n- {id: a, disabled: true}\n# and []",
        "- {id: a, disabled: true}",
        "- id: a\n  config: {k: !env NAME x}\n",
        "- id: a\r\n  disabled: true\r\n",
        "\ufeff- {id: a, disabled: true}\n",
        PATCH_TEMPLATE,
    ],
)
def test_a_line_is_added_and_every_other_byte_stays(
    home: Home, patch: Path, text: str
) -> None:
    before = text.encode()
    patch.write_bytes(before)
    disable_row(home, "desktop", "retry")
    after = patch.read_bytes()
    kept = before.rstrip()
    if not before.startswith(b"# see"):
        kept = kept.removesuffix(b"[]").rstrip()
    assert after.startswith(kept)
    [line] = after.removeprefix(kept).decode().split("\n")[-2:-1]
    assert parse(line, "t") == [OFF]
    document = parse(after.decode("utf-8-sig"), "t")
    assert isinstance(document, list) and document[-1] == OFF
    assert (b"\r\n" in after) == (b"\r\n" in before)


def test_without_a_file_one_is_made(home: Home) -> None:
    disable_row(home, "desktop", "retry")
    text = (home.profiles / "desktop" / "patch.yaml").read_text()
    assert parse(text, "t") == [OFF]


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "[{id: a, disabled: true}]\n", "- {id: [", "just text", "---\n[]\n..."],
)
def test_what_a_line_cannot_extend_is_left_alone_with_a_remedy(
    home: Home, patch: Path, text: str
) -> None:
    patch.write_text(text)
    with pytest.raises(CompositionError, match=r"patch\.yaml") as refusal:
        disable_row(home, "desktop", "retry")
    assert refusal.value.remedy is not None and "retry" in refusal.value.remedy
    assert patch.read_text() == text


def test_a_file_that_is_no_text_is_left_alone(home: Home, patch: Path) -> None:
    patch.write_bytes(b"\xff\xfe")
    with pytest.raises(CompositionError):
        disable_row(home, "desktop", "retry")
    assert patch.read_bytes() == b"\xff\xfe"


def test_a_link_and_the_permissions_of_the_file_stay(
    home: Home, patch: Path, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles.yaml"
    real.write_text("[]\n")
    real.chmod(0o600)
    patch.symlink_to(real)
    disable_row(home, "desktop", "retry")
    assert patch.is_symlink()
    assert parse(real.read_text(), "t") == [OFF]
    assert real.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("row", ["my row", "a: b", 'quo"te', "行", "🚀", "- x"])
def test_an_odd_id_is_written_so_that_it_reads_back(
    home: Home, patch: Path, row: str
) -> None:
    disable_row(home, "desktop", row)
    assert parse(patch.read_text(encoding="utf-8"), "t") == [
        {"id": row, "disabled": True}
    ]
