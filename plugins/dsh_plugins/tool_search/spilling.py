"""Full lists that are too long to show, kept where the agent can read them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from dsh.runtime.tools import Execution
from dsh.seams.spill import Spill

_log = logging.getLogger(__name__)


class Recovery:
    """Says how to get at what a result leaves out."""

    def __init__(self, spill: Spill | None) -> None:
        self._spill = spill

    async def note(
        self, name: str, whole: Callable[[], str], execution: Execution
    ) -> str:
        """Store the whole list; the sentence for the model either way."""
        if self._spill is not None:
            try:
                path = await self._spill.save_text(execution.session, name, whole())
            except OSError as error:
                _log.warning("%s could not be saved: %s", name, error)
            else:
                return (
                    f"All of it is stored at: {path}. Use read with offset and limit,"
                    " or grep that path."
                )
        return "The rest could not be saved; narrow the pattern or the path."
