"""The plugin kernel: mounts, offers, scopes, events and hooks."""

from dsh.kernel.errors import (
    DuplicateContribution,
    DuplicateMount,
    DuplicateProvider,
    KernelClosed,
    NotAPlugin,
    ServiceMissing,
    StartTimedOut,
)
from dsh.kernel.events import Events, Hook, Listener, Next, Wrapper
from dsh.kernel.kernel import Kernel, Problem
from dsh.kernel.mount import Config, Limits, Mount, Phase
from dsh.kernel.plugin import Body, Need, Plan, Plugin, plugin
from dsh.kernel.registry import Registry
from dsh.kernel.report import MountReport
from dsh.kernel.scope import Scope, Scoped

__all__ = [
    "Body",
    "Config",
    "DuplicateContribution",
    "DuplicateMount",
    "DuplicateProvider",
    "Events",
    "Hook",
    "Kernel",
    "KernelClosed",
    "Limits",
    "Listener",
    "Mount",
    "MountReport",
    "Need",
    "Next",
    "NotAPlugin",
    "Phase",
    "Plan",
    "Plugin",
    "Problem",
    "Registry",
    "Scope",
    "Scoped",
    "ServiceMissing",
    "StartTimedOut",
    "Wrapper",
    "plugin",
]
