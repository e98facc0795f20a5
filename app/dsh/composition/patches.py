"""Operations on rows: insert, remove, replace whole keys; who did it is kept per key."""

from __future__ import annotations

from collections.abc import Iterable

from dsh.composition.rows import BadRow, Row, check_values, parse_row, walk


class Notice:
    """Something in a layer that had no effect, for people."""

    __slots__ = ("layer", "message")

    def __init__(self, layer: str, message: str) -> None:
        self.layer = layer
        self.message = message

    def __repr__(self) -> str:
        return f"<{self.layer}: {self.message}>"


class Layer:
    """One named list of operations. In a ``strict`` layer an unmatched id is an error."""

    __slots__ = ("name", "operations", "strict")

    def __init__(self, name: str, operations: list[object], *, strict: bool) -> None:
        self.name = name
        self.operations = operations
        self.strict = strict


def switching_off(name: str, *rows: str) -> Layer:
    """A layer of a launcher's that switches off rows, as far as they are there."""
    return Layer(name, [{"id": row, "disabled": True} for row in rows], strict=False)


class Rows:
    """The rows while layers are applied to them."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.warnings: list[Notice] = []

    def apply(self, layer: Layer) -> None:
        """Apply every operation of a layer, in order.

        A bad operation of a strict layer raises :class:`BadRow`; in other layers it is
        left out with a warning, and the rest goes on.
        """
        for operation in layer.operations:
            try:
                self._apply_one(layer.name, operation)
            except BadRow as error:
                if layer.strict:
                    raise
                self.warnings.append(Notice(layer.name, str(error)))

    def find(self, id_: str) -> tuple[list[Row], Row] | None:
        """The row with this id and the list it stands in."""
        pending = [self.rows]
        while pending:
            siblings = pending.pop()
            for row in siblings:
                if row.id == id_:
                    return siblings, row
                if row.group is not None:
                    pending.append(row.group)
        return None

    def _apply_one(self, layer: str, operation: object) -> None:
        if not isinstance(operation, dict):
            raise BadRow(f"{layer}: an operation must be a mapping: {operation!r}")
        if "insert" in operation:
            self._insert(layer, operation)
            return
        id_ = operation.get("id")
        if not isinstance(id_, str):
            raise BadRow(f"{layer}: an operation needs `insert` or an `id`")
        found = self.find(id_)
        if found is None:
            raise BadRow(f"{layer}: there is no row {id_}")
        siblings, row = found
        if operation.get("remove") is True:
            siblings.remove(row)
            return
        self._replace(layer, row, {k: v for k, v in operation.items() if k != "id"})

    def _replace(self, layer: str, row: Row, values: dict[str, object]) -> None:
        members = values.pop("group", None)
        check_values(values, f"{layer}: row {row.id}")
        if "plugin" in values and row.group is not None:
            raise BadRow(f"{layer}: {row.id} is a group and can have no plugin")
        if members is not None:
            if row.group is None or not isinstance(members, list):
                raise BadRow(f"{layer}: {row.id} is no group, or group is no list")
            row.group = self._parsed(layer, members, instead_of=row.group)
            row.origin["group"] = layer
        row.values.update(values)
        row.origin.update(dict.fromkeys(values, layer))

    def _insert(self, layer: str, operation: dict[object, object]) -> None:
        unknown = set(operation) - {"insert", "into", "before", "after"}
        if unknown or not isinstance(operation["insert"], list):
            raise BadRow(f"{layer}: insert takes a list of rows, into, before or after")
        siblings = self._place(layer, operation.get("into"))
        position = self._position(layer, siblings, operation)
        siblings[position:position] = self._parsed(layer, operation["insert"])

    def _parsed(
        self, layer: str, documents: list[object], instead_of: Iterable[Row] = ()
    ) -> list[Row]:
        """Rows whose ids are not taken yet, neither among themselves."""
        rows = [parse_row(document, layer) for document in documents]
        taken = {row.id for row in walk(self.rows)}
        taken -= {row.id for row in walk(instead_of)}
        for row in walk(rows):
            if row.id in taken:
                raise BadRow(f"{layer}: there is already a row {row.id}")
            taken.add(row.id)
        return rows

    def _place(self, layer: str, into: object) -> list[Row]:
        if into is None:
            return self.rows
        found = self.find(str(into))
        if found is None or found[1].group is None:
            raise BadRow(f"{layer}: there is no group {into}")
        return found[1].group

    def _position(
        self, layer: str, siblings: list[Row], operation: dict[object, object]
    ) -> int:
        before, after = operation.get("before"), operation.get("after")
        if before is None and after is None:
            return len(siblings)
        anchor = before if before is not None else after
        for index, row in enumerate(siblings):
            if row.id == anchor:
                return index if before is not None else index + 1
        raise BadRow(f"{layer}: there is no row {anchor} to insert beside")
