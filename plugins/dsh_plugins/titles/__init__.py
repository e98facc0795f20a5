"""Gives a session its first title, from the first prompt."""

from dsh_plugins.titles.plugin import titles

__all__ = ["titles"]
