"""Events as they go to the page: a tool's call and result carry their card."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import get_args

from dsh.data.events import Event
from dsh.kernel import Scope
from dsh.runtime.tools import Card, Tools
from dsh.runtime.tools.cards import AnyCard, CardBase
from dsh.surfaces.host.wire import SessionEvent, SurfaceOpView

CARDS: tuple[type[CardBase], ...] = get_args(get_args(AnyCard)[0])
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

    def note(self, event: Event) -> tuple[str, dict[str, object]]:
        """Remember a `tool/call` for its result; returns the tool and the arguments."""
        call = (str(event.data.get("name", "")), _arguments(event.data.get("arguments")))
        if len(self._calls) >= REMEMBERED:
            self._calls.pop(next(iter(self._calls)))
        self._calls[str(event.data.get("callId"))] = call
        return call

    def calls_before(self, events: Iterable[Event]) -> list[int]:
        """The seqs of calls that results among ``events`` answer, as far as unknown."""
        known = set(self._calls)
        missing: list[int] = []
        for event in events:
            if event.type == "tool/call":
                known.add(str(event.data.get("callId")))
            elif event.type == "tool/result" and _answered(event) not in known:
                missing += (event.source_event_seqs or [])[:1]
        return missing

    def _card(self, event: Event) -> AnyCard | None:
        match event.type:
            case "tool/call":
                return self._call_card(event)
            case "tool/result":
                return self._result_card(event)
            case _:
                return None

    def _call_card(self, event: Event) -> AnyCard | None:
        name, arguments = self.note(event)
        tool = self.scope.get(Tools).get(name)
        if tool is None:
            return Card.generic(name or "?").model
        try:
            return _checked(tool.present_call(arguments))
        except Exception:  # noqa: BLE001  # a tool's mistake costs its card, not the page
            return Card.generic(name).model

    def _result_card(self, event: Event) -> AnyCard | None:
        try:
            text = _text(event.data["message"]["content"][0]["content"])
        except (KeyError, IndexError, TypeError):
            return None
        name, arguments = self._calls.pop(_answered(event), ("", {}))
        tool = self.scope.get(Tools).get(name) if name else None
        if tool is None:
            return Card.generic(name or "?", text).model
        meta, failed = event.data.get("meta"), "error" in event.data
        try:
            return _checked(tool.present_result(arguments, text, meta, failed=failed))
        except Exception:  # noqa: BLE001  # as above
            return Card.generic(name, text).model


def _answered(event: Event) -> str:
    """The id of the call that a `tool/result` answers; empty in a damaged one."""
    try:
        return str(event.data["message"]["content"][0]["toolCallId"])
    except (KeyError, IndexError, TypeError):
        return ""


def _checked(card: Card) -> AnyCard:
    """The card, if it is one that can go out: nothing checks plugins' types."""
    if not isinstance(card.model, CARDS):
        raise TypeError(f"{type(card.model).__qualname__} is no card")
    card.model.model_dump_json()  # a lone surrogate in a file's name, for example
    return card.model


def _text(blocks: list[dict[str, str]]) -> str:
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def _arguments(raw: object) -> dict[str, object]:
    try:
        found = json.loads(str(raw) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
