"""Tools: what an agent can do, and the pipeline that every call goes through."""

from dsh.runtime.tools.cards import (
    Card,
    DiffCard,
    FileDiff,
    GenericCard,
    ReadCard,
    SearchCard,
    TerminalCard,
)
from dsh.runtime.tools.definition import (
    Arguments,
    Execution,
    Outcome,
    Tool,
    ToolError,
    Tools,
)
from dsh.runtime.tools.hooks import (
    EXECUTE,
    GUARD,
    POST_EXECUTE,
    PRE_EXECUTE,
    Allow,
    Ask,
    Deny,
    GateDecision,
    Settled,
)

__all__ = [
    "EXECUTE",
    "GUARD",
    "POST_EXECUTE",
    "PRE_EXECUTE",
    "Allow",
    "Arguments",
    "Ask",
    "Card",
    "Deny",
    "DiffCard",
    "Execution",
    "FileDiff",
    "GateDecision",
    "GenericCard",
    "Outcome",
    "ReadCard",
    "SearchCard",
    "Settled",
    "TerminalCard",
    "Tool",
    "ToolError",
    "Tools",
]
