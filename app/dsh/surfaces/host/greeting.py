"""What a client is told first: the state of the host, as one picture."""

from __future__ import annotations

import logging

import anyio
import msgspec

from dsh.data.json import encode
from dsh.kernel import Scope
from dsh.seams.gateway import Snapshots
from dsh.surfaces.host.feed import item
from dsh.surfaces.host.hub import Hub

SETTLE_SECONDS = 0.1  # parts of a boot come together
logger = logging.getLogger(__name__)


class Greeting:
    """Makes host snapshots from what parts of the program contribute."""

    def __init__(self, hub: Hub, scope: Scope) -> None:
        self._hub = hub
        self._snapshots = scope.get(Snapshots)
        self._stale = anyio.Event()

    async def items(self) -> list[bytes]:
        """The snapshot, then what was told while it was made.

        To be passed on before the next await: nothing is missing up to that moment.
        """
        while True:
            seq = self._hub.seq
            snapshot = await self._snapshot(seq)
            later = self._hub.missed(self._hub.epoch, seq)
            if later is not None:  # else more happened than is remembered
                return [item("host", "host/snapshot", encode(snapshot)), *later]

    async def _snapshot(self, seq: int) -> dict[str, object]:
        found: dict[str, object] = {"epoch": self._hub.epoch, "seq": seq}
        found |= {"sessions": [], "workspaces": [], "approvals": []}
        for key, make in self._snapshots.items().items():
            try:
                found[key] = msgspec.Raw(encode(await make()))
            except Exception:
                # One part that cannot say how it is must not keep the page from the rest.
                logger.exception("%s are left out of the snapshot", key)
        return found

    def refresh(self) -> None:
        """Tell every client the whole state again, in a moment."""
        self._stale.set()

    async def run(self) -> None:
        """Tell clients again when parts came or went, until cancelled."""
        with self._snapshots.watched(self.refresh):
            while True:
                await self._stale.wait()
                await anyio.sleep(SETTLE_SECONDS)
                self._stale = anyio.Event()
                if self._hub.clients:
                    items = await self.items()
                    for feed in self._hub.clients:
                        for payload in items:
                            feed.put(payload)
