"""The model of agents that were given none, kept in the settings."""

from dsh_plugins.default_model.plugin import default_model

__all__ = ["default_model"]
