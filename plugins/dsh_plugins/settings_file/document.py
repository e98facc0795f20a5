"""The settings file as data: the last text that could be read, and what is wrong with it.

PyYAML reads (fast, on the start path), ruamel.yaml edits (it keeps comments, order and
sections that nobody here knows).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dsh.seams.settings import SettingsProblem, SettingsRejected

if TYPE_CHECKING:
    from yaml import SafeLoader
    from yaml.nodes import Node

LARGEST = 1 << 20  # bytes; a person's settings are a few kB
_SCALARS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ("~", "n", "N", "")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "float",
        r"^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
    ("merge", r"^(?:<<)$", "<"),
)


class Unreadable(Exception):
    """The text is no settings document; ``line`` counts from 1.

    It stays in this package: others see a `SettingsProblem` or `SettingsRejected`.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line

    @property
    def placed(self) -> str:
        """The message with its line."""
        return f"{self} in line {self.line}" if self.line is not None else str(self)


class Document:
    """What the file says; while it cannot be read, the last good text is in force."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sections: dict[str, object] = {}
        self.text = ""
        self.problem: SettingsProblem | None = None
        self._seen: tuple[int, int, int] | None = None
        self._looked = False

    def refresh(self) -> bool:
        """Read the file again if it changed; True when anything may be different."""
        seen = _signature(self.path)
        if self._looked and seen == self._seen:
            return False
        self._looked, self._seen = True, seen
        try:
            text = read_text(self.path)
            self.sections = parse(text)
        except Unreadable as error:
            message = f"{self.path}: {error}"
            self.problem = SettingsProblem("", message, error.line)
        else:
            self.text = text
            self.problem = None
        return True


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def read_text(path: Path) -> str:
    """The file's text, "" when there is none. Raises :class:`Unreadable`."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error
    if len(data) > LARGEST:
        raise Unreadable(f"larger than {LARGEST} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("not UTF-8", line) from error


def parse(text: str) -> dict[str, object]:
    """Sections by name. Raises :class:`Unreadable`."""
    if not text.strip():
        return {}
    import yaml  # not needed by the many homes that have no settings yet

    try:
        document = yaml.load(text, _loader())  # noqa: S506  # it is a safe one
    except yaml.YAMLError as error:
        raise _unreadable(error) from error
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise Unreadable("must hold sections, such as `models:`", 1)
    return {str(name): section for name, section in document.items()}


@cache
def _loader() -> type[SafeLoader]:
    """A safe loader by the rules of YAML 1.2, which ruamel.yaml and people go by: ``off``
    is a word, ``10:30`` no number and ``2024-01-01`` no date.
    """
    import yaml

    base: type[SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[valid-type,misc]  # its base depends on the build
        yaml_implicit_resolvers: ClassVar[dict[str, list[object]]] = {}

    for kind, pattern, first in _SCALARS:
        tag = f"tag:yaml.org,2002:{kind}"
        Loader.add_implicit_resolver(tag, re.compile(pattern), list(first))
    return Loader


def _unreadable(error: Exception) -> Unreadable:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error)
    if mark is None:
        return Unreadable(str(reason))
    return Unreadable(str(reason), mark.line + 1)


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line of the deepest part of ``path`` that stands in ``text``."""
    import yaml  # read already, or there would be no text to look in

    node: Node | None
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    line: int | None = None
    for part in path:
        found = _child(node, part)
        if found is None:
            break
        line, node = found
    return line


def _child(node: Node | None, part: str | int) -> tuple[int, Node] | None:
    if node is None or not isinstance(node.value, list):
        return None
    if isinstance(part, int):
        if part < len(node.value) and not isinstance(node.value[part], tuple):
            item = node.value[part]
            return item.start_mark.line + 1, item
        return None
    for pair in node.value:
        if isinstance(pair, tuple) and pair[0].value == part:
            return pair[0].start_mark.line + 1, pair[1]
    return None


def rewritten(text: str, namespace: str, section: dict[str, object]) -> str:
    """``text`` with that section changed to ``section`` and everything else as it was.

    Raises :class:`SettingsRejected` when the text cannot be edited safely.
    """
    from io import StringIO

    from ruamel.yaml import YAML  # only for edits: it is slow to import
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        document = yaml.load(text) if text.strip() else None
        added = document is None  # ruamel drops the comments of a text without data
        if document is None:
            document = CommentedMap()
        current = document.get(namespace)
        if not isinstance(current, dict):
            document[namespace] = CommentedMap()
        _apply(document[namespace], section)
        out = StringIO()
        yaml.dump(document, out)
    except (YAMLError, TypeError, AttributeError, ValueError) as error:
        message = f"the settings file cannot be edited: {error}"
        raise SettingsRejected(message, remedy="edit it by hand") from error
    lead = text if added else ""
    result = (lead + "\n" * bool(lead and not lead.endswith("\n"))) + out.getvalue()
    if parse(result).get(namespace) != section:
        message = "the settings file cannot be edited without changing its meaning"
        raise SettingsRejected(message, remedy="edit it by hand")
    return result


def _apply(target: dict[str, object], wanted: dict[str, object]) -> None:
    """Make a commented mapping say ``wanted`` while touching only what differs."""
    for key in [key for key in target if key not in wanted]:
        del target[key]
    for key, value in wanted.items():
        current = target.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            _apply(current, value)
        elif key not in target or current != value:
            target[key] = value
