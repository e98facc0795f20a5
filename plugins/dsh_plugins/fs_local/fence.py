"""Which files a policy lets a call see and change.

What decides are the identities of the folders above the file, read from the folder that
is really open: neither a name that only looks like a root nor a link swapped in between
makes a difference. It fences in trusted code; a command needs the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dsh.seams.fs import FsError
from dsh.seams.sandbox import Policy
from dsh_plugins.fs_local.failures import refused
from dsh_plugins.fs_local.folder import Identity, identity
from dsh_plugins.fs_local.place import Place

_PROCESS: Final = re.compile(r"/proc/\d+(/|$)")
_WIDER: Final = "it needs a wider sandbox mode"


class Fence:
    """A policy with its folders looked up. The session's own temp always stays open."""

    __slots__ = ("_hidden", "_own", "_policy", "_protected", "_roots")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._own = _identities([policy.temp])
        self._hidden = _identities(policy.hidden)
        self._protected = _identities(policy.read_only)
        self._roots = _identities(policy.writable_roots())

    def check_read(self, place: Place, own: Identity | None = None) -> None:
        """Raise FS_SANDBOX_DENIED for what must not be seen."""
        self._chain(place, own)

    def check_write(self, place: Place, own: Identity | None = None) -> None:
        """Raise FS_SANDBOX_DENIED for what must not be changed."""
        chain = self._chain(place, own)
        if chain & self._own:
            return
        if self._policy.mode == "read-only":
            message = f"{place.shown} may not be changed in read-only mode"
            raise _denied(message, _WIDER)
        if chain & self._protected or _below(place.path, self._policy.read_only):
            raise _denied(f"{place.shown} is protected: it belongs to this program")
        if not chain & self._roots:
            message = f"{place.shown} is outside the folder that may be changed"
            raise _denied(f"{message} in {self._policy.mode} mode", _WIDER)

    def hides(self, own: Identity) -> bool:
        """Whether a child of a visible folder must not be shown."""
        return own in self._hidden and own not in self._own

    def _chain(self, place: Place, own: Identity | None) -> set[Identity]:
        chain = set(place.folder.chain())
        if own is not None:
            chain.add(own)
        if chain & self._own:
            return chain
        if chain & self._hidden or _below(place.path, self._policy.hidden):
            raise _denied(f"{place.shown} is hidden: it belongs to this program")
        if _PROCESS.match(place.path.as_posix()):
            # It shows memory and environment of programs, this one and its keys included.
            raise _denied(f"{place.shown} is hidden: it shows a running program")
        return chain


def _identities(paths: Iterable[Path]) -> set[Identity]:
    found = set()
    for path in paths:
        try:
            found.add(identity(path.stat()))
        except OSError:  # a root that does not exist contains nothing
            continue
    return found


def _below(path: Path, folders: Iterable[Path]) -> bool:
    # For what does not exist yet and so has no identity.
    return any(
        path.is_relative_to(folder) or path.is_relative_to(folder.resolve())
        for folder in folders
    )


def _denied(message: str, remedy: str | None = None) -> FsError:
    return refused("FS_SANDBOX_DENIED", message, remedy)
