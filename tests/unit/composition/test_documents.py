"""The YAML of composition files: plain data plus two tags, and no code."""

from __future__ import annotations

import os
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
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("deep", "big", "latin", "dir", "missing", "pipe"):
        with pytest.raises(Unreadable):
            read(tmp_path / f"{name}.yaml")


BOMB = "".join(
    f"b{level}: &b{level} [{', '.join([f'*b{level - 1}'] * 9)}]\n"
    for level in range(1, 10)
)


@pytest.mark.parametrize(
    "text",
    [
        "b0: &b0 [x]\n" + BOMB,
        "b0: &b0 {x: 1}\n" + BOMB.replace("[", "{<<: [").replace("]", "]}"),
        "&a [*a]",
        "a: &a {b: *a}",
        "[" * 900 + "]" * 900,
        "- " * 900,
        "- " * 400_000,
        "x: " + "{a: " * 100 + "1" + "}" * 100,
    ],
    ids=[
        "aliases",
        "merges",
        "itself",
        "itself-in-a-mapping",
        "brackets",
        "dashes",
        "very-many-dashes",
        "mappings",
    ],
)
def test_what_would_grow_without_bound_is_refused_at_once(text: str) -> None:
    with pytest.raises(Unreadable):
        parse(text, "file")


def test_an_alias_of_moderate_use_is_plain_yaml() -> None:
    text = "base: &base {a: 1}\nmine: {<<: *base, b: 2}\n"
    assert parse(text, "t") == {"base": {"a": 1}, "mine": {"a": 1, "b": 2}}


def test_a_key_need_not_be_a_text_and_never_ends_the_program() -> None:
    assert parse("1: a\n2: b\n", "t") == {1: "a", 2: "b"}
    for text in ("? [1]\n: a\n", "? {a: 1}\n: b\n"):
        with pytest.raises(Unreadable):
            parse(text, "t")


def test_a_long_document_takes_no_time() -> None:
    text = "".join(f"key{number}: 1\n" for number in range(20_000))
    document = parse(text, "t")
    assert isinstance(document, dict) and len(document) == 20_000
