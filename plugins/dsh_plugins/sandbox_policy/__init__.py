"""What a session's commands and file tools may do."""

from dsh_plugins.sandbox_policy.plugin import SandboxPolicyConfig, sandbox_policy

__all__ = ["SandboxPolicyConfig", "sandbox_policy"]
