"""One section: the value in force, made from the schema, the base and the stored part."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from dsh.seams.settings import S, Section, SettingsProblem
from dsh_plugins.settings_file.document import line_of

if TYPE_CHECKING:
    from dsh_plugins.settings_file.settings import FileSettings

Where = tuple[str | int, ...]
LOG = logging.getLogger(__name__)


def merged(base: object, patch: object) -> object:
    """``patch`` over ``base``: mappings deep, the rest whole, ``None`` removes a key."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(base) if isinstance(base, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def revision_of(raw: object) -> str:
    """A mark of the stored section; comments and layout do not count."""
    text = json.dumps(raw, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Fault:
    """Why a part of a section is not in force."""

    __slots__ = ("fatal", "message", "where")

    def __init__(self, where: Where, message: str, *, fatal: bool) -> None:
        self.where = where
        self.message = message
        self.fatal = fatal

    @property
    def text(self) -> str:
        """For people: place and reason."""
        place = ".".join(str(part) for part in self.where)
        return f"{place}: {self.message}" if place else self.message


class StoredSection(Section[S]):
    """A namespace of the file. Unknown keys stay in the file and are only reported."""

    def __init__(
        self,
        owner: FileSettings,
        namespace: str,
        schema: type[S],
        base: Mapping[str, object],
    ) -> None:
        self.namespace = namespace
        self.schema = schema
        self._owner = owner
        self._base = base
        self._listeners: list[Callable[[S], None]] = []
        self._faults: list[Fault] = []
        self._value: S = schema.model_validate(base)
        self._revision = revision_of(None)
        self.load(owner.document.sections.get(namespace))

    @property
    def value(self) -> S:
        self._owner.refresh()
        return self._value

    @property
    def revision(self) -> str:
        self._owner.refresh()
        return self._revision

    async def update(self, patch: Mapping[str, object], revision: str | None = None) -> S:
        await self._owner.update(self, patch, revision)
        return self._value

    @contextmanager
    def watch(self, listener: Callable[[S], None]) -> Iterator[None]:
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def load(self, raw: object) -> bool:
        """Take over what is stored now; True when the stored part changed."""
        revision = revision_of(raw)
        changed = revision != self._revision
        self._revision = revision
        value, self._faults = self.validate(raw)
        if value is not None and value != self._value:
            self._value = value
            self._tell(value)
        return changed

    def _tell(self, value: S) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(value)
            except Exception:  # one bad listener must not keep the others from hearing
                LOG.exception("a listener to settings %s failed", self.namespace)

    def validate(self, raw: object) -> tuple[S | None, list[Fault]]:
        """The value that ``raw`` stands for, or None, and everything wrong with it."""
        if not isinstance(raw, Mapping) and raw is not None:
            return None, [Fault((), "must be a mapping", fatal=True)]
        data = merged(self._base, raw or {})
        assert isinstance(data, dict)
        faults = self._unknown(data)
        while True:
            try:
                return self.schema.model_validate(data), faults
            except ValidationError as error:
                extra = _without_extras(data, error)
                faults += extra
                if not extra:
                    return None, faults + _fatal(error)

    def problems(self, text: str) -> list[SettingsProblem]:
        """The faults of the stored part, with their lines in ``text``."""
        return [
            SettingsProblem(
                self.namespace, fault.text, line_of(text, (self.namespace, *fault.where))
            )
            for fault in self._faults
        ]

    def _unknown(self, data: dict[str, object]) -> list[Fault]:
        if self.schema.model_config.get("extra") in ("allow", "forbid"):
            return []
        known = set(self.schema.model_fields)
        known |= {
            field.alias for field in self.schema.model_fields.values() if field.alias
        }
        return [_unknown_key((key,)) for key in data if key not in known]


def _unknown_key(where: Where) -> Fault:
    return Fault(where, "unknown, so it has no effect", fatal=False)


def _without_extras(data: object, error: ValidationError) -> list[Fault]:
    """Take forbidden extra keys out of ``data``; the file keeps them."""
    faults = []
    for detail in error.errors(include_url=False, include_context=False):
        where = detail["loc"]
        if detail["type"] != "extra_forbidden":
            continue
        holder = data
        for part in where[:-1]:
            holder = holder[part] if isinstance(holder, dict | list) else None  # type: ignore[index]  # pydantic's own path
        if isinstance(holder, dict) and where[-1] in holder:
            del holder[where[-1]]
            faults.append(_unknown_key(where))
    return faults


def _fatal(error: ValidationError) -> list[Fault]:
    return [
        Fault(detail["loc"], detail["msg"], fatal=True)
        for detail in error.errors(include_url=False, include_context=False)
    ]


def as_base_model(section: StoredSection[S]) -> Section[BaseModel]:
    """The same section for code that shows any of them."""
    return section  # type: ignore[return-value]  # read-only use; S is bound to BaseModel
