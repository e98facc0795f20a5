"""The closed tags of composition files, kept unresolved until a row is mounted."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from dsh.data.paths import Home


class _Tag(ABC):
    """Two tags that are written alike are the same."""

    __slots__ = ()
    tag: ClassVar[str]

    @property
    @abstractmethod
    def text(self) -> str:
        """The scalar as it is written."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.text == self.text

    def __hash__(self) -> int:
        return hash((self.tag, self.text))


class EnvTag(_Tag):
    """``!env NAME default``: a variable of the environment, else the rest as text."""

    __slots__ = ("default", "name")
    tag = "!env"

    def __init__(self, text: str) -> None:
        self.name, _, default = text.partition(" ")
        self.default: str | None = default.strip() or None
        if not self.name:
            raise ValueError("!env needs the name of a variable")

    @property
    def text(self) -> str:
        """The scalar as it is written."""
        return f"{self.name} {self.default}" if self.default else self.name

    def resolve(self, home: Home) -> str | None:
        """The value now; blank counts as unset. ``home`` is not looked at."""
        del home
        return os.environ.get(self.name, "").strip() or self.default


class HomeTag(_Tag):
    """``!home sub/path``: a path below the home, which it may not leave."""

    __slots__ = ("path",)
    tag = "!home"

    def __init__(self, text: str) -> None:
        self.path = text.strip()
        parts = self.path.replace("\\", "/").split("/")
        if ".." in parts or self.path.startswith(("/", "\\")) or ":" in self.path:
            raise ValueError("!home takes a path below the home, without ..")

    @property
    def text(self) -> str:
        """The scalar as it is written."""
        return self.path

    def resolve(self, home: Home) -> str:
        """The absolute path."""
        return str(home.root / self.path)


TAGS: dict[str, type[EnvTag] | type[HomeTag]] = {"!env": EnvTag, "!home": HomeTag}


def resolve(value: object, home: Home) -> object:
    """``value`` with every tag in it replaced by what it stands for.

    A mapping key whose tag resolves to nothing is left out, so that the plugin's own
    default holds.
    """
    if isinstance(value, EnvTag | HomeTag):
        return value.resolve(home)
    if isinstance(value, Mapping):
        resolved = {key: resolve(item, home) for key, item in value.items()}
        unset = [
            key
            for key, item in value.items()
            if isinstance(item, EnvTag) and resolved[key] is None
        ]
        return {key: item for key, item in resolved.items() if key not in unset}
    if isinstance(value, list):
        return [resolve(item, home) for item in value]
    return value
