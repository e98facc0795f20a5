"""The OpenAI chat-completions wire, in the dialects of its many servers."""

from dsh_plugins.llm_openai.plugin import openai_chat

__all__ = ["openai_chat"]
