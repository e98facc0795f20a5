"""Permission presets: a sandbox mode and an approval policy under one name."""

from __future__ import annotations

from abc import ABC, abstractmethod

from dsh.seams.sandbox import Mode


class Permissions(ABC):
    """Sets what a session may do. One provider."""

    @abstractmethod
    def set_mode(self, session: object, mode: Mode) -> None:
        """Put a session (a `dsh.runtime.session.Session`) under a preset from here on:
        sandbox mode, approval policy and preset are logged.
        """

    @abstractmethod
    def mode_of(self, session: object) -> Mode:
        """The mode in force."""
