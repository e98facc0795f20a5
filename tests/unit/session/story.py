"""Sessions in a real home, and a turn to fill them with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from dsh.data.events import Event
from dsh.data.paths import Home
from dsh.kernel import Events, Kernel
from dsh.runtime.session import Session, Sessions

MARK = {"turn": 1, "step": 1}
HEADER = {
    "header": {"config": {"provider": "p", "model": "m"}, "system": "Be brief."},
    "reason": "initial",
}
Step = tuple[str, dict[str, Any], list[int] | None]  # Any: JSON


@asynccontextmanager
async def sessions_in(folder: Path, *, strict: bool = True) -> AsyncIterator[Sessions]:
    """The service in a home, checking schema and order of all events."""
    async with Kernel() as kernel:
        events = kernel.root.get(Events)
        async with Sessions.running(Home(folder), events) as service:
            service.strict = strict
            yield service


def user(text: str, id_: str = "u1") -> dict[str, Any]:  # Any: JSON
    """A prompt."""
    return {
        "id": id_,
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "source": {"kind": "user"},
    }


def answer(*blocks: dict[str, str], id_: str = "a1") -> dict[str, Any]:  # Any: JSON
    """A model's message."""
    return {
        "id": id_,
        "role": "assistant",
        "content": list(blocks),
        "source": {"kind": "model", "provider": "p", "model": "m"},
    }


def text(words: str) -> dict[str, str]:
    """A block of visible text."""
    return {"type": "text", "text": words}


def calls(name: str) -> dict[str, str]:
    """A block that asks for a tool."""
    return {"type": "tool-call", "id": name, "name": "bash", "arguments": "{}"}


def result(call: str, words: str = "done") -> dict[str, Any]:  # Any: JSON
    """Data of a `tool/result`."""
    block = {"type": "tool-result", "toolCallId": call, "content": [text(words)]}
    message = {
        "id": f"r-{call}",
        "role": "user",
        "content": [block],
        "source": {"kind": "tool", "callId": call},
    }
    return {**MARK, "message": message}


def started(call: str) -> dict[str, Any]:  # Any: JSON
    """Data of a `tool/call`."""
    return {**MARK, "callId": call, "name": "bash", "arguments": "{}"}


def chunk(kind: str, index: int, **fields: str) -> Step:
    """A raw piece of a model's answer."""
    data = {"type": kind, "index": index, **fields}
    return "assistant/chunk", {**MARK, "chunk": data}, None


def golden_turn() -> list[Step]:
    """One turn: a thought, some text, two tools at once that end in the other order."""
    asked = {
        "id": "ap1",
        "toolName": "bash",
        "callId": "c1",
        "shown": {"title": "Run"},
        "hash": "0" * 64,
    }
    inbox = {"target": "next-turn", "start": 0}
    thought = {"type": "reasoning", "text": "hm"}
    message = answer(thought, text("On it."), calls("c1"), calls("c2"))
    return [
        ("agent/inbox/spliced", {**inbox, "inserted": [user("go on")]}, None),
        ("turn/start", {"turn": 1}, None),
        ("agent/inbox/spliced", {**inbox, "removedCount": 1, "inserted": []}, None),
        ("step/start", MARK, None),
        ("user/message", user("go on"), None),
        ("request/header", HEADER, None),
        ("request/context", {"provider": "p", "model": "m"}, None),
        chunk("block-start", 0, blockType="reasoning"),
        chunk("reasoning-delta", 0, text="hm"),
        chunk("block-start", 1, blockType="text"),
        chunk("text-delta", 1, text="On "),
        chunk("text-delta", 1, text="it."),
        chunk("tool-call-delta", 2, id="c1", name="bash", argumentsDelta="{"),
        ("assistant/message", {**MARK, "message": message}, [7, 8, 9, 10, 11, 12]),
        ("tool/call", started("c1"), None),
        ("tool/call", started("c2"), None),
        ("approval/asked", asked, None),
        ("approval/decided", {"id": "ap1", "outcome": "allowed-once"}, None),
        ("tool/result", result("c1"), [14]),
        ("tool/result", result("c2"), [15]),
        ("step/end", MARK, None),
        ("turn/end", {"turn": 1, "reason": {"kind": "completed"}}, None),
    ]


def tell(session: Session, steps: list[Step]) -> list[Event]:
    """Append a story."""
    return [session.append(type_, data, sources=cited) for type_, data, cited in steps]


async def stored(folder: Path, steps: list[Step], id_: str = "s1") -> Path:
    """Store a story as a session and close it; returns its log."""
    async with sessions_in(folder) as sessions:
        session = await sessions.create(folder, id=id_)
        tell(session, steps)
    return session.path
