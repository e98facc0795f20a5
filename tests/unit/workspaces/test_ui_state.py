"""What the page keeps: merged, bounded, and never in the way of a start."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_plugins.ui_state.store import MOST, StateTooLarge, Store, merged

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=4)


def test_patches_merge_and_null_removes(tmp_path: Path) -> None:
    store = Store(tmp_path / "ui.json")
    store.save({"width": 240, "drafts": {"a": "hello", "b": "x"}, "list": [1, 2]})
    store.save({"drafts": {"b": None, "c": "你好 \ud800"}, "list": [3]})
    again = Store(tmp_path / "ui.json").read()
    assert again == store.read()
    assert again == {
        "width": 240,
        "drafts": {"a": "hello", "c": "你好 ?"},
        "list": [3],
    }
    assert stat.S_IMODE((tmp_path / "ui.json").stat().st_mode) == 0o600


def test_too_much_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    store = Store(tmp_path / "ui.json")
    store.save({"keep": 1})
    with pytest.raises(StateTooLarge):
        store.save({"draft": "x" * MOST})
    deep: dict[str, object] = {}
    for _ in range(50):
        deep = {"a": deep}
    with pytest.raises(StateTooLarge):
        store.save(deep)
    assert store.read() == Store(tmp_path / "ui.json").read() == {"keep": 1}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_a_broken_file_is_put_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ui.json"
    path.write_bytes(content)
    store = Store(path)
    assert store.read() == {}
    store.save({"a": 1})
    assert json.loads(path.read_bytes()) == {"a": 1}
    [aside] = tmp_path.glob("ui.json.broken-*")
    assert aside.read_bytes() == content


@given(OBJECTS, OBJECTS)
def test_a_patch_applied_twice_is_applied_once(
    state: dict[str, object], patch: dict[str, object]
) -> None:
    once = merged(state, patch)
    assert merged(once, patch) == once
    assert merged(state, {}) == state
