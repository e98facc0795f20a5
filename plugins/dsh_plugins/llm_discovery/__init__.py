"""Model servers on this computer, found by asking the ports they usually listen on."""

from dsh_plugins.llm_discovery.plugin import DiscoveryConfig, llm_discovery

__all__ = ["DiscoveryConfig", "llm_discovery"]
