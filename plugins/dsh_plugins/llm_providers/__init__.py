"""Model servers that the person configured, and the methods to configure them."""

from dsh_plugins.llm_providers.methods import model_methods
from dsh_plugins.llm_providers.plugin import llm_providers

__all__ = ["llm_providers", "model_methods"]
