"""Text too long to show, kept where the agent can read it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path


class Spill(ABC):
    """The private temporary folder of a session and what is stored in it."""

    @abstractmethod
    def folder(self, session: object) -> Path:
        """The session's private temporary folder (0700), made on first use; the same
        for shell and file tools, and readable inside the sandbox.
        """

    @abstractmethod
    async def save_text(self, session: object, name: str, content: str) -> Path:
        """Store ``content`` under a fresh name derived from ``name``; 0600."""
