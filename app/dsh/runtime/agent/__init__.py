"""Agents: sessions at work. The public face for surfaces and plugins."""

from dsh.runtime.agent.agent import Agent
from dsh.runtime.agent.agents import Agents
from dsh.runtime.agent.facts import (
    AgentCreated,
    AgentDisposed,
    AgentError,
    AgentStatus,
    InboxChanged,
    Status,
    ToolOutput,
)

__all__ = [
    "Agent",
    "AgentCreated",
    "AgentDisposed",
    "AgentError",
    "AgentStatus",
    "Agents",
    "InboxChanged",
    "Status",
    "ToolOutput",
]
