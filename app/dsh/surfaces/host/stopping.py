"""How a part of the program asks the launcher to stop it."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Stopper(ABC):
    """Offered by the launcher that serves."""

    @abstractmethod
    def stop(self) -> None:
        """Begin to stop the program, in order; returns at once."""
