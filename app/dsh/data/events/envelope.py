"""The line of a log: header and event, as they are written and read."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

FORMAT = 1


class Header(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The first line of ``log.jsonl``. Facts of creation, never changed."""

    format: int
    id: str
    created: int  # ms since the epoch
    cwd: str  # the workspace folder, absolute and resolved
    preset: str | None = None
    parent: str | None = None


class SurfaceOp(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an event changes what the model sees: at the end, or instead of a range.

    ``start`` and ``end`` are the seqs of the first and last message replaced, by
    position on the surface.
    """

    op: Literal["append", "replace"]
    start: int | None = None
    end: int | None = None


APPEND = SurfaceOp("append")


class Event(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One fact. ``data`` is lossless JSON and must not be changed by anybody."""

    seq: int
    type: str
    time: int  # ms since the epoch
    data: dict[str, Any]  # Any: JSON whose shape the schema of its type fixes
    surface_op: SurfaceOp | None = None
    source_event_seqs: list[int] | None = None
    ignorable: bool = False
