"""Tools as a model sees them: sorted by name, the same bytes every time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from dsh.data.events.vocabulary import ToolSchema
from dsh.runtime.tools.definition import Tool

# Making a schema takes about a millisecond, so each arguments model is read once.
_parameters: WeakKeyDictionary[type[BaseModel], dict[str, object]] = WeakKeyDictionary()


def schemas_of(tools: Mapping[str, Tool[BaseModel]]) -> list[ToolSchema]:
    """The schemas of the tools, sorted by name."""
    return [
        {
            "name": name,
            "description": tools[name].description,
            "parameters": parameters_of(tools[name].arguments),
        }
        for name in sorted(tools)
    ]


def parameters_of(arguments: type[BaseModel]) -> dict[str, object]:
    """The JSON schema of an arguments model, without what only costs tokens."""
    schema = _parameters.get(arguments)
    if schema is None:
        schema = _lean(arguments.model_json_schema())
        schema.pop("description", None)  # of the class; the tool has its own
        schema.setdefault("properties", {})
        _parameters[arguments] = schema
    return schema


def _lean(schema: dict[str, object]) -> dict[str, object]:
    """Without the titles that pydantic makes from names; properties keep theirs."""
    kept: dict[str, object] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            named = cast("dict[str, dict[str, object]]", value)
            kept[key] = {name: _lean(inner) for name, inner in named.items()}
        elif isinstance(value, dict) and key != "default":
            kept[key] = _lean(value)
        elif isinstance(value, list) and key in ("anyOf", "oneOf", "allOf"):
            kept[key] = [_lean(part) for part in value]
        elif key != "title":
            kept[key] = value
    return kept
