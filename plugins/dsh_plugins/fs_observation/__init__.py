"""What a session has not seen, it does not overwrite.

A file may be replaced only in the version that the session saw last, and be edited only
after it was read. What was seen is not kept beyond the life of the session object: after
a resume the agent reads again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from weakref import WeakKeyDictionary

from dsh.kernel import Events, Next, plugin
from dsh.seams.fs import (
    FS_INTENT,
    CreateIfAbsent,
    FsError,
    FsIntent,
    FsObserved,
    ReplaceIfVersion,
    Version,
    WriteIntent,
)

__all__ = ["fs_observation"]


class Observations:
    """The last seen version of each file by session; ``None`` for a file seen absent."""

    def __init__(self) -> None:
        self._seen: WeakKeyDictionary[object, dict[str, Version | None]]
        self._seen = WeakKeyDictionary()

    def observed(self, fact: FsObserved) -> None:
        """Take note of what a session saw."""
        self._seen.setdefault(fact.session, {})[fact.target.key] = fact.version

    async def decide(
        self,
        intent: FsIntent,
        _: Next[FsIntent, WriteIntent | None],
    ) -> WriteIntent | None:
        """The guard for a change. Raises FS_NOT_OBSERVED or FS_NOT_FOUND for an edit."""
        seen = self._seen.get(intent.session, {})
        key, shown = intent.target.key, intent.target.display
        version = seen.get(key)
        if version is not None:
            return ReplaceIfVersion(version)
        if intent.kind == "write":
            return CreateIfAbsent()
        if key in seen:
            raise FsError(f"{shown} does not exist", code="FS_NOT_FOUND")
        raise FsError(f"{shown} was not read yet", code="FS_NOT_OBSERVED")


@plugin
async def fs_observation(events: Events) -> AsyncIterator[None]:
    """Guards every write and edit with what the session saw."""
    observations = Observations()
    with (
        events.on(FsObserved, observations.observed),
        events.wrap(FS_INTENT, observations.decide),
    ):
        yield
