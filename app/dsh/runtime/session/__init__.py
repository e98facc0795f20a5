"""Sessions: durable events, the surface a model sees, and folded states."""

from dsh.data.log import Surface
from dsh.runtime.session.facts import (
    SessionAppended,
    SessionClosed,
    SessionOpened,
    SessionsChanged,
    SessionStopped,
)
from dsh.runtime.session.keeper import row_of
from dsh.runtime.session.listing import Listing
from dsh.runtime.session.projection import Projection, Projections
from dsh.runtime.session.session import Session
from dsh.runtime.session.sessions import Sessions

__all__ = [
    "Listing",
    "Projection",
    "Projections",
    "Session",
    "SessionAppended",
    "SessionClosed",
    "SessionOpened",
    "SessionStopped",
    "Sessions",
    "SessionsChanged",
    "Surface",
    "row_of",
]
