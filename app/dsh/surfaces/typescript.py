"""Writes the page's TypeScript types from the models of the wire and of the log."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from dsh.composition.boot import booted
from dsh.composition.patches import switching_off
from dsh.composition.profiles import Selection, compose
from dsh.data import messages
from dsh.data.events import EVENT_SCHEMAS
from dsh.data.paths import Home
from dsh.runtime.tools.cards import AnyCard
from dsh.seams.gateway import Gateway, Method
from dsh.surfaces.host.stopping import Stopper
from dsh.surfaces.host.wire import WIRE_MODELS
from dsh.surfaces.services import REGISTRIES

HEAD = "// Generated from the Python models by `python3 dev.py types`; do not edit.\n"
Schema = dict[str, Any]  # Any: JSON schema


class _NoStop(Stopper):
    def stop(self) -> None:
        """Nothing is served here."""


async def method_table() -> dict[str, Method]:
    """Every method of the desktop profile, read from a real boot without a window."""
    with tempfile.TemporaryDirectory() as folder:
        overlay = switching_off("types", "window")
        home = Home(Path(folder))
        selection = Selection("desktop", overlays=(overlay,), safe_mode=True)
        services = ((Stopper, _NoStop()),)
        async with booted(
            compose(home, selection), registries=REGISTRIES, services=services
        ) as boot:
            await boot.settled()
            failed = [
                f"{row.id}: {row.message}" for row in boot.failures() if row.message
            ]
            if failed:
                raise SystemExit("\n".join(failed))
            return boot.kernel.root.get(Gateway).items()


def generate(methods: dict[str, Method]) -> str:
    """The whole file."""
    definitions: Schema = {}
    names: dict[object, str] = {}
    table = sorted(methods.items())
    inputs = [(method.request, "validation") for _, method in table]
    outputs = [(method.response, "serialization") for _, method in table]
    outputs += [(model, "serialization") for model in WIRE_MODELS]
    for models in (inputs, outputs):
        unique = list(dict.fromkeys(models))
        keyed, schema = models_json_schema(unique, ref_template="#/{model}")  # type: ignore[arg-type]  # the mode is one of its literals
        definitions.update(schema.get("$defs", {}))
        names.update({key: ref["$ref"][2:] for key, ref in keyed.items()})
    events = _event_schemas(definitions)
    lines = [HEAD]
    lines += [_declaration(name, definitions[name]) for name in sorted(definitions)]
    lines.append("export interface Methods {")
    for path, method in table:
        request = names[(method.request, "validation")]
        response = names[(method.response, "serialization")]
        lines.append(f'  "{path}": {{ request: {request}; response: {response} }};')
    lines.append("}\n\nexport interface EventData {")
    lines += [f'  "{type_}": {_type(schema)};' for type_, schema in events.items()]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _event_schemas(definitions: Schema) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for type_ in EVENT_SCHEMAS.types():
        known = EVENT_SCHEMAS.get(type_)
        assert known is not None
        adapter = TypeAdapter[object](known.data)  # type: ignore[arg-type]  # as registered
        schema = adapter.json_schema(ref_template="#/{model}")
        definitions.update(schema.pop("$defs", {}))
        found[type_] = schema
    unions = {
        "StreamChunk": messages.StreamChunk,
        "Block": messages.Block,
        "AnyCard": AnyCard,
    }
    for name, union in unions.items():
        adapter = TypeAdapter[object](union)  # type: ignore[arg-type]  # a union of types
        schema = adapter.json_schema(mode="serialization", ref_template="#/{model}")
        definitions.update(schema.pop("$defs", {}))
        definitions[name] = schema
    return found


def _declaration(name: str, schema: Schema) -> str:
    note = schema.get("description", "").partition("\n\n")[0].replace("\n", " ")
    head = f"/** {note} */\n" if note else ""
    if schema.get("type") != "object" or not schema.get("properties"):
        return f"{head}export type {name} = {_type(schema)};\n"
    return f"{head}export interface {name} {_object(schema)}\n"


def _object(schema: Schema) -> str:
    required = set(schema.get("required", []))
    lines = []
    for key, value in schema["properties"].items():
        # The host sends every field. One with a default is optional all the same: the
        # same type may be sent by the page, and then it can be left out.
        optional = "" if key in required else "?"
        lines.append(f"  {key}{optional}: {_type(value)};")
    return "{\n" + "\n".join(lines) + "\n}" if lines else "Record<string, never>"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"][2:])
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_type(part) for part in schema[key]))
    match schema.get("type"):
        case "array":
            inner = _type(schema.get("items", {}))
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case "object" if "properties" in schema:
            return _object(schema)
        case "object":
            extra = schema.get("additionalProperties")
            inner = _type(extra) if isinstance(extra, dict) and extra else "unknown"
            return f"Record<string, {inner}>"
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "null":
            return "null"
        case _:
            return "unknown"


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Print the file."""
    sys.stdout.write(generate(asyncio.run(method_table())))


if __name__ == "__main__":
    main()
