"""The page's types, written from the models of the wire."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from dsh.seams.gateway import Empty, Method
from dsh.surfaces.typescript import _type, generate, method_table


class Leaf(BaseModel):
    """A leaf. It has a long story.

    Which is not told.
    """

    kind: Literal["leaf"] = "leaf"
    names: list[str | None]
    numbers: dict[str, int] = {}


class Branch(BaseModel):
    """A branch."""

    kind: Literal["branch"] = "branch"
    parts: list[Annotated[Leaf | Branch, Field(discriminator="kind")]]
    note: Any = None  # Any: whatever a person wrote
    odd: Literal['quo"te', 1, True] = 1


async def nothing(_: object) -> Empty:
    return Empty()


def declared(text: str, name: str) -> str:
    found = re.search(
        rf"export (?:interface|type) {name}\b.*?\n(?:\}}\n)?(?=\n|/\*\*|export|$)",
        text,
        re.S,
    )
    assert found is not None, text
    return found[0]


def test_requests_are_typed_as_they_are_sent_and_responses_as_they_come() -> None:
    method = Method("tree", "grow", Leaf, Branch, nothing)
    text = generate({method.path: method})
    assert '  "tree/grow": { request: Leaf; response: Branch };' in text
    branch = declared(text, "Branch")
    assert "parts: (Leaf | Branch)[];" in branch
    assert 'odd?: "quo\\"te" | 1 | true;' in branch
    assert "note?: unknown;" in branch
    leaf = declared(text, "Leaf")
    assert "names: (string | null)[];" in leaf
    assert "numbers?: Record<string, number>;" in leaf
    assert "/** A leaf. It has a long story. */\nexport interface Leaf" in text
    assert "Which is not told" not in text


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "integer"}, "number"),
        ({"type": "null"}, "null"),
        ({"enum": ["a", None, 2]}, '"a" | null | 2'),
        ({"type": "array"}, "unknown[]"),
        ({"type": "object"}, "Record<string, unknown>"),
        ({"anyOf": [{"type": "string"}, {"type": "string"}]}, "string"),
        ({"$ref": "#/Leaf"}, "Leaf"),
        ({}, "unknown"),
    ],
)
def test_each_kind_of_schema_has_its_type(schema: dict[str, Any], type_: str) -> None:
    assert _type(schema) == type_


@pytest.mark.anyio
async def test_the_table_is_that_of_a_real_boot() -> None:
    table = await method_table()
    assert {"host/describe", "session/prompt", "boot/retry", "approval/answer"} <= set(
        table
    )
    text = generate(table)
    paths = re.findall(r'^  "([a-z]+/[a-zA-Z]+)": \{ request', text, re.M)
    assert paths == sorted(table)
    names = re.findall(r"^export (?:interface|type) (\w+)", text, re.M)
    assert len(names) == len(set(names)), "each name is declared once"
    used = set(
        re.findall(r"\b[A-Z]\w+\b", re.sub(r"/\*\*.*?\*/|//.*|\"[^\"]*\"", "", text))
    )
    assert used - {"Record"} <= set(names)
