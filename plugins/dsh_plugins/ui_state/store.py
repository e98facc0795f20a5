"""One bounded JSON object in a private file, changed by merge patches (RFC 7386)."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Final, cast

from dsh.data.clock import now_ms
from dsh.data.private_files import write_private
from dsh.errors import SurfaceError

Json = dict[str, object]

MOST: Final = 1 << 20  # bytes of the whole state
DEEPEST: Final = 16  # levels
_log = logging.getLogger(__name__)


class StateTooLarge(SurfaceError):
    """The page keeps too much; nothing was changed."""

    code = "STATE_TOO_LARGE"


class Store:
    """The state and its file. A broken file is put aside, never in the way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state: Json | None = None

    def read(self) -> Json:
        """The state; empty when there is none that can be read."""
        if self._state is None:
            self._state = _loaded(self._path)
        return self._state

    def save(self, patch: Json) -> None:
        """Merge and store. Raises :class:`StateTooLarge`; ``null`` removes a member."""
        changed = merged(self.read(), patch)
        # Lone surrogates could never be sent back to the page.
        data = json.dumps(changed, ensure_ascii=False).encode(errors="replace")
        if len(data) > MOST:
            message = f"the state of the page would be larger than {MOST} bytes"
            raise StateTooLarge(message)
        if changed != self._state:
            write_private(self._path, data)
            self._state = json.loads(data)


def merged(state: Json, patch: Json, depth: int = 0) -> Json:
    """A new object: objects merge, everything else replaces, ``None`` removes."""
    if depth > DEEPEST:
        raise StateTooLarge("the state of the page is nested too deeply")
    result = dict(state)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            old = result.get(key)
            below = cast("Json", old) if isinstance(old, dict) else {}
            result[key] = merged(below, value, depth + 1)
        else:
            result[key] = value
    return result


def _loaded(path: Path) -> Json:
    try:
        state = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        _log.warning("the state of the page could not be read: %s", error)
        _put_aside(path)
        return {}
    if isinstance(state, dict):
        return state
    _put_aside(path)
    return {}


def _put_aside(path: Path) -> None:
    try:
        path.rename(path.with_name(f"{path.name}.broken-{now_ms()}"))
    except OSError as error:  # then it will be replaced by the next save
        _log.warning("it could not be put aside either: %s", error)
