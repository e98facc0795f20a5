"""Tries failed model requests again, as the provider's policy says."""

from dsh_plugins.retry.plugin import retry

__all__ = ["retry"]
