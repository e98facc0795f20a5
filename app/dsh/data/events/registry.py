"""Which event types exist, and the schema of each."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from dsh.data.events import vocabulary as v
from dsh.data.messages import Message

SURFACE_TYPES: Final = frozenset({"user/message", "assistant/message", "tool/result"})


class EventSchema:
    """One type: the shape of its data, and whether a reader may pass over it."""

    __slots__ = ("_adapter", "data", "ignorable", "type")

    def __init__(self, type_: str, data: object, *, ignorable: bool = False) -> None:
        self.type = type_
        self.data = data
        self.ignorable = ignorable
        self._adapter: TypeAdapter[object] | None = None

    def validate(self, data: object) -> None:
        """Raise ``pydantic.ValidationError`` when ``data`` has another shape."""
        if self._adapter is None:  # built on first use: it costs, and most runs need few
            self._adapter = TypeAdapter[object](self.data)  # type: ignore[arg-type]  # a typed dictionary, by construction
        self._adapter.validate_python(data, strict=True)


class EventSchemas:
    """The known types. The shipped ones are :data:`EVENT_SCHEMAS`."""

    def __init__(self, schemas: list[EventSchema]) -> None:
        self._schemas = {schema.type: schema for schema in schemas}

    def get(self, type_: str) -> EventSchema | None:
        """The schema of a type, if it is known."""
        return self._schemas.get(type_)

    def register(self, schema: EventSchema) -> None:
        """Make a plugin's type known. Raises ``ValueError`` for one that exists."""
        if schema.type in self._schemas:
            raise ValueError(f"event type {schema.type} is already registered")
        self._schemas[schema.type] = schema

    def unregister(self, type_: str) -> None:
        """Forget a plugin's type."""
        del self._schemas[type_]

    def types(self) -> list[str]:
        """All known types, sorted."""
        return sorted(self._schemas)


EVENT_SCHEMAS: Final = EventSchemas(
    [
        EventSchema("user/message", Message),
        EventSchema("assistant/message", v.AssistantMessage),
        EventSchema("tool/result", v.ToolResult),
        EventSchema("turn/start", v.TurnStart),
        EventSchema("turn/end", v.TurnEnd),
        EventSchema("step/start", v.StepMark),
        EventSchema("step/end", v.StepMark),
        EventSchema("assistant/chunk", v.AssistantChunk),
        EventSchema("tool/call", v.ToolCall),
        EventSchema("request/header", v.RequestHeader),
        EventSchema("request/context", v.RequestContext),
        EventSchema("agent/inbox/spliced", v.InboxSpliced),
        EventSchema("session/end-seed", v.EndSeed),
        EventSchema("session/title", v.SessionTitle),
        EventSchema("agent-preset/selected", v.PresetSelected),
        EventSchema("llm/retry", v.LlmRetry),
        EventSchema("llm/retry-started", v.LlmRetryStarted),
        EventSchema("approval/asked", v.ApprovalAsked),
        EventSchema("approval/decided", v.ApprovalDecided),
        EventSchema("approval/policy", v.ApprovalPolicy),
        EventSchema("sandbox/mode", v.SandboxMode),
        EventSchema("sandbox/enforced", v.SandboxEnforced, ignorable=True),
        EventSchema("permission/preset", v.PermissionPreset),
    ]
)
