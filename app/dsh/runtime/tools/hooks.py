"""Where policies take part in a call: gate, guard, execution, result."""

from __future__ import annotations

from dsh.kernel import Hook
from dsh.runtime.tools.definition import Execution, Outcome


class Allow:
    """Go on."""

    __slots__ = ()


class Deny:
    """Do not run it; the reason is what the model reads."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Ask:
    """Run it only if a person allows exactly what ``shown`` says."""

    __slots__ = ("reason", "shown")

    def __init__(self, shown: dict[str, object], reason: str | None = None) -> None:
        self.shown = shown
        self.reason = reason


GateDecision = Allow | Deny | Ask


class Settled:
    """A finished call before it is written; a wrapper returns it changed or as it is."""

    __slots__ = ("error_code", "execution", "outcome")

    def __init__(
        self, execution: Execution, outcome: Outcome, error_code: str | None
    ) -> None:
        self.execution = execution
        self.outcome = outcome
        self.error_code = error_code


# Order of a call: PRE_EXECUTE → GUARD → EXECUTE (around the body) → POST_EXECUTE.
# The core of PRE_EXECUTE answers Allow. A guard can only refuse: every wrapper is asked
# and the core answers None; a text refuses. EXECUTE's core is the body. POST_EXECUTE
# also sees refused calls; its core returns what it was given.
PRE_EXECUTE: Hook[Execution, GateDecision] = Hook("tools/pre-execute")
GUARD: Hook[Execution, str | None] = Hook("tools/guard")
EXECUTE: Hook[Execution, Outcome] = Hook("tools/execute")
POST_EXECUTE: Hook[Settled, Settled] = Hook("tools/post-execute")
