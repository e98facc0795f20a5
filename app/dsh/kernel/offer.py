"""One published service, kept alive by the leases of those who use it."""

from __future__ import annotations

import asyncio


class Offer:
    """A value under a key, and how many mounts are using it.

    The provider withdraws the offer first and ends only when every lease is back:
    consumers stop before their provider.
    """

    __slots__ = ("_idle", "_leases", "key", "provider", "value")

    def __init__(self, key: type, value: object, provider: str) -> None:
        self.key = key
        self.value = value
        self.provider = provider
        self._leases = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def take(self) -> None:
        """Take one lease."""
        self._leases += 1
        self._idle.clear()

    def give_back(self) -> None:
        """Return one lease."""
        self._leases -= 1
        if self._leases == 0:
            self._idle.set()

    async def drained(self) -> None:
        """Return when nobody uses the value any more."""
        await self._idle.wait()
