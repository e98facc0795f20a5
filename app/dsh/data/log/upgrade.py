"""Which formats can be read, and how older ones become the present one.

The first step of the chain turns an event of format 1 into one of format 2, and so on.
A log is upgraded as a whole, into a new file, when it is opened for writing; see
:func:`dsh.data.log.repair.upgrade_log`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dsh.data.events import Event
from dsh.data.events.envelope import FORMAT
from dsh.errors import DataError

Upgrade = Callable[[Event], Event]

UPGRADES: Final[Sequence[Upgrade]] = ()  # format 1 is the first


def upgrade_from(format_: int, chain: Sequence[Upgrade] = UPGRADES) -> Upgrade | None:
    """How to bring events of ``format_`` up to date; None when there is nothing to do.

    Raises :class:`DataError` FORMAT_NEWER, or SESSION_DAMAGED for a format that never
    existed.
    """
    newest = len(chain) + 1
    if format_ > newest:
        message = f"the session was written in format {format_}; this program reads"
        raise DataError(
            f"{message} up to {newest}",
            code="FORMAT_NEWER",
            remedy="Open it with a newer version of this program.",
        )
    if format_ < 1:
        raise DataError(f"there is no format {format_}", code="SESSION_DAMAGED")
    steps = chain[format_ - 1 :]
    if not steps:
        return None

    def upgrade(event: Event) -> Event:
        for step in steps:
            event = step(event)
        return event

    return upgrade


assert len(UPGRADES) + 1 == FORMAT
