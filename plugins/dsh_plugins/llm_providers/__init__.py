"""Model servers that the person configured.

The methods of the page are apart, in `methods`: a run without a page does without them.
"""

from dsh_plugins.llm_providers.plugin import llm_providers

__all__ = ["llm_providers"]
