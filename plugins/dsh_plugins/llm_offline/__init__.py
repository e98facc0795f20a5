"""A guide that answers without any model, and says so."""

from dsh_plugins.llm_offline.plugin import OfflineConfig, llm_offline

__all__ = ["OfflineConfig", "llm_offline"]
