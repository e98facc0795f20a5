"""What only the desktop can do: native dialogs and the window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from dsh.errors import SurfaceError


class DialogBusy(SurfaceError):
    """Another dialog is open; nothing was shown."""

    code = "DIALOG_BUSY"


class NativeShell(ABC):
    """Dialogs of the desktop. One dialog at a time; ``None`` means cancelled.

    Not offered at all where there is no screen: then the page does without.
    """

    @abstractmethod
    async def choose_folder(self, title: str, start: Path | None = None) -> Path | None:
        """Let the person choose one folder."""

    @abstractmethod
    async def choose_file(self, title: str, start: Path | None = None) -> Path | None:
        """Let the person choose one existing file."""

    @abstractmethod
    async def save_file(self, title: str, name: str) -> Path | None:
        """Let the person choose where to save."""

    @abstractmethod
    async def ask_secret(self, title: str, prompt: str) -> str | None:
        """Let the person type a secret that is not echoed; it never goes to the page."""

    @abstractmethod
    async def open_path(self, path: Path) -> bool:
        """Show a file or folder in the desktop's own program."""

    @abstractmethod
    async def open_url(self, url: str) -> bool:
        """Open an http(s) link in the system browser."""

    @abstractmethod
    def focus(self) -> None:
        """Bring the window to the front; may block until it is open."""
