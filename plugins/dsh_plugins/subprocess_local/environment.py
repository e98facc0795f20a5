"""The environment of children: the person's own, not the program's.

No secrets and no ``DSH_*`` names go to children (whatever reads them may send them
away), and nothing of a one-file bundle: with its LD_LIBRARY_PATH the system's programs
would load the bundle's libraries.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

_SENSITIVE = re.compile("KEY|PASSWORD|SECRET|TOKEN", re.IGNORECASE)
_OWN_PREFIXES = ("DSH_", "_PYI_", "_MEI", "PYDANTIC_DISABLE_PLUGINS")
_RESTORED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
_BUNDLE_ONLY = ("GI_TYPELIB_PATH", "GIO_MODULE_DIR", "GDK_PIXBUF_MODULE_FILE")
_PATH_LISTS = ("XDG_DATA_DIRS", "PATH")


def bundle_folder() -> Path | None:
    """Where the frozen program was unpacked; ``None`` when it runs from source."""
    folder = getattr(sys, "_MEIPASS", None)
    return Path(folder) if folder else None


def inherited(environ: Mapping[str, str], bundle: Path | None) -> dict[str, str]:
    """What of ``environ`` children may have."""
    kept = {
        name: value
        for name, value in environ.items()
        if not _SENSITIVE.search(name) and not name.upper().startswith(_OWN_PREFIXES)
    }
    if bundle is not None:
        _undo_bundle(kept, bundle)
    return kept


def _undo_bundle(env: dict[str, str], bundle: Path) -> None:
    """Restore what the bundle's starter changed (it keeps originals as ``…_ORIG``)."""
    for name in _RESTORED:
        env.pop(name, None)
        original = env.pop(name + "_ORIG", None)
        if original:
            env[name] = original
    for name in _BUNDLE_ONLY:
        if _inside(env.get(name, ""), bundle):
            del env[name]
    for name in _PATH_LISTS:
        if name in env:
            parts = [p for p in env[name].split(":") if not _inside(p, bundle)]
            env[name] = ":".join(parts)
            if not parts:
                del env[name]


def _inside(path: str, folder: Path) -> bool:
    return bool(path) and Path(path).is_relative_to(folder)


def merged_path(login: str, current: str) -> str:
    """The login shell's entries, then those that only the program had; each once."""
    entries = [entry for entry in f"{login}:{current}".split(":") if entry]
    return ":".join(dict.fromkeys(entries))
