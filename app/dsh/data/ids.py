"""Identifiers: opaque strings, made here and never taken apart."""

from __future__ import annotations

import secrets
from typing import NewType

SessionId = NewType("SessionId", str)
MessageId = NewType("MessageId", str)
WorkspaceId = NewType("WorkspaceId", str)


def new_id(prefix: str) -> str:
    """A fresh random id such as ``msg-3f9a…`` (80 bits, safe in file names)."""
    return f"{prefix}-{secrets.token_hex(10)}"


def new_session_id() -> SessionId:
    """A fresh session id."""
    return SessionId(new_id("session"))


def new_message_id() -> MessageId:
    """A fresh message id."""
    return MessageId(new_id("msg"))
