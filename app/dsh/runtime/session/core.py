"""The projections that the runtime itself reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from dsh.data.events import Event
from dsh.data.messages import Message, Usage
from dsh.runtime.session.projection import Projection

S = TypeVar("S")
Inbox = dict[str, list[Message]]
Data = dict[str, Any]  # Any: JSON whose shape the schema of its type fixes


def _last(key: str, of: Callable[[Event], S], *types: str) -> Projection[S | None]:
    """The value that the last event of these types carries."""

    def apply(_: S | None, event: Event) -> S | None:
        return of(event)

    return Projection(key, 1, lambda: None, apply, frozenset(types))


TITLE: Final = _last("title", lambda e: str(e.data["title"]), "session/title")
SANDBOX_MODE: Final = _last("sandbox-mode", lambda e: str(e.data["mode"]), "sandbox/mode")
APPROVAL_POLICY: Final = _last(
    "approval-policy", lambda e: str(e.data["policy"]), "approval/policy"
)
PERMISSION_PRESET: Final = _last(
    "permission-preset", lambda e: str(e.data["preset"]), "permission/preset"
)
PRESET: Final = _last(
    "preset", lambda e: str(e.data["agentPreset"]), "agent-preset/selected"
)
REQUEST_HEADER: Final[Projection[Data | None]] = _last(
    "request-header", lambda e: dict(e.data["header"]), "request/header"
)
REQUEST_CONTEXT: Final[Projection[Data | None]] = _last(
    "request-context", lambda e: e.data, "request/context"
)


def _position(state: Data, event: Event) -> Data:
    data = event.data
    match event.type:
        case "turn/start":
            return {"turn": data["turn"], "open": True, "step": 0, "stepOpen": False}
        case "turn/end":
            kind = data["reason"]["kind"]
            return {**state, "open": False, "stepOpen": False, "ended": kind}
        case "step/start":
            mark = {"step": data["step"], "stepOpen": True, "stepSeq": event.seq}
            return {**state, **mark}
        case _:
            return {**state, "stepOpen": False}


POSITION: Final[Projection[Data]] = Projection(
    "position",
    1,
    lambda: {"turn": 0, "open": False, "step": 0, "stepOpen": False},
    _position,
    frozenset({"turn/start", "turn/end", "step/start", "step/end"}),
)


def _inbox(state: Inbox, event: Event) -> Inbox:
    data = event.data
    kept = list(state[data["target"]])
    start = data["start"]
    kept[start : start + data.get("removedCount", 0)] = data["inserted"]
    return {**state, data["target"]: kept}


INBOX: Final[Projection[Inbox]] = Projection(
    "inbox",
    1,
    lambda: {"next-turn": [], "next-step": []},
    _inbox,
    frozenset({"agent/inbox/spliced"}),
)


def _blank(state: bool, event: Event) -> bool:  # noqa: FBT001  # it is the state
    return state and event.type != "user/message" and not event.data["inserted"]


BLANK: Final[Projection[bool]] = Projection(
    "blank", 1, lambda: True, _blank, frozenset({"user/message", "agent/inbox/spliced"})
)


def _approvals(state: dict[str, Data], event: Event) -> dict[str, Data]:
    if event.type == "approval/asked":
        return {**state, event.data["id"]: event.data}
    return {id_: asked for id_, asked in state.items() if id_ != event.data["id"]}


APPROVALS: Final[Projection[dict[str, Data]]] = Projection(
    "open-approvals",
    1,
    dict,
    _approvals,
    frozenset({"approval/asked", "approval/decided"}),
)

_NO_USAGE: Final[Usage] = {"inputTokens": 0, "outputTokens": 0}


def _usage(state: Data, event: Event) -> Data:
    """Every request counts, failed ones too; an answer's own figures replace those that
    its stream announced.
    """
    match event.type, event.data:
        case "assistant/chunk", {"chunk": {"type": "usage", "usage": usage}}:
            total = _sum(_sum(state["total"], state["last"], -1), usage)
            return {"total": total, "last": usage}
        case "assistant/message", {"usage": usage}:
            total = _sum(_sum(state["total"], state["last"], -1), usage)
            return {"total": total, "last": _NO_USAGE}
        case "llm/retry-started" | "step/start", _ if state["last"] != _NO_USAGE:
            return {"total": state["total"], "last": _NO_USAGE}
    return state


def _sum(total: Usage, more: Usage, sign: int = 1) -> Usage:
    figures = dict[str, Any](total)  # Any: keys of a typed dictionary, one by one
    for key, value in dict[str, Any](more).items():
        figures[key] = figures.get(key, 0) + sign * value
    return figures  # type: ignore[return-value]  # the keys are those of Usage


USAGE: Final[Projection[Data]] = Projection(
    "usage",
    1,
    lambda: {"total": _NO_USAGE, "last": _NO_USAGE},
    _usage,
    frozenset(
        {"assistant/chunk", "assistant/message", "llm/retry-started", "step/start"}
    ),
)

CORE: Final[tuple[Projection[Any], ...]] = (  # Any: of different states
    TITLE,
    POSITION,
    REQUEST_HEADER,
    REQUEST_CONTEXT,
    INBOX,
    SANDBOX_MODE,
    APPROVAL_POLICY,
    PERMISSION_PRESET,
    PRESET,
    USAGE,
    BLANK,
    APPROVALS,
)
