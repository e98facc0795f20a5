"""A process that appends until it is killed, and says what it was promised."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

import anyio

from unit.session.story import sessions_in, user


def append_for_ever(home: str, promises: Connection) -> None:
    """Send the highest seq that is acknowledged, again and again."""
    anyio.run(_append, Path(home), promises)


async def _append(home: Path, promises: Connection) -> None:
    async with sessions_in(home, strict=False) as sessions:
        if await sessions.find("s1"):
            session = await sessions.open("s1")
        else:
            session = await sessions.create(home, id="s1")
        assert session.writer is not None
        while True:
            for size in (1, 7, 100):
                for _ in range(size):
                    session.append("user/message", user("x" * size * 10))
                if size == 7:
                    await session.flush()
                else:
                    await anyio.sleep(0.001)
                promises.send(session.writer.written)
