"""The YAML of composition files: plain data plus two tags, and no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsh.composition.documents import Unreadable, dump, parse, read
from dsh.composition.values import EnvTag, HomeTag, resolve
from dsh.data.paths import Home

HOME = Home(Path("/somewhere/.dsh"))


def test_tags_stay_as_written_until_they_are_resolved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = parse("a: !env DSH_TEST_A fallback value\nb: !home state/x.db\n", "t")
    assert parse(dump(document), "again") is not None
    assert "!env" in dump(document) and "!home" in dump(document)
    monkeypatch.setenv("DSH_TEST_A", "from outside")
    assert resolve(document, HOME) == {
        "a": "from outside",
        "b": "/somewhere/.dsh/state/x.db",
    }
    monkeypatch.setenv("DSH_TEST_A", "  ")
    assert resolve(document, HOME) == {
        "a": "fallback value",
        "b": "/somewhere/.dsh/state/x.db",
    }


def test_a_variable_that_is_unset_and_has_no_default_leaves_its_key_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DSH_TEST_A", raising=False)
    assert resolve({"a": EnvTag("DSH_TEST_A"), "b": 1}, HOME) == {"b": 1}


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "C:\\x", "\\x"])
def test_a_home_tag_cannot_leave_the_home(path: str) -> None:
    with pytest.raises(ValueError, match="below the home"):
        HomeTag(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1, 2\nb: 3\n", "line 2"),
        ("a: 1\na: 2\n", "line 1"),
        ("x: !!python/object/apply:os.system [id]\n", "line 1"),
        ("x: !js 1+1\n", "line 1"),
        ("x: !home ../up\n", "line 1"),
        ("x: !env [a]\n", "line 1"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: str) -> None:
    with pytest.raises(Unreadable, match=line):
        parse(text, "file")


def test_hostile_files_are_refused_without_harm(tmp_path: Path) -> None:
    (tmp_path / "deep.yaml").write_text("[" * 50_000)
    (tmp_path / "big.yaml").write_text("a" * 1_000_001)
    (tmp_path / "latin.yaml").write_bytes(b"a: \xff\xfe")
    (tmp_path / "dir.yaml").mkdir()
    for name in ("deep", "big", "latin", "dir", "missing"):
        with pytest.raises(Unreadable):
            read(tmp_path / f"{name}.yaml")
