"""What travels between host and page beside the methods of plugins."""

from __future__ import annotations

from typing import Any, Literal

from dsh.runtime.tools.cards import AnyCard
from dsh.seams.gateway import Wire


class ModelRoute(Wire):
    """Which model answers."""

    provider: str
    model: str
    effort: str | None = None


class SessionSummary(Wire):
    """A session in a list."""

    session_id: str
    title: str | None
    workspace_id: str | None
    cwd: str
    created: int
    updated: int
    status: Literal["idle", "running", "waiting", "failed"]
    unseen: bool
    blank: bool
    preset: str | None
    mode: str
    model: ModelRoute | None
    read_only: str | None


class SurfaceOpView(Wire):
    """See `dsh.data.events.SurfaceOp`."""

    op: Literal["append", "replace"]
    start: int | None = None
    end: int | None = None


class SessionEvent(Wire):
    """A durable event, with the card of a tool call or result."""

    seq: int
    type: str
    time: int
    data: dict[str, Any]  # Any: fixed by the event's type, see the vocabulary
    surface_op: SurfaceOpView | None = None
    source_event_seqs: list[int] | None = None
    card: AnyCard | None = None


class QueueItem(Wire):
    """A message that waits."""

    id: str
    text: str


class QueueState(Wire):
    """What waits for a turn of its own, and what for the next step."""

    next_turn: list[QueueItem]
    next_step: list[QueueItem]


class LiveState(Wire):
    """Where a running agent is."""

    status: Literal["idle", "running"]
    turn: int | None = None
    step: int | None = None


class SessionSnapshot(Wire):
    """All that a page needs to show a session from nothing."""

    session: SessionSummary
    last_seq: int
    events: list[SessionEvent]
    first_seq: int
    has_more: bool
    queue: QueueState
    live: LiveState
    projections: dict[str, Any]  # Any: each projection's own JSON
    read_only: str | None
    notice: str | None = None  # what opening it had to repair


class BootRow(Wire):
    """One row of the composition and what became of it."""

    id: str
    plugin: str
    phase: str
    required: bool
    disabled: bool
    origin: dict[str, str]
    error: BootError | None
    missing: dict[str, str]
    seconds: float
    folder: str | None


class BootError(Wire):
    """Why a row failed."""

    code: str
    message: str
    remedy: str | None = None


class LayerWarning(Wire):
    """Something in a layer that had no effect."""

    layer: str
    message: str


class BootReport(Wire):
    """The whole boot."""

    safe_mode: bool
    profile: str
    home: str
    rows: list[BootRow]
    warnings: list[LayerWarning]


class OpenFolder(Wire):
    """Somebody started the program again with a folder to open."""

    path: str


class RowId(Wire):
    """Which row."""

    id: str


class Opened(Wire):
    """Whether the desktop could show it."""

    opened: bool


class Title(Wire):
    """The title of a dialog."""

    title: str = ""


class ChosenPath(Wire):
    """What the person chose; null for nothing."""

    path: str | None


class OnePath(Wire):
    """A path on this machine."""

    path: str


class MaybePath(Wire):
    """A path, or where the person is at home."""

    path: str | None = None


class OneUrl(Wire):
    """A web address."""

    url: str


class DirectoryEntry(Wire):
    """A folder in a folder."""

    name: str
    path: str
    hidden: bool


class DirectoryListing(Wire):
    """One level of folders, for choosing one without a native dialog."""

    path: str
    parent: str | None
    home: str
    entries: list[DirectoryEntry]
    truncated: bool


class SandboxView(Wire):
    """What confines commands here, as it was found by really running it."""

    mechanism: str
    level: str
    gaps: list[str]
    network: bool


class HostDescription(Wire):
    """What the host is and what this machine can do."""

    version: str
    home: str
    pid: int
    platform: str
    native: bool
    sandbox: SandboxView | None
    default_mode: str
    credential_store: str | None
    desktop_entry: str


class EntryInstalled(Wire):
    """The applications menu has an entry now."""

    installed: bool
    path: str


class Removed(Wire):
    """A session is gone from the list."""

    session_id: str


class Output(Wire):
    """Live text of a running call."""

    call_id: str
    stream: str
    text: str


# What travels outside of methods: items of the host topic and of session topics.
WIRE_MODELS: tuple[type[Wire], ...] = (
    BootReport,
    LiveState,
    OpenFolder,
    Output,
    QueueState,
    Removed,
    SessionEvent,
    SessionSnapshot,
    SessionSummary,
)
