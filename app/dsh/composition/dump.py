"""What boots, as YAML that says for each row which layers made it."""

from __future__ import annotations

from dsh.composition.documents import dump
from dsh.composition.profiles import Composition
from dsh.composition.rows import Row


def dump_composition(composition: Composition) -> str:
    """The whole composition; tags stay unresolved, so no secret shows."""
    lines = [f"# profile {composition.selection.profile}"]
    lines += [f"# layer: {name}" for name in composition.layers]
    for row in composition.rows:
        lines.append(f"# == {_origin(row)}")
        lines.append(dump([row.as_written()]).rstrip("\n"))
    return "\n".join(lines) + "\n"


def _origin(row: Row) -> str:
    first = row.origin["id"]
    later: dict[str, list[str]] = {}
    for key, layer in row.origin.items():
        if layer != first:
            later.setdefault(layer, []).append(key)
    parts = [first]
    parts += [f"{layer} set {', '.join(keys)}" for layer, keys in later.items()]
    return "; ".join(parts)
