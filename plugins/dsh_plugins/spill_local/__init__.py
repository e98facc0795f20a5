"""Private temporary folders of sessions, and the policy that keeps long results there."""

from dsh_plugins.spill_local.plugin import spill_local
from dsh_plugins.spill_local.policy import SpillPolicy, spill_policy

__all__ = ["SpillPolicy", "spill_local", "spill_policy"]
