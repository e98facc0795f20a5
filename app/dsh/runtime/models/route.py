"""Which model answers: a provider, one of its models, and how hard it should think."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple


class Route(NamedTuple):
    """A choice of model. ``effort`` of ``None`` leaves it to the provider."""

    provider: str
    model: str
    effort: str | None = None


class DefaultModel(ABC):
    """The route of agents that were given none, kept in the settings."""

    @abstractmethod
    def current(self) -> Route:
        """The route now in force. Never fails: something always answers."""

    @abstractmethod
    async def set(self, route: Route) -> None:
        """Make ``route`` the default of later agents. Raises ``DSHError``."""
