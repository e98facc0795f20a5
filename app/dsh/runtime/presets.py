"""What composes agents: the scope that an agent of a preset lives in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager

from dsh.kernel import Scope


class AgentPresets(ABC):
    """Standing mounts of presets, shared by their agents. Without a provider agents
    live in the global scope.
    """

    default: str  # id of the preset of a session that names none

    @abstractmethod
    def joined(self, preset: str | None) -> AbstractAsyncContextManager[Scope]:
        """Join the current generation of a preset (``None``: the default one).

        Entered when every row that contributes has settled; the generation stays
        mounted until the block ends. Raises :class:`~dsh.errors.CompositionError`.
        """
