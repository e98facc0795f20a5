"""The catalogue of sessions: a rebuildable index beside the logs."""

from dsh.data.catalogue.catalogue import Catalogue, Page
from dsh.data.catalogue.rows import (
    SessionRow,
    Snapshot,
    Status,
    peek,
    row_of_header,
    take_in,
)

__all__ = [
    "Catalogue",
    "Page",
    "SessionRow",
    "Snapshot",
    "Status",
    "peek",
    "row_of_header",
    "take_in",
]
