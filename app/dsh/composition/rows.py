"""A row: one plugin in the composition, addressed by an id."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from dsh.errors import CompositionError

KEYS: Final = (
    "id",
    "plugin",
    "config",
    "disabled",
    "required",
    "when",
    "group",
    "isolate",
)
WHEN_KEYS: Final = frozenset({"platform", "env", "feature"})


class BadRow(CompositionError):
    """A row or an operation is not shaped as it must be; the message says where."""

    code = "COMPOSITION_BAD_ROW"


class Row:
    """One row as written; ``origin`` says for each key which layer set it."""

    __slots__ = ("group", "id", "origin", "values")

    def __init__(self, id_: str, values: dict[str, object], layer: str) -> None:
        self.id = id_
        self.values = values  # every key but id and group, as written, tags included
        self.group: list[Row] | None = None
        self.origin = dict.fromkeys(("id", *values), layer)

    @property
    def plugin(self) -> str | None:
        """The entry name, ``package.module:attribute``, or a name in the home."""
        plugin = self.values.get("plugin")
        return plugin if isinstance(plugin, str) else None

    @property
    def disabled(self) -> bool:
        """Whether a layer has switched it off."""
        return self.values.get("disabled") is True

    @property
    def required(self) -> bool:
        """Whether the program is not itself without it."""
        return self.values.get("required") is True

    @property
    def isolate(self) -> list[str]:
        """The keys (``module:Class``) that stay inside this group."""
        isolate = self.values.get("isolate")
        return [str(key) for key in isolate] if isinstance(isolate, list) else []

    def applies(self, environment: Mapping[str, str], features: frozenset[str]) -> bool:
        """Whether every condition of ``when`` holds."""
        when = self.values.get("when")
        if not isinstance(when, dict):
            return True
        checks = {
            "platform": lambda names: sys.platform in names,
            "env": lambda names: all(environment.get(name, "").strip() for name in names),
            "feature": lambda names: all(name in features for name in names),
        }
        return all(checks[key](_names(value)) for key, value in when.items())

    def as_written(self) -> dict[str, object]:
        """The row as a document, for ``config dump``."""
        document: dict[str, object] = {"id": self.id}
        document.update({key: self.values[key] for key in KEYS if key in self.values})
        if self.group is not None:
            document["group"] = [row.as_written() for row in self.group]
        return document


def _names(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def walk(rows: Iterable[Row]) -> Iterator[Row]:
    """Every row, groups before their members."""
    for row in rows:
        yield row
        yield from walk(row.group or [])


def parse_row(document: object, layer: str) -> Row:
    """A row from a document. Raises :class:`BadRow`."""
    if not isinstance(document, dict):
        raise BadRow(f"{layer}: a row must be a mapping, not {document!r}")
    id_ = document.get("id")
    if not isinstance(id_, str) or not id_.strip():
        raise BadRow(f"{layer}: a row needs an id: {document!r}")
    group = document.get("group")
    if ("plugin" in document) == (group is not None):
        raise BadRow(f"{layer}: row {id_} needs either a plugin or a group")
    values = {key: value for key, value in document.items() if key not in ("id", "group")}
    check_values(values, f"{layer}: row {id_}")
    row = Row(id_, values, layer)
    if group is not None:
        if not isinstance(group, list):
            raise BadRow(f"{layer}: group of {id_} must be a list of rows")
        row.group = [parse_row(member, layer) for member in group]
        row.origin["group"] = layer
    return row


def check_values(values: Mapping[str, object], where: str) -> None:
    """Raise :class:`BadRow` for unknown keys and values of the wrong kind."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "plugin": str,
        "config": dict,
        "disabled": bool,
        "required": bool,
        "when": dict,
        "isolate": list,
    }
    for key, value in values.items():
        if key not in kinds:
            raise BadRow(f"{where}: unknown key {key!r}")
        if not isinstance(value, kinds[key]):
            raise BadRow(f"{where}: {key} has the wrong kind: {value!r}")
    when = values.get("when")
    for condition in when if isinstance(when, dict) else ():
        if condition not in WHEN_KEYS:
            raise BadRow(f"{where}: unknown condition {condition!r}")
