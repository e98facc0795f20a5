"""Which servers a key may be sent to.

A key belongs to the server it was entered for. When an address changes, by whatever
hand, the key stays here until a person enters it again or confirms the new host.
"""

from __future__ import annotations

import logging
from pathlib import Path

import anyio
import msgspec

from dsh.data import json
from dsh.data.private_files import write_private

LOG = logging.getLogger(__name__)


class KeyBindings:
    """Origins (scheme, host, port) by key reference, kept in a file of the home."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._origins: dict[str, list[str]] | None = None
        self._saving = anyio.Lock()

    def allows(self, ref: str, origin: str) -> bool:
        """Whether the key may go there: it was bound to it, or to nothing yet."""
        known = self._known().get(ref)
        return not known or origin in known

    async def use(self, ref: str, origin: str) -> bool:
        """As :meth:`allows`; the first use binds the key."""
        if not self.allows(ref, origin):
            return False
        if not self._known().get(ref):
            await self.bind(ref, [origin])
        return True

    async def bind(self, ref: str, origins: list[str]) -> None:
        """Bind the key to these servers only; to none means to the next that uses it."""
        if self.rebind(ref, origins):
            await self.save()

    def rebind(self, ref: str, origins: list[str]) -> bool:
        """Bind at once, without saving; True when anything changed."""
        if self._known().get(ref, []) == origins:
            return False
        self._known()[ref] = list(origins)
        return True

    async def save(self) -> None:
        """Write what is in force. A file that cannot be written is only reported."""
        async with self._saving:
            data = json.encode({ref: o for ref, o in self._known().items() if o})
            try:
                await anyio.to_thread.run_sync(write_private, self._path, data)
            except OSError as error:
                LOG.warning("%s cannot be written: %s", self._path, error.strerror)

    def _known(self) -> dict[str, list[str]]:
        if self._origins is None:
            self._origins = self._read()
        return self._origins

    def _read(self) -> dict[str, list[str]]:
        try:
            data = self._path.read_bytes()
            return msgspec.json.decode(data, type=dict[str, list[str]])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            LOG.warning("%s cannot be read: %s", self._path, error)
            return {}
