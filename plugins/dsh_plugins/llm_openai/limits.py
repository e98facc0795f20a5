"""How long a server may take, by where it is."""

from __future__ import annotations

from dsh.seams.endpoints import EndpointLimits

# A local server may have to load a model, and to read a long prompt slowly.
REMOTE = EndpointLimits(connect=15, first=300, idle=300)
LOCAL = EndpointLimits(connect=5, first=1800, idle=600)


class Patience:
    """The limits of one endpoint in seconds, all of them set."""

    __slots__ = ("connect", "first", "idle")

    def __init__(self, chosen: EndpointLimits, *, local: bool) -> None:
        usual = LOCAL if local else REMOTE
        self.connect = _set(chosen.connect, usual.connect)
        self.first = _set(chosen.first, usual.first)
        self.idle = _set(chosen.idle, usual.idle)


def _set(chosen: float | None, usual: float | None) -> float:
    value = usual if chosen is None else chosen
    assert value is not None
    return value
