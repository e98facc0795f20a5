"""The model server that the environment names, for scripts."""

from dsh_plugins.llm_environment.plugin import PROVIDER, llm_environment

__all__ = ["PROVIDER", "llm_environment"]
