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
