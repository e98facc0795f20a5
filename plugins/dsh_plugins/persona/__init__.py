"""Tells the model what it is part of and how to work."""

from dsh_plugins.persona.plugin import persona

__all__ = ["persona"]
