"""Layers of operations on rows, and who set what."""

from __future__ import annotations

import pytest

from dsh.composition.patches import Layer, Rows
from dsh.composition.rows import BadRow, walk


def composed(*layers: Layer) -> Rows:
    rows = Rows()
    for layer in layers:
        rows.apply(layer)
    return rows


def bundle(*operations: object) -> Layer:
    return Layer("bundle base", list(operations), strict=True)


def patch(*operations: object) -> Layer:
    return Layer("home", list(operations), strict=False)


def ids(rows: Rows) -> list[str]:
    return [row.id for row in walk(rows.rows)]


A = {"id": "a", "plugin": "m:a", "config": {"x": 1, "y": 2}}
B = {"id": "b", "plugin": "m:b"}
G = {"id": "g", "group": [{"id": "inner", "plugin": "m:i"}]}


def test_rows_are_inserted_at_the_end_into_a_group_and_beside_others() -> None:
    rows = composed(
        bundle({"insert": [A, G]}),
        patch(
            {"insert": [B], "before": "a"},
            {"insert": [{"id": "c", "plugin": "m:c"}], "after": "a"},
            {"insert": [{"id": "d", "plugin": "m:d"}], "into": "g", "before": "inner"},
        ),
    )
    assert ids(rows) == ["b", "a", "c", "g", "d", "inner"]
    assert not rows.warnings


def test_a_row_inserted_by_one_operation_can_be_changed_by_the_next() -> None:
    rows = composed(patch({"insert": [B]}, {"id": "b", "disabled": True}))
    assert rows.rows[0].disabled


def test_whole_keys_are_replaced_and_never_merged() -> None:
    rows = composed(bundle({"insert": [A]}), patch({"id": "a", "config": {"y": 3}}))
    assert rows.rows[0].values["config"] == {"y": 3}
    assert rows.rows[0].plugin == "m:a"


def test_each_key_remembers_the_layer_that_set_it() -> None:
    rows = composed(bundle({"insert": [A]}), patch({"id": "a", "config": {}}))
    assert rows.rows[0].origin == {
        "id": "bundle base",
        "plugin": "bundle base",
        "config": "home",
    }


def test_a_row_is_removed_wherever_it_stands() -> None:
    rows = composed(
        bundle({"insert": [A, G]}),
        patch({"id": "inner", "remove": True}, {"id": "a", "remove": True}),
    )
    assert ids(rows) == ["g"]


@pytest.mark.parametrize(
    "operation",
    [
        {"id": "nobody", "disabled": True},
        {"id": "a", "colour": "red"},
        {"id": "a", "disabled": "yes"},
        {"id": "a", "when": {"weather": "fine"}},
        {"id": "a", "when": {1: "x", "weather": "fine"}},
        {"id": "a", 7: "x"},
        {"insert": [B, B]},
        {"insert": [{"id": "g", "group": [B, B]}]},
        {"insert": [{"id": "b", "group": [B]}]},
        {"insert": [B, {"id": "c"}]},
        {"id": "a", "group": []},
        {"id": "a", "remove": False},
        {"insert": [A]},
        {"insert": [{"plugin": "m:x"}]},
        {"insert": [{"id": "x"}]},
        {"insert": [B], "into": "a"},
        {"insert": [B], "before": "nobody"},
        {"insert": B},
        {"disabled": True},
        "disable everything",
    ],
)
def test_a_bad_operation_is_an_error_of_ours_and_a_warning_of_the_persons(
    operation: object,
) -> None:
    with pytest.raises(BadRow):
        composed(bundle({"insert": [A]}), bundle(operation))
    rows = composed(
        bundle({"insert": [A]}),
        patch(operation, {"insert": [{"id": "z", "plugin": "m:z"}]}),
    )
    assert [warning.layer for warning in rows.warnings] == ["home"]
    assert ids(rows) == ["a", "z"], "what is right in the layer still applies"


def test_an_operation_has_its_whole_effect_or_none() -> None:
    rows = composed(
        bundle({"insert": [A, G]}),
        patch(
            {"insert": [B, {"id": "no-plugin"}]},
            {"id": "g", "group": [B], "colour": "red"},
            {"id": "a", "disabled": True, "when": {"weather": "fine"}},
        ),
    )
    assert ids(rows) == ["a", "g", "inner"]
    assert not rows.rows[0].disabled
    assert len(rows.warnings) == 3


def test_the_rows_of_a_group_are_replaced_also_under_their_old_ids() -> None:
    inner = {"id": "inner", "plugin": "m:other"}
    rows = composed(bundle({"insert": [A, G]}), patch({"id": "g", "group": [inner, B]}))
    assert ids(rows) == ["a", "g", "inner", "b"]
    rows = composed(bundle({"insert": [A, G]}), patch({"id": "g", "group": [A]}))
    assert ids(rows) == ["a", "g", "inner"]
    assert "already" in rows.warnings[0].message
