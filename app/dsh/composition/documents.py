"""Reading and writing the YAML of composition: plain data plus the closed tags."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from stat import S_ISREG

import yaml

from dsh.composition.values import TAGS, EnvTag, HomeTag
from dsh.errors import CompositionError

_Base: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

LIMIT = 1_000_000  # bytes; a composition file of a person is a few kilobytes
DEPTH, NODES = 50, 50_000  # of a document with its aliases written out


class Unreadable(CompositionError):
    """A composition file is missing, too large, or not the YAML it should be."""

    code = "COMPOSITION_UNREADABLE"


class Missing(Unreadable):
    """There is no such file."""


class _Loader(_Base):  # type: ignore[valid-type,misc]  # the C loader, if built in
    """The safe loader, with our tags and without silent duplicate keys."""

    def construct_mapping(
        self,
        node: yaml.MappingNode,
        deep: bool = False,  # noqa: FBT001, FBT002
    ) -> dict[Hashable, object]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _fault(node, f"the key {key.value!r} stands here twice")
                seen.add(key.value)
        mapping: dict[Hashable, object] = super().construct_mapping(node, deep=deep)
        return mapping


def _construct_tag(loader: yaml.SafeLoader, node: yaml.Node) -> EnvTag | HomeTag:
    if not isinstance(node, yaml.ScalarNode):
        raise _fault(node, f"{node.tag} takes a text")
    try:
        return TAGS[node.tag](str(loader.construct_scalar(node)))
    except ValueError as error:
        raise _fault(node, str(error)) from None


def _fault(node: yaml.Node, message: str) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, message, node.start_mark)


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
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            return None if node is None else loader.construct_document(_bounded(node))
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}, line {mark.line + 1}" if mark else name
        raise Unreadable(f"{where}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(f"{name}: {error}") from None


def _bounded(root: yaml.Node) -> yaml.Node:
    """``root``, unless it is so deep, or so large with every alias written out, that
    walking through it would end the program or take for ever.
    """
    pending, nodes = [(root, 1)], 0
    while pending:
        node, depth = pending.pop()
        nodes += 1
        if depth > DEPTH or nodes > NODES:
            raise _fault(node, "this is nested too deeply, or grows too large")
        if isinstance(node, yaml.MappingNode):
            pending += [(part, depth + 1) for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            pending += [(part, depth + 1) for part in node.value]
    return root


def read(path: Path) -> object:
    """The document of a file. Raises :class:`Unreadable`, or :class:`Missing`."""
    return parse(read_text(path), str(path))


def read_text(path: Path) -> str:
    """The text of a file that is short enough to be one of ours; raises as `read`."""
    try:
        facts = path.stat()
        if not S_ISREG(facts.st_mode):  # reading a pipe would wait for ever
            raise Unreadable(f"{path} is not a file")
        if facts.st_size > LIMIT:
            raise Unreadable(f"{path} is larger than {LIMIT} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        raise Missing(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from None


def dump(value: object) -> str:
    """YAML text, keys in the given order, tags unresolved."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
