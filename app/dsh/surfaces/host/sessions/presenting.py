"""Events as they go to the page: a tool's call and result carry their card."""

from __future__ import annotations

import json
from collections.abc import Iterable

from dsh.data.events import Event
from dsh.kernel import Scope
from dsh.runtime.tools import Card, Tools
from dsh.runtime.tools.cards import AnyCard
from dsh.surfaces.host.wire import SessionEvent, SurfaceOpView

REMEMBERED = 2_000  # calls per session whose arguments are kept for their result


class Presenter:
    """Makes cards for one session. Pure functions of the tools; never fails an event."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope  # from which the session's tools are seen
        self._calls: dict[str, tuple[str, dict[str, object]]] = {}

    def present(self, event: Event) -> SessionEvent:
        """One event for the wire."""
        op = event.surface_op
        return SessionEvent(
            seq=event.seq,
            type=event.type,
            time=event.time,
            data=event.data,
            surface_op=SurfaceOpView(op=op.op, start=op.start, end=op.end)
            if op
            else None,
            source_event_seqs=event.source_event_seqs,
            card=self._card(event),
        )

    def present_all(self, events: Iterable[Event]) -> list[SessionEvent]:
        """Several events, in order."""
        return [self.present(event) for event in events]

    def _card(self, event: Event) -> AnyCard | None:
        if event.type == "tool/call":
            return self._call_card(event)
        if event.type == "tool/result":
            return self._result_card(event)
        return None

    def _call_card(self, event: Event) -> AnyCard | None:
        name = str(event.data.get("name", ""))
        arguments = _arguments(event.data.get("arguments"))
        if len(self._calls) >= REMEMBERED:
            self._calls.pop(next(iter(self._calls)))
        self._calls[str(event.data.get("callId"))] = (name, arguments)
        tool = self.scope.get(Tools).get(name)
        if tool is None:
            return Card.generic(name or "?").model
        try:
            return tool.present_call(arguments).model
        except Exception:  # noqa: BLE001  # a tool's mistake costs its card, not the page
            return Card.generic(name).model

    def _result_card(self, event: Event) -> AnyCard | None:
        try:
            block = event.data["message"]["content"][0]
            call_id, text = block["toolCallId"], _text(block["content"])
        except (KeyError, IndexError, TypeError):
            return None
        name, arguments = self._calls.pop(call_id, ("", {}))
        tool = self.scope.get(Tools).get(name) if name else None
        if tool is None:
            return Card.generic(name or "?", text).model
        meta, failed = event.data.get("meta"), "error" in event.data
        try:
            return tool.present_result(arguments, text, meta, failed=failed).model
        except Exception:  # noqa: BLE001  # as above
            return Card.generic(name, text).model


def _text(blocks: list[dict[str, str]]) -> str:
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def _arguments(raw: object) -> dict[str, object]:
    try:
        found = json.loads(str(raw) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
