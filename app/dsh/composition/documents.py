"""Reading and writing the YAML of composition: plain data plus the closed tags."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import yaml

from dsh.composition.values import TAGS, EnvTag, HomeTag
from dsh.errors import CompositionError

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

LIMIT = 1_000_000  # bytes; a composition file of a person is a few kilobytes


class Unreadable(CompositionError):
    """A composition file is missing, too large, or not the YAML it should be."""

    code = "COMPOSITION_UNREADABLE"


class _Loader(_Base):  # type: ignore[valid-type,misc]  # the C loader, if built in
    """The safe loader, with our tags and without silent duplicate keys."""

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[Hashable, object]:
        keys = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands here twice", node.start_mark
                )
        mapping: dict[Hashable, object] = super().construct_mapping(node, deep=deep)
        return mapping


def _construct_tag(loader: yaml.SafeLoader, node: yaml.Node) -> EnvTag | HomeTag:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.constructor.ConstructorError(
            None, None, f"{node.tag} takes a text", node.start_mark
        )
    try:
        return TAGS[node.tag](str(loader.construct_scalar(node)))
    except ValueError as error:
        raise yaml.constructor.ConstructorError(
            None, None, str(error), node.start_mark
        ) from None


for _tag in TAGS:
    _Loader.add_constructor(_tag, _construct_tag)


class _Dumper(yaml.SafeDumper):
    """The safe dumper with our tags; never writes aliases."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        return True


def _represent_tag(dumper: yaml.SafeDumper, tag: EnvTag | HomeTag) -> yaml.Node:
    return dumper.represent_scalar(tag.tag, tag.text)


_Dumper.add_representer(EnvTag, _represent_tag)
_Dumper.add_representer(HomeTag, _represent_tag)


def parse(text: str, name: str) -> object:
    """The document of ``text``. Raises :class:`Unreadable` with ``name`` and line."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506  # a safe loader with two tags
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}, line {mark.line + 1}" if mark else name
        raise Unreadable(f"{where}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(f"{name}: {error}") from None


def read(path: Path) -> object:
    """The document of a file. Raises :class:`Unreadable`; missing files too."""
    try:
        if path.stat().st_size > LIMIT:
            raise Unreadable(f"{path} is larger than {LIMIT} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from None
    return parse(text, str(path))


def dump(value: object) -> str:
    """YAML text, keys in the given order, tags unresolved."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
