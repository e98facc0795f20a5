"""The durable vocabulary of a session: one typed dictionary for the data of each type.

Plugins may register more types, see :mod:`dsh.data.events.registry`. A state-carrying
event holds the whole state after the change, never a difference.
"""

from dsh.data.events.envelope import Event, Header, SurfaceOp
from dsh.data.events.registry import EVENT_SCHEMAS, EventSchema, EventSchemas

__all__ = [
    "EVENT_SCHEMAS",
    "Event",
    "EventSchema",
    "EventSchemas",
    "Header",
    "SurfaceOp",
]
