"""Agents: sessions at work. The public face for surfaces and plugins."""

from dsh.runtime.agent.agent import Agent, AgentClosed
from dsh.runtime.agent.agents import Agents, Mode
from dsh.runtime.agent.facts import (
    AgentCreated,
    AgentDisposed,
    AgentError,
    AgentStatus,
    InboxChanged,
    Status,
    ToolOutput,
)
from dsh.runtime.agent.plugin import agents
from dsh.runtime.agent.shared import AgentsConfig

__all__ = [
    "Agent",
    "AgentClosed",
    "AgentCreated",
    "AgentDisposed",
    "AgentError",
    "AgentStatus",
    "Agents",
    "AgentsConfig",
    "InboxChanged",
    "Mode",
    "Status",
    "ToolOutput",
    "agents",
]
