"""Which call counts as the same as the one before, and how often it was made."""

from __future__ import annotations

from typing import Final

import msgspec

from dsh.runtime.tools import Settled

# A call that never reached its tool is the same mistake whatever its arguments say.
NEVER_RAN: Final = frozenset({"UNKNOWN_TOOL", "INVALID_ARGS"})

_ordered: Final = msgspec.json.Encoder(order="sorted")


class Run:
    """Consecutive calls of one session that are the same."""

    __slots__ = ("code", "count", "key", "name", "turn")

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew: a person said something, or another turn began."""
        self.key: tuple[str, str] = ("", "")
        self.count = 0
        self.name = ""
        self.code: str | None = None
        self.turn = 0

    def take(self, settled: Settled) -> int:
        """Count a call; how many of its kind came in a row."""
        execution, code = settled.execution, settled.error_code
        never_ran = code in NEVER_RAN
        what = code or "" if never_ran else _ordered.encode(execution.arguments).decode()
        key = (execution.name, what)
        if key != self.key or execution.turn != self.turn:
            self.forget()
            self.key, self.name, self.turn = key, execution.name, execution.turn
        self.code = code
        self.count += 1
        return self.count

    def reason(self) -> str:
        """Why the turn is stopped, for people."""
        match self.code:
            case "UNKNOWN_TOOL":
                what = f"asked for a tool that does not exist ({self.name})"
            case "INVALID_ARGS":
                what = f"called {self.name} with wrong arguments"
            case None:
                what = f"made the same call to {self.name}"
            case code:
                what = f"made the same call to {self.name}, which failed with {code},"
        return f"The model {what} {self.count} times in a row; the turn was stopped."
