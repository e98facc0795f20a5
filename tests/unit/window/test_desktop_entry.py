"""The entry of the applications menu, read back as a desktop reads it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dsh.surfaces.desktop_entry import EntryFailed, entry_path, install, state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="freedesktop.org entries")

ODD = [
    "plain",
    "with spaces",
    "用户",
    "O'Brien",
    'dou"ble',
    "back\\slash",
    "dollar$HOME",
    "back`id`tick",
    "per%cent%f",
    "a;b&c|d<e>f",
    "(x)*?#~=",
    "new\nline\nExec=evil",
    "tab\tand\rreturn",
    "\\n",
    '\\"$`',
]


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def arguments(text: str) -> list[str]:
    """The argument vector of the one Exec line, by the rules of the specification."""
    [line] = [line for line in text.split("\n") if line.startswith("Exec=")]
    value, index = "", 0
    raw = line.removeprefix("Exec=")
    while index < len(raw):  # the escapes of every value of type string
        if raw[index] == "\\":
            index += 1
            value += {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}[raw[index]]
        else:
            value += raw[index]
        index += 1
    words, word, quoted, index = list[str](), "", False, 0
    while index < len(value):  # the quoting of Exec
        letter = value[index]
        if quoted and letter == "\\":
            index += 1
            assert value[index] in '"`$\\'
            word += value[index]
        elif letter == '"':
            quoted = not quoted
        elif letter == " " and not quoted:
            words.append(word)
            word = ""
        else:
            assert quoted or letter not in "\t\n\"'\\><~|&;$*?#()`"
            assert letter not in '"`$' or not quoted
            word += letter
        index += 1
    assert not quoted
    return [each.replace("%%", "%") for each in [*words, word]]


@pytest.mark.parametrize("name", ODD)
def test_a_program_anywhere_is_started_by_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    program = str(tmp_path / name / "dsh")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", program)
    text = install().read_text(encoding="utf-8")
    assert arguments(text) == [program, "%f"]
    assert state() == "installed"


@pytest.mark.parametrize("name", ODD)
def test_what_glib_makes_of_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    gi = pytest.importorskip("gi")
    gi.require_version("GLib", "2.0")
    from gi.repository import GLib

    program = str(tmp_path / name / "dsh")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", program)
    file = GLib.KeyFile()
    file.load_from_file(str(install()), GLib.KeyFileFlags.NONE)
    line = file.get_string("Desktop Entry", "Exec")
    _, words = GLib.shell_parse_argv(line)
    assert [word.replace("%%", "%") for word in words] == [program, "%f"]
    assert file.get_string("Desktop Entry", "Name") == "DSH Desktop"


def test_it_is_valid_for_the_desktops_own_checker(tmp_path: Path) -> None:
    try:
        done = subprocess.run(
            ["desktop-file-validate", str(install())], capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("desktop-file-validate is not installed")
    assert done.returncode == 0, done.stdout


def test_entry_and_icons_are_where_desktops_look(data_home: Path) -> None:
    assert state() == "absent"
    path = install()
    assert path == entry_path() == data_home / "applications" / "dsh-desktop.desktop"
    assert os.access(path, os.X_OK)
    icon = data_home / "icons" / "hicolor" / "48x48" / "apps" / "dsh-desktop.png"
    assert icon.read_bytes().startswith(b"\x89PNG")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_after_the_program_moved_it_is_absent_until_it_is_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "old" / "dsh"))
    install()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "new" / "dsh"))
    assert state() == "absent"
    install()
    assert state() == "installed"


@pytest.mark.parametrize("value", ["", "  ", "relative/path"])
def test_a_data_home_that_is_not_absolute_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert entry_path().is_relative_to(tmp_path / ".local" / "share")


def test_where_it_cannot_be_written_the_path_is_named(
    tmp_path: Path, data_home: Path
) -> None:
    data_home.write_text("a file")
    with pytest.raises(EntryFailed, match="dsh-desktop"):
        install()
    data_home.unlink()


def test_other_systems_are_not_touched(
    monkeypatch: pytest.MonkeyPatch, data_home: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert state() == "unsupported"
    with pytest.raises(EntryFailed):
        install()
    assert not data_home.exists()
