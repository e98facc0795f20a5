"""The agents of this program."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dsh.runtime.agent.agent import Agent
from dsh.runtime.models import Route


class Agents:
    """Makes agents, keeps the live ones and ends them."""

    async def create(
        self,
        cwd: Path,
        *,
        preset: str | None = None,
        route: Route | None = None,
        mode: Literal["read-only", "workspace-write", "danger-full-access"] | None = None,
    ) -> Agent:
        """A new session with an agent. Raises ``CompositionError`` or ``DataError``."""
        raise NotImplementedError

    async def resume(self, session_id: str) -> Agent:
        """The live agent of a session, else one that goes on where it ended.

        Nothing that was queued runs by itself. Raises ``DataError`` (also for a session
        that can only be read) or ``CompositionError``.
        """
        raise NotImplementedError

    def get(self, session_id: str) -> Agent | None:
        """The live agent of a session."""
        raise NotImplementedError

    def live(self) -> list[Agent]:
        """Every live agent."""
        raise NotImplementedError

    async def close(self, session_id: str) -> None:
        """Stop an agent, wait for its end and close its session."""
        raise NotImplementedError
