"""Finds plugins by entry name: ours, installed ones, and those of the home."""

from __future__ import annotations

import importlib
import itertools
import re
import sys
import tomllib
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dsh.data.paths import Home
from dsh.errors import CompositionError
from dsh.kernel import Plugin

FIRST_PARTY = ("dsh", "dsh_plugins")
_NAME = re.compile(r"[^/\\:\0.][^/\\:\0]*\Z")
_generation = itertools.count(1)


class PluginUnavailable(CompositionError):
    """The entry cannot be imported, or is no plugin; the cause is chained."""

    code = "PLUGIN_UNAVAILABLE"


def is_first_party(entry: str) -> bool:
    """Whether the entry's code ships with this program."""
    return entry.partition(":")[0].split(".")[0] in FIRST_PARTY


def folder_of(entry: str, home: Home) -> Path | None:
    """The folder of a home plugin; ``None`` for code that is not in the home."""
    name = entry.partition(":")[0]
    if is_first_party(entry) or not _NAME.match(name):
        return None
    folder = home.plugins / name
    try:
        return folder if (folder / "plugin.toml").is_file() else None
    except OSError:  # out of bounds, or no name that this system takes
        return None


def load(entry: str, home: Home) -> Plugin:
    """Import the plugin behind ``entry``. Runs foreign code; may block.

    ``package.module:attribute`` names installed code, ``name`` or ``name:attribute`` a
    folder of the home's ``plugins`` with a ``plugin.toml`` (keys ``entry`` and, if the
    plugin brings its own packages, a ``vendor`` folder). Raises
    :class:`PluginUnavailable`.
    """
    folder = folder_of(entry, home)
    with _unavailable(entry):
        found = _from_home(entry, folder) if folder else _installed(entry)
    if not isinstance(found, Plugin):
        raise PluginUnavailable(f"{entry} is no plugin but {type(found).__name__}")
    return found


def load_key(name: str) -> type:
    """The class behind ``module:Class``, a service of this program.

    Raises :class:`PluginUnavailable`. Foreign modules are not imported for this: it
    happens on the loop, and they could keep it for ever.
    """
    if not is_first_party(name):
        raise PluginUnavailable(f"{name} is no service of this program to isolate")
    with _unavailable(name):
        found = _installed(name)
    if not isinstance(found, type):
        raise PluginUnavailable(f"{name} is no class and cannot be isolated")
    return found


@contextmanager
def _unavailable(entry: str) -> Iterator[None]:
    """Turn whatever an import raises, even SystemExit, into an error about ``entry``."""
    try:
        yield
    except (PluginUnavailable, KeyboardInterrupt):
        raise
    except BaseException as error:
        message = f"{entry} cannot be imported: {type(error).__name__}: {error}"
        raise PluginUnavailable(message) from error


def _installed(entry: str) -> object:
    module, _, attribute = entry.partition(":")
    if not module or not attribute:
        message = f"{entry!r} is neither package.module:attribute nor in the home"
        raise PluginUnavailable(message)
    found: object = getattr(importlib.import_module(module), attribute)
    return found


def _from_home(entry: str, folder: Path) -> object:
    _, _, attribute = entry.partition(":")
    manifest = tomllib.loads((folder / "plugin.toml").read_text(encoding="utf-8"))
    target = manifest.get("entry")
    if not isinstance(target, str) or ":" not in target:
        raise PluginUnavailable(f'{folder}: plugin.toml needs entry = "module:attribute"')
    module, _, named = target.partition(":")
    vendor = folder / "vendor"
    if vendor.is_dir() and str(vendor) not in sys.path:
        sys.path.append(str(vendor))
    # A fresh package for each load, so that a reload never sees an old module.
    name = re.sub(r"\W", "_", folder.name)
    package = f"dsh_home_{name}_{next(_generation)}"
    root = types.ModuleType(package)
    root.__path__ = [str(folder)]
    sys.modules[package] = root
    importlib.invalidate_caches()  # what was added a moment ago counts
    try:
        code = importlib.import_module(f"{package}.{module}")
        found: object = getattr(code, attribute or named)
    except BaseException:
        for loaded in tuple(sys.modules):
            if loaded == package or loaded.startswith(f"{package}."):
                del sys.modules[loaded]
        raise
    return found
