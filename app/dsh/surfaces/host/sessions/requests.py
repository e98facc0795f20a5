"""The requests and responses of `session/*`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dsh.seams.gateway import Wire
from dsh.surfaces.host.wire import SessionEvent, SessionSummary

PROMPT_LIMIT = 8_000_000  # characters


class Cursor(Wire):
    """Where to go on in the list."""

    cursor: str | None = None
    limit: int = Field(default=100, ge=1, le=500)


class SessionList(Wire):
    """A part of the list, newest first."""

    sessions: list[SessionSummary]
    cursor: str | None


class CreateSession(Wire):
    """In which workspace, and of which preset."""

    workspace_id: str
    preset: str | None = None


class SessionId(Wire):
    """Which session."""

    session_id: str


class HistoryRequest(Wire):
    """Events before a seq."""

    session_id: str
    before_seq: int = Field(ge=0)
    limit: int = Field(default=400, ge=1, le=2_000)


class History(Wire):
    """A window of events; chunks of complete answers are left out."""

    events: list[SessionEvent]
    first_seq: int
    has_more: bool


class Prompt(Wire):
    """What the person wrote; ``steer`` joins the running turn."""

    session_id: str
    text: str = Field(min_length=1, max_length=PROMPT_LIMIT)
    mode: Literal["queue", "steer"] = "queue"
    client_id: str | None = Field(default=None, max_length=100)


class Prompted(Wire):
    """The id of the message."""

    message_id: str


class UpdateQueue(Wire):
    """A change of one queued message."""

    session_id: str
    item_id: str
    action: Literal["edit", "remove", "steer"]
    text: str | None = Field(default=None, min_length=1, max_length=PROMPT_LIMIT)


class RenameSession(Wire):
    """A new title; the person's own word holds."""

    session_id: str
    title: str = Field(min_length=1, max_length=200)


class SelectModel(Wire):
    """Another model, from the next request on; also the default of new sessions."""

    session_id: str
    provider: str
    model: str
    effort: str | None = None


class SetMode(Wire):
    """Another permission preset."""

    session_id: str
    mode: Literal["read-only", "workspace-write", "danger-full-access"]
