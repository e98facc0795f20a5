"""What a loop works with, as one agent sees it."""

from __future__ import annotations

from dsh.kernel import Events
from dsh.runtime.prompt import Contexts, Sections
from dsh.runtime.tools.scheduler import ToolRuntime
from dsh.seams.llm import Models


class Services:
    """Views of the shared services from an agent's scope, and the limits of a turn."""

    __slots__ = ("contexts", "events", "max_steps", "models", "sections", "tools")

    def __init__(
        self,
        events: Events,
        models: Models,
        sections: Sections,
        contexts: Contexts,
        tools: ToolRuntime,
        max_steps: int,
    ) -> None:
        self.events = events
        self.models = models
        self.sections = sections
        self.contexts = contexts
        self.tools = tools
        self.max_steps = max_steps
